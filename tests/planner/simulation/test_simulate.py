"""Simulations against exact results, within their own intervals, and what they refuse."""

import subprocess
import sys
from math import exp

import pytest
from scipy.optimize import brentq

from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.laws import ServiceLaw
from planner.simulation.results import MeasuredTime, SimulatedOperator, Simulation
from planner.simulation.simulate import count_events, simulate, simulate_visits
from planner.values import Edge, Entry, InstanceLoad, Load, Operator, OperatorLoad, ServiceBucket, Topology
from tests.planner.simulation.systems import (
    BY_EVENTS,
    build_mixed,
    build_one,
    build_row,
    simulate_one,
    wait_of_erlang,
    wait_of_pollaczek,
)

BOTH = pytest.mark.parametrize("capacities", [{}, BY_EVENTS], ids=["by station", "by event"])


WIDER = 1.79
"""The interval of 99.9% is so much wider than that of 95% (t with 29 degrees of freedom); fifty are looked at here."""


def covers(measured: SimulatedOperator | MeasuredTime, exact: float) -> bool:
    """Whether the interval holds the exact mean, and is narrow enough to say something."""
    mean = measured.wait_seconds if isinstance(measured, SimulatedOperator) else measured.mean_seconds
    assert measured.half_width_seconds is not None
    assert measured.half_width_seconds < 0.08 * exact
    return abs(mean - exact) < WIDER * measured.half_width_seconds


def covers_first(simulation: Simulation, wait: float) -> bool:
    """The same for the wait at the only operator."""
    return covers(simulation.operators[0], wait)


@BOTH
@pytest.mark.parametrize("rate", [0.5, 0.8])
def test_one_exponential_server(rate: float, capacities: dict[str, int]):
    assert covers_first(simulate_one(rate, capacities=capacities), wait_of_pollaczek(rate, 1.0))


@BOTH
@pytest.mark.parametrize(("processors", "offered"), [(2, 1.5), (4, 3.0), (10, 8.5)])
def test_servers_of_one_queue(processors: int, offered: float, capacities: dict[str, int]):
    assert covers_first(
        simulate_one(offered, processors, "shared", capacities=capacities),
        wait_of_erlang(offered, processors),
    )


@BOTH
@pytest.mark.parametrize(
    ("law", "scv"),
    [
        (ServiceLaw("deterministic", 1.0), 0.0),
        (ServiceLaw("gamma", 1.0, 0.5), 0.5),
        (ServiceLaw("gamma", 1.0, 2.0), 2.0),
        (ServiceLaw("lognormal", 1.0, 1.5), 1.5),
        (ServiceLaw("histogram", buckets=(ServiceBucket(1.0, 0), ServiceBucket(1.0 + 1e-9, 1))), 0.0),
        (ServiceLaw("histogram", buckets=(ServiceBucket(2.0, 7),)), 1.0 / 3.0),  # uniform on (0, 2)
    ],
)
def test_one_server_under_every_law_waits_as_pollaczek_and_khinchine_say(
    law: ServiceLaw, scv: float, capacities: dict[str, int]
):
    assert covers_first(
        simulate_one(0.7, services={"a": law}, capacities=capacities), wait_of_pollaczek(0.7, scv)
    )


@BOTH
@pytest.mark.parametrize("queueing", ["random", "keyed"])
def test_a_random_split_is_one_server_for_each_instance(queueing: str, capacities: dict[str, int]):
    assert covers_first(
        simulate_one(2.1, 3, queueing, capacities=capacities, seed=3), wait_of_pollaczek(0.7, 1.0)
    )


@BOTH
@pytest.mark.parametrize("processors", [2, 5])
def test_dealt_in_turn_each_instance_is_an_erlang_queue(processors: int, capacities: dict[str, int]):
    """E_k/M/1: W = σ/(1 − σ), σ = (kρ/(kρ + 1 − σ))^k, the root below 1 of A*(μ − μσ)."""
    rho = 0.8

    def miss(sigma: float) -> float:
        phases = processors * rho
        return (phases / (phases + 1.0 - sigma)) ** processors - sigma

    sigma = brentq(miss, 1e-6, 1.0 - 1e-6)
    answer = simulate_one(rho * processors, processors, "round-robin", capacities=capacities)
    assert covers_first(answer, sigma / (1.0 - sigma))


