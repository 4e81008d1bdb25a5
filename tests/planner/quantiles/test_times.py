"""Drawn times against exact distributions, and the laws that hold on one draw."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import findroot, mp, mpf
from scipy import stats

from planner.quantiles.times import find_quantiles, rank, time_roots
from planner.quantiles.waits import InstanceWaits, Wait
from planner.queueing.erlang import wait_seconds, waiting_probability
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.graphs import random_graphs
from tests.planner.plan_cases import draw_all

LEVELS = (0.5, 0.95, 0.99)
CLOSE = 0.02  # 100,000 roots: three standard errors of the 99% quantile of an exponential


def serve(**rates: float) -> dict[str, OperatorLoad]:
    return {name: OperatorLoad(rate) for name, rate in rates.items()}


def make(edges: dict[tuple[str, str], float], entries: dict[str, float], names: str) -> Topology:
    return Topology(
        tuple(Operator(name) for name in names),
        tuple(Edge(source, target, selectivity) for (source, target), selectivity in edges.items()),
        tuple(Entry(name, share) for name, share in entries.items()),
    )


def wait_mm(arrival: float, service: float, k: int) -> Wait:
    return Wait(wait_seconds(arrival, service, k, 1.0, 1.0, "mmk"), waiting_probability(arrival, service, k))


def check(found: np.ndarray, expected: list[float]) -> None:
    assert find_quantiles(found, LEVELS) == pytest.approx(expected, rel=CLOSE)


def test_one_server_with_exponential_services_has_an_exponential_sojourn():
    draw = draw_all(make({}, {"a": 1.0}, "a"), Load(8.0, serve(a=10.0)), 100_000, 1)
    times = time_roots(draw, [wait_mm(8.0, 10.0, 1)])
    check(times.total, [-log(1 - level) / 2.0 for level in LEVELS])
    assert np.array_equal(times.total, times.completion)


def test_several_servers():
    """P(T > t) of M/M/k in 30 digits: e^−μt + C·μ/(μ − δ)·(e^−δt − e^−μt), δ = kμ − λ."""
    arrival, service, k = mpf(35), mpf(10), 4
    with mp.workdps(30):
        load = arrival / service
        terms = [load**n / mp.factorial(n) for n in range(k)]
        last = load**k / mp.factorial(k) * k / (k - load)
        c, delta = last / (sum(terms) + last), k * service - arrival

        def tail(t: mpf) -> mpf:
            return mp.e ** (-service * t) + c * service / (service - delta) * (
                mp.e ** (-delta * t) - mp.e ** (-service * t)
            )

        expected = [float(findroot(lambda t, q=q: tail(t) - (1 - mpf(q)), mpf(0.3))) for q in LEVELS]
    draw = draw_all(make({}, {"a": 1.0}, "a"), Load(35.0, serve(a=10.0)), 100_000, 2)
    check(time_roots(draw, [wait_mm(35.0, 10.0, 4)]).total, expected)


def test_a_tandem_is_hypoexponential():
    topology = make({("a", "b"): 1.0}, {"a": 1.0}, "ab")
    draw = draw_all(topology, Load(8.0, serve(a=10.0, b=12.0)), 100_000, 3)
    times = time_roots(draw, [wait_mm(8.0, 10.0, 1), wait_mm(8.0, 12.0, 1)])

    grid = np.linspace(0.0, 10.0, 1_000_001)
    done = 1.0 - (2.0 * np.exp(-2.0 * grid) - np.exp(-4.0 * grid))  # rates 2 and 4
    check(times.completion, [float(grid[np.searchsorted(done, level)]) for level in LEVELS])
    assert times.total == pytest.approx(times.completion)


def test_a_fork_completes_with_the_later_branch():
    topology = make({}, {"a": 1.0, "b": 1.0}, "ab")
    draw = draw_all(topology, Load(8.0, serve(a=10.0, b=10.0)), 100_000, 4)
    times = time_roots(draw, [wait_mm(8.0, 10.0, 1)] * 2)
    check(times.completion, [-log(1.0 - level**0.5) / 2.0 for level in LEVELS])
    check(times.total, [float(stats.gamma.ppf(level, 2, scale=0.5)) for level in LEVELS])


def test_many_children_join_at_one_operator():
    """Three children each without waiting: the completion is the maximum of three services after one."""
    topology = make({("a", "b"): 3.0}, {"a": 1.0}, "ab")
    load = Load(1.0, {"a": OperatorLoad(10.0, service_scv=0.0), "b": OperatorLoad(10.0)})
    times = time_roots(draw_all(topology, load, 100_000, 5), [Wait(0.0, 0.0)] * 2)
    check(times.completion, [0.1 - log(1.0 - level ** (1 / 3)) / 10.0 for level in LEVELS])
    check(times.total, [0.1 + float(stats.gamma.ppf(level, 3, scale=0.1)) for level in LEVELS])


def test_a_loop_of_a_queue_with_one_server_is_exponential_again():
    """A geometric number of exponential sojourns."""
    topology = make({("a", "a"): 0.5}, {"a": 1.0}, "a")
    draw = draw_all(topology, Load(4.0, serve(a=10.0)), 100_000, 6)
    times = time_roots(draw, [wait_mm(8.0, 10.0, 1)])
    check(times.completion, [-log(1.0 - level) / (2.0 * 0.5) for level in LEVELS])


@pytest.mark.parametrize(("queueing", "together"), [(None, True), ("keyed", True), ("round-robin", False)])
def test_children_of_one_parent_wait_together_in_one_queue(queueing: str | None, *, together: bool):
    """Without service times to speak of, the completion of two children is one wait or the longer of two."""
    topology = Topology((Operator("a"), Operator("b", queueing=queueing)), (Edge("a", "b", 2.0),))
    load = Load(1.0, {"a": OperatorLoad(1e6), "b": OperatorLoad(1e6)})
    times = time_roots(draw_all(topology, load, 50_000, 9), [Wait(0.0, 0.0), Wait(1.0, 1.0)])
    check(times.completion, [-log(1.0 - level ** (1.0 if together else 0.5)) for level in LEVELS])
    assert np.mean(times.total) == pytest.approx(2.0, rel=0.02)


def test_all_tuples_of_a_root_find_one_instance_of_a_keyed_operator():
    topology = Topology((Operator("a", queueing="keyed"),), (Edge("a", "a", 0.5),), (Entry("a"),))
    load = Load(1.0, {"a": OperatorLoad(1e9)})
    hot = InstanceWaits.prepare(np.array([0.25, 0.75]), np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    times = time_roots(draw_all(topology, load, 20_000, 10), [hot])
    assert np.mean(times.total > 1e-6) == pytest.approx(0.25, abs=0.01)


def test_a_longer_loop_and_branches_of_parts_of_the_stream():
    """a → b → a with probability 1/2; b to the outside too. Visits are geometric: the sum of the two is checked."""
    topology = make({("a", "b"): 1.0, ("b", "a"): 0.5}, {"a": 1.0}, "ab")
    load = Load(1.0, {"a": OperatorLoad(10.0, service_scv=0.0), "b": OperatorLoad(20.0, service_scv=0.0)})
    times = time_roots(draw_all(topology, load, 100_000, 7), [Wait(0.0, 0.0)] * 2)
    rounds = times.completion / 0.15
    assert rounds == pytest.approx(np.round(rounds))
    for n in (1, 2, 3, 4):
        assert np.mean(np.round(rounds) == n) == pytest.approx(0.5**n, abs=0.005)


def test_a_share_of_one_and_a_half_enters_once_or_twice():
    times = time_roots(
        draw_all(make({}, {"a": 1.5}, "a"), Load(1.0, {"a": OperatorLoad(1.0, service_scv=0.0)}), 100_000, 8),
        [Wait(0.0, 0.0)],
    )
    assert set(times.total.tolist()) == {1.0, 2.0}
    assert np.mean(times.total) == pytest.approx(1.5, abs=0.005)
    assert np.all(times.completion == 1.0)


@settings(max_examples=40)
@given(random_graphs(st.integers(1, 6)), st.integers(0, 2**32), st.data())
def test_longer_waits_never_shorten_the_time_of_any_root(topology: Topology, seed: int, data: st.DataObject):
    names = [operator.name for operator in topology.operators]
    draw = draw_all(topology, Load(1.0, {name: OperatorLoad(1.0) for name in names}), 200, seed)
    probability, conditional = st.floats(0.0, 1.0), st.floats(0.0, 10.0)
    longer, shorter = [], []
    for _ in names:
        low, high = sorted([data.draw(probability), data.draw(probability)])
        short, long = sorted([data.draw(conditional), data.draw(conditional)])
        shorter.append(Wait(short * low, low))
        longer.append(Wait(long * high, high))
    before, after = time_roots(draw, shorter), time_roots(draw, longer)
    assert np.all(after.total >= before.total * (1.0 - 1e-12))
    assert np.all(after.completion >= before.completion * (1.0 - 1e-12))
    assert np.all(after.total >= after.completion * (1.0 - 1e-12))


@settings(max_examples=25)
@given(random_graphs(st.integers(1, 6)), st.integers(0, 2**32))
def test_the_mean_is_the_sum_of_visits_and_sojourns(topology: Topology, seed: int):
    """Σ vᵢ(Wᵢ + 1/μᵢ), tuple by tuple of the draw."""
    names = [operator.name for operator in topology.operators]
    draw = draw_all(
        topology, Load(1.0, {name: OperatorLoad(2.0, service_scv=0.0) for name in names}), 500, seed
    )
    visits = sum(len(block.services) for block in draw.blocks)
    times = time_roots(draw, [Wait(0.0, 0.0)] * len(names))
    assert np.sum(times.total) == pytest.approx(visits * 0.5)


def test_quantiles_are_the_least_times_within_which_enough_roots_are_done():
    seconds = np.arange(1.0, 101.0)[::-1]
    assert find_quantiles(seconds, [0.005, 0.01, 0.5, 0.99, 0.991, 0.9999]) == [
        1.0,
        1.0,
        50.0,
        99.0,
        100.0,
        100.0,
    ]
    assert rank(0.07, 100) == 7  # 0.07·100 is 7.000000000000001
