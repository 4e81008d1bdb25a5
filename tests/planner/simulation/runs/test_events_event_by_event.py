"""Event by event: every moment of small cases by hand, full queues that wait in a circle, and the plain simulator."""

from random import Random

import numpy as np
import pytest

from planner.errors import SimulationStuck
from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.laws import ServiceLaw
from planner.simulation.results import VisitLog
from planner.simulation.simulate import simulate, simulate_visits
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.simulation.plain_events import run_plainly
from tests.planner.simulation.plain_laws import gamma, poisson
from tests.planner.simulation.systems import build_one, build_row, load_one

EVENLY = ArrivalLaw("deterministic")


def log_row(services: tuple[float, ...], capacities: dict[str, int], roots: int) -> VisitLog:
    """Operators in a row under a root each second, with services that always take the same time."""
    names = "abc"[: len(services)]
    laws = {name: ServiceLaw("deterministic", seconds) for name, seconds in zip(names, services, strict=True)}
    load = Load(1.0, {name: OperatorLoad(1.0) for name in names})
    return simulate_visits(
        *(build_row(["shared"] * len(services)), load, dict.fromkeys(names, 1)),
        roots=roots,
        arrivals=EVENLY,
        services=laws,
        capacities=capacities,
    )


def times_of(log: VisitLog, operator: int) -> list[list[float]]:
    """Arrival, start and finish of every visit."""
    columns = (log.arrived_seconds, log.started_seconds, log.finished_seconds)
    rows: list[list[float]] = np.round(
        np.column_stack([one[log.operator == operator] for one in columns]), 9
    ).tolist()
    return rows


def test_a_sender_keeps_its_tuple_until_there_is_a_place():
    """The second operator takes 3 s and has one place: from the third tuple on, the first operator is held up."""
    log = log_row((0.5, 3.0), {"b": 1}, 4)
    assert times_of(log, 0) == [[1.0, 1.0, 1.5], [2.0, 2.0, 2.5], [3.0, 3.0, 3.5], [4.0, 4.5, 5.0]]
    assert times_of(log, 1) == [[1.5, 1.5, 4.5], [2.5, 4.5, 7.5], [4.5, 7.5, 10.5], [7.5, 10.5, 13.5]]


def test_a_place_that_becomes_free_lets_everyone_upstream_go_on():
    """Without places a tuple moves only into an idle operator: all three are freed at one moment."""
    log = log_row((0.5, 0.5, 3.0), {"b": 0, "c": 0}, 4)
    assert times_of(log, 2) == [[2.0, 2.0, 5.0], [5.0, 5.0, 8.0], [8.0, 8.0, 11.0], [11.0, 11.0, 14.0]]
    assert times_of(log, 1) == [[1.5, 1.5, 2.0], [2.5, 2.5, 3.0], [5.0, 5.0, 5.5], [8.0, 8.0, 8.5]]
    assert times_of(log, 0) == [[1.0, 1.0, 1.5], [2.0, 2.0, 2.5], [3.0, 3.0, 3.5], [4.0, 5.0, 5.5]]


def test_roots_wait_outside_for_a_place_at_the_entry():
    log = log_row((3.0,), {"a": 1}, 4)
    assert times_of(log, 0) == [[1.0, 1.0, 4.0], [2.0, 4.0, 7.0], [4.0, 7.0, 10.0], [7.0, 10.0, 13.0]]
    assert log.root.tolist() == [0, 1, 2, 3]


def test_blocked_time_is_measured():
    """Of the 3 s from root to root at the end, the first operator works 0.5 s and is held up for 2.5 s."""
    load = Load(1.0, {"a": OperatorLoad(1.0), "b": OperatorLoad(1.0)})
    laws = {"a": ServiceLaw("deterministic", 0.5), "b": ServiceLaw("deterministic", 3.0)}
    answer = simulate(
        *(build_row(["shared"] * 2), load, {"a": 1, "b": 1}),
        roots=3_000,
        arrivals=EVENLY,
        services=laws,
        capacities={"b": 0},
    )
    a, b = answer.operators
    assert (a.utilisation, a.blocked_share) == pytest.approx((0.5 / 3.0, 2.5 / 3.0), rel=1e-3)
    assert (b.utilisation, b.blocked_share) == pytest.approx((1.0, 0.0), rel=1e-3)


def test_queues_that_wait_for_each_other_in_a_circle_are_named():
    edges = (Edge("a", "b"), Edge("b", "a", 0.6))
    topology = Topology(
        (Operator("a"), Operator("b"), Operator("c")), (*edges, Edge("b", "c")), (Entry("a"),)
    )
    load = Load(1.0, {name: OperatorLoad(3.0) for name in "abc"})
    with pytest.raises(SimulationStuck, match="Raise the capacities") as caught:
        simulate(topology, load, dict.fromkeys("abc", 1), roots=10_000, capacities={"a": 1, "b": 1, "c": 1})
    assert set(caught.value.operators) == {"a", "b"}
    with pytest.raises(SimulationStuck):
        simulate(build_one(loop=0.5), load_one(1.0, 3.0), {"a": 1}, roots=1_000, capacities={"a": 2})


@pytest.mark.parametrize("queueing", ["round-robin", "keyed"])
def test_a_loop_a_fork_and_full_queues_are_as_in_the_plain_simulator(queueing: str):
    """The plain one runs 20,000 roots: its totals scatter by 2%, its waits by 6% (three deviations are allowed)."""
    operators = tuple(Operator(name, queueing=queueing) for name in "abc")
    edges = (Edge("a", "b", 1.5), Edge("b", "c", 0.7), Edge("c", "b", 0.2))
    topology = Topology(operators, edges, (Entry("a"),))
    rates = {"a": 8.0, "b": 8.0, "c": 10.0}
    scvs = {"a": 0.5, "b": 1.0, "c": 2.0}
    processors, capacities = {"a": 2, "b": 4, "c": 2}, {"b": 2}
    load = Load(7.0, {name: OperatorLoad(rates[name], service_scv=scvs[name]) for name in rates})
    answer = simulate(topology, load, processors, roots=200_000, capacities=capacities)
    random = Random(9)
    services = {name: gamma(1.0 / rates[name], scvs[name]) for name in rates}
    roots, waits = run_plainly(
        topology, processors, poisson(7.0, random), services, random, roots=20_000, capacities=capacities
    )
    total = sum(root.total for root in roots) / len(roots)
    completion = sum(root.finished - root.arrived for root in roots) / len(roots)
    assert answer.total.mean_seconds == pytest.approx(total, rel=0.06)
    assert answer.completion.mean_seconds == pytest.approx(completion, rel=0.06)
    for one in answer.operators:
        assert one.wait_seconds == pytest.approx(sum(waits[one.name]) / len(waits[one.name]), rel=0.18)
        assert one.visits == pytest.approx(len(waits[one.name]) / len(roots), rel=0.02)