@BOTH
def test_a_keyed_instance_gets_its_share(capacities: dict[str, int]):
    shares = {"hot": 0.5, "warm": 0.3, "cold": 0.2}
    instances = tuple(InstanceLoad(name, share) for name, share in shares.items())
    load = Load(1.6, {"a": OperatorLoad(1.0, service_scv=1.0, instances=instances)})
    answer = simulate(build_one("keyed"), load, {"a": 3}, roots=500_000, capacities=capacities)
    exact = sum(share * wait_of_pollaczek(1.6 * share, 1.0) for share in shares.values())
    assert covers_first(answer, exact)
    assert "shares-assumed" not in {one.code for one in answer.diagnostics}


@BOTH
def test_evenly_arriving_roots_wait_as_in_d_m_1(capacities: dict[str, int]):
    """W = σ/(1 − σ), σ = exp(−(1 − σ)/ρ)."""
    sigma = brentq(lambda x: exp(-(1.0 - x) / 0.8) - x, 1e-6, 1.0 - 1e-6)
    answer = simulate_one(0.8, arrivals=ArrivalLaw("deterministic"), capacities=capacities)
    assert covers_first(answer, sigma / (1.0 - sigma))


def test_a_network_with_a_loop_has_the_product_form_of_jackson():
    """Tuples return from b to a with probability 0.2: each waits as M/M/k alone at 1.25 times the external rate."""
    edges = (Edge("a", "b"), Edge("b", "a", 0.2))
    topology = Topology((Operator("a"), Operator("b")), edges, (Entry("a"),))
    load = Load(2.0, {"a": OperatorLoad(0.8), "b": OperatorLoad(3.0)})
    answer = simulate(topology, load, {"a": 4, "b": 1}, roots=500_000)
    a, b = wait_of_erlang(3.125, 4) / 0.8, wait_of_erlang(2.5 / 3.0, 1) / 3.0
    assert covers(answer.operators[0], a)
    assert covers(answer.operators[1], b)
    assert [one.visits for one in answer.operators] == pytest.approx([1.25, 1.25], rel=0.01)
    assert covers(answer.total, 1.25 * (a + 1.0 / 0.8 + b + 1.0 / 3.0))


@BOTH
def test_each_branch_of_a_split_is_a_queue_of_its_own(capacities: dict[str, int]):
    """What leaves M/M/1 is Poisson (Burke 1956), and so is what chance sends on each edge."""
    topology = Topology(
        (Operator("a"), Operator("b"), Operator("c")), (Edge("a", "b", 0.3), Edge("a", "c", 0.7))
    )
    rates = {"a": (0.7, 1.0), "b": (0.21, 0.3), "c": (0.49, 0.7)}
    load = Load(0.7, {name: OperatorLoad(mu, service_scv=1.0) for name, (_, mu) in rates.items()})
    answer = simulate(topology, load, dict.fromkeys("abc", 1), roots=500_000, capacities=capacities)
    for one in answer.operators:
        rate, mu = rates[one.name]
        assert covers(one, rate / mu / (mu - rate))


@BOTH
def test_a_fork_is_complete_when_its_slowest_branch_is(capacities: dict[str, int]):
    """Branches that never wait: E[max] of two exponentials of rates 1 and 2 is 1 + 1/2 − 1/3; E[T] adds them."""
    topology = Topology((Operator("a"), Operator("b"), Operator("c")), (Edge("a", "b"), Edge("a", "c")))
    load = Load(0.01, {"a": OperatorLoad(1e6), "b": OperatorLoad(1.0), "c": OperatorLoad(2.0)})
    answer = simulate(topology, load, dict.fromkeys("abc", 9), roots=500_000, capacities=capacities)
    assert covers(answer.completion, 1.0 + 0.5 - 1.0 / 3.0)
    assert covers(answer.total, 1.5)


