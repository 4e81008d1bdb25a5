"""The plain simulator means what queueing theory means: M/M/1, M/M/k, M/D/1, and queues so small that they block."""

from itertools import repeat
from math import exp
from random import Random

import pytest

from planner.values import Edge, Entry, Operator, Topology
from tests.planner.simulation.plain_events import run_plainly
from tests.planner.simulation.plain_laws import (
    Service,
    always,
    deterministic,
    gamma,
    lognormal,
    mmpp,
    poisson,
    series,
)

ONE = Topology((Operator("a"),), (), (Entry("a"),))


def wait_at_one(processors: int, rate: float, service: Service, seed: int) -> float:
    random = Random(seed)
    _, waits = run_plainly(
        ONE, {"a": processors}, poisson(rate, random), {"a": service}, random, roots=100_000
    )
    return sum(waits["a"]) / len(waits["a"])


@pytest.mark.parametrize(
    ("service", "scv"), [(gamma(0.1, 1.0), 1.0), (always(0.1), 0.0), (lognormal(0.1, 2.0), 2.0)]
)
def test_one_server_waits_as_pollaczek_and_khinchine_say(service: Service, scv: float):
    """W = ρ/(μ − λ)·(1 + s)/2."""
    assert wait_at_one(1, 7.0, service, 1) == pytest.approx(0.7 / 3.0 * (1.0 + scv) / 2.0, rel=0.05)


def test_three_servers_of_one_queue_wait_as_erlang_says():
    """C(3, 2) = 4/9, W = C/(3μ − λ)."""
    assert wait_at_one(3, 20.0, gamma(0.1, 1.0), 2) == pytest.approx(4.0 / 9.0 / 10.0, rel=0.05)


def test_a_loop_is_visited_as_often_as_its_gain_says():
    """Tuples come back with probability 0.2: 1.25 visits, and M/M/1 at 1.25 times the rate (Jackson)."""
    random, loop = Random(3), Topology((Operator("a"),), (Edge("a", "a", 0.2),), (Entry("a"),))
    roots, waits = run_plainly(
        loop, {"a": 1}, poisson(5.6, random), {"a": gamma(0.1, 1.0)}, random, roots=60_000
    )
    assert len(waits["a"]) / len(roots) == pytest.approx(1.25, rel=0.01)
    assert sum(root.total for root in roots) / len(roots) == pytest.approx(1.25 / 3.0, rel=0.05)


def test_forks_overlap_in_completion_and_add_up_in_total():
    fork = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 3.0),), (Entry("a"),))
    roots, _ = run_plainly(
        fork, {"a": 1, "b": 3}, deterministic(1.0), {"a": always(0.1), "b": always(0.2)}, Random(4), roots=5
    )
    assert [root.total for root in roots] == pytest.approx([0.7] * 5)
    assert [root.finished - root.arrived for root in roots] == pytest.approx([0.3] * 5)


def test_senders_deal_in_turn_and_keys_stay_where_they_are():
    """Ten children to one of five instances each, two at each; children of one root at one keyed instance."""
    expected = {"round-robin": 0.2, "keyed": 1.0}
    for queueing, seconds in expected.items():
        dealt = Topology(
            (Operator("a"), Operator("b", queueing=queueing)), (Edge("a", "b", 10.0),), (Entry("a"),)
        )
        services = {"a": always(0.0), "b": always(0.1)}
        roots, _ = run_plainly(dealt, {"a": 1, "b": 5}, deterministic(0.1), services, Random(5), roots=3)
        assert [root.finished - root.arrived for root in roots] == pytest.approx([seconds] * 3)


def test_a_full_queue_blocks_the_sender_and_the_outside():
    """b takes 1 s and holds one waiting tuple: a (0 s) holds the third one and serves no fourth."""
    row = Topology((Operator("a"), Operator("b")), (Edge("a", "b"),), (Entry("a"),))
    roots, waits = run_plainly(
        row,
        {"a": 1, "b": 1},
        repeat(0.0),
        {"a": always(0.0), "b": always(1.0)},
        Random(6),
        roots=6,
        capacities={"a": 1, "b": 1},
    )
    assert [root.finished for root in roots] == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert waits["b"] == pytest.approx([0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert waits["a"] == pytest.approx([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def test_bursts_take_their_share_of_the_time_and_leave_the_mean_rate():
    """A burst is followed by calm: I(t) for long t is 1 + 2·rate·cv²·relaxation time."""
    arrivals: list[float] = []
    random = Random(7)
    source = mmpp(10.0, 3.0, 0.2, 0.5, random)
    while not arrivals or arrivals[-1] < 20_000.0:
        arrivals.append(next(source))
    assert len(arrivals) / 20_000.0 == pytest.approx(10.0, rel=0.03)
    counts = [0] * 1000
    for moment in arrivals[:-1]:
        counts[int(moment / 20.0)] += 1
    mean = sum(counts) / 1000
    variance = sum((count - mean) ** 2 for count in counts) / 999
    relaxation = 0.4  # 1/(1/0.5 + 1/2)
    left = 1.0 - relaxation / 20.0 * (1.0 - exp(-20.0 / relaxation))
    assert variance / mean == pytest.approx(1.0 + 2.0 * 10.0 * relaxation * left, rel=0.15)  # cv² = 1


def test_a_series_has_as_many_roots_in_each_interval_as_counted():
    source = series([2, 0, 1], 10.0, Random(8))
    assert [int(next(source) // 10.0) for _ in range(6)] == [0, 0, 2, 3, 3, 5]