@BOTH
def test_quantiles_of_an_exponential_sojourn(capacities: dict[str, int]):
    """Under M/M/1 the sojourn is exponential with rate μ − λ."""
    answer = simulate_one(0.5, capacities=capacities, levels=(0.5, 0.9, 0.99), roots=400_000)
    for one, exact in zip(answer.total.quantiles, (1.3863, 4.6052, 9.2103), strict=True):
        assert one.seconds == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize("places", [0, 1, 4])
def test_a_full_queue_blocks_its_senders_after_service(places: int):
    """Two equal exponential servers with n places between them finish (n + 2)/(n + 3) at most (Hunt 1956)."""
    load = Load(9.0, {"a": OperatorLoad(1.0), "b": OperatorLoad(1.0)})
    answer = simulate(
        build_row(["shared"] * 2), load, {"a": 1, "b": 1}, roots=500_000, capacities={"b": places}
    )
    a, b = answer.operators
    assert b.utilisation == pytest.approx((places + 2) / (places + 3), rel=0.01)
    assert a.utilisation + a.blocked_share == pytest.approx(1.0, abs=0.01)
    assert b.blocked_share == 0.0


def test_roots_that_find_the_entry_full_wait_outside_in_order():
    """What waits outside for a place waits no longer than in a queue without bound."""
    answer = simulate_one(0.8, capacities={"a": 0})
    assert answer.total.mean_seconds == pytest.approx(1.0, rel=0.01)
    assert covers(answer.completion, 5.0)


@BOTH
def test_the_same_seed_gives_the_same_bits(capacities: dict[str, int]):
    topology, load, processors = build_mixed()
    one, same, other = (
        simulate(topology, load, processors, roots=5_000, seed=seed, capacities=capacities)
        for seed in (7, 7, 8)
    )
    assert one == same
    assert one != other


def test_a_log_tells_what_the_simulation_measures():
    topology, load, processors = build_mixed()
    answer = simulate(topology, load, processors, roots=5_000, warm_up_share=0.0)
    log = simulate_visits(topology, load, processors, roots=5_000)
    assert len(log.root) * 2 == answer.events
    assert (log.finished_seconds - log.arrived_seconds).sum() / 5_000 == pytest.approx(
        answer.total.mean_seconds
    )
    wait = (log.started_seconds - log.arrived_seconds)[log.operator == 3].mean()
    assert wait == pytest.approx(answer.operators[3].wait_seconds)


def test_events_are_counted_before_they_happen():
    topology, load, processors = build_mixed()
    expected = count_events(topology, 20_000)
    assert simulate(topology, load, processors, roots=20_000).events == pytest.approx(expected, rel=0.02)


def test_operators_that_cannot_keep_up_are_named():
    instances = (InstanceLoad("hot", 0.9), InstanceLoad("cold", 0.1))
    load = Load(1.5, {"a": OperatorLoad(1.0, instances=instances)})
    hot = simulate(build_one("keyed"), load, {"a": 2}, roots=100)
    calm = simulate(build_one("shared"), load, {"a": 2}, roots=100)
    assert [one.operators for one in hot.diagnostics if one.code == "unstable"] == [("a",)]
    assert "unstable" not in {one.code for one in calm.diagnostics}


def test_a_short_series_is_simulated_whole_and_said():
    answer = simulate_one(1.0, roots=1_000, arrivals=ArrivalLaw("series", counts=(30, 0, 20)))
    assert answer.roots == 50
    assert "series-shorter" in {one.code for one in answer.diagnostics}


def test_few_roots_have_no_interval():
    answer = simulate_one(0.5, roots=50)
    assert answer.total.half_width_seconds is None
    assert answer.operators[0].half_width_seconds is None
    assert simulate_one(0.5, roots=1).warm_up_roots == 0


def test_the_compiler_is_loaded_by_the_first_simulation_only():
    code = "import sys, planner.simulation.simulate; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
