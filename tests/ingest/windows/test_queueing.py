"""What is inferred of queueing: the right kind or what is likely, on logs of all kinds, and on logs that mislead."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from ingest.measuring.columns import sort_by
from ingest.measuring.pieces import Pieces, find_spots, join_pieces
from ingest.windows.queueing import (
    Dealt,
    choose_dealing,
    find_dealt,
    find_waits_beside_idle,
    guess_dealing,
    infer_queueing,
    judge_queueing,
)
from tests.ingest.in_memory import roll_up, run_stages, slice_windows
from tests.ingest.logs import make_events
from tests.ingest.queue_logs import SERVICE, QueueLog, simulate_queues

KINDS = ("shared", "round-robin", "random", "keyed")
OF_ITS_OWN = ("round-robin", "random", "keyed")
MINUTES = 600.0


def measure(log: QueueLog, window_seconds: int = 60, **asked: int) -> Pieces:
    found = run_stages([log.judge(**asked)], slice_windows(window_seconds))
    return join_pieces(found.pieces)


@cache
def make_busy(kind: str) -> QueueLog:
    return simulate_queues(kind, 4, 0.8)


@cache
def make_for_loss(kind: str, instances: int, utilisation: float) -> QueueLog:
    return simulate_queues(kind, instances, utilisation, count=12_000)


def infer(
    log: QueueLog, seconds: float = MINUTES, window_seconds: int = 60, **asked: int
) -> list[str | None]:
    """Of each operator the queueing that is sure; None where only a queue per instance is."""
    seen = infer_queueing(measure(log.stretch(seconds), window_seconds, **asked))
    assert all(one.is_sure or one.queueing in OF_ITS_OWN for one in seen)
    return [one.queueing if one.is_sure else None for one in seen]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("instances", "utilisation"), [(2, 0.8), (4, 0.6), (12, 0.9)])
def test_each_kind_is_told(kind: str, instances: int, utilisation: float):
    assert infer(simulate_queues(kind, instances, utilisation)) == [kind]


@pytest.mark.parametrize("kind", KINDS)
def test_the_evidence_is_said(kind: str):
    (seen,) = infer_queueing(measure(simulate_queues(kind, 4, 0.7).stretch(MINUTES)))
    assert (seen.topology, seen.operator) == ("t", "o")
    beside = float(seen.detail.split("%")[0])
    assert beside == 0 if kind == "shared" else beside > 20
    assert "times as much as with a random choice" in seen.detail


def test_many_sources_that_take_turns_on_their_own_are_in_turn():
    assert infer(simulate_queues("round-robin", 4, 0.8, upstream=8)) == ["round-robin"]
    assert infer(simulate_queues("round-robin", 16, 0.8, upstream=20)) == ["round-robin"]


MISLEADING: dict[str, dict[str, Any]] = {
    "equal services": {"shape": 0.0},
    "at one time": {"burst": 5},
    "many at one time": {"burst": 100},
    "nearly idle": {"utilisation": 0.03},
    "overloaded": {"utilisation": 1.3},
    "one more from the middle on": {"alive": [(0.0, range(3)), (0.5, range(4))]},
    "one more for the last tenth": {"alive": [(0.0, range(3)), (0.9, range(4))]},
    "one gone from the middle on": {"alive": [(0.0, range(4)), (0.5, range(3))]},
    "replaced one by one": {"alive": [(part / 8, range(part, part + 4)) for part in range(8)]},
    "short halts": {"halts": 0.001},
    "long halts": {"halts": 0.01},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", MISLEADING)
def test_a_misleading_log_is_read_right_or_not_at_all(how: str, kind: str):
    changes = {"utilisation": 0.8, "count": 12_000} | MISLEADING[how]
    log = simulate_queues(kind, 4, **changes)
    for seconds in (30.0, MINUTES):
        assert infer(log, seconds) in ([], [kind], [] if kind == "shared" else [None]), seconds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lost", [0.002, 0.01, 0.05, 0.5])
def test_lost_records_mislead_nobody(kind: str, lost: float):
    for instances, utilisation in ((2, 0.9), (16, 0.8)):
        log = make_for_loss(kind, instances, utilisation)
        kept = log.pick(np.random.default_rng(3).random(len(log.arrived)) >= lost)
        assert infer(kept) in ([], [kind], [] if kind == "shared" else [None])


def test_a_torn_log_is_read_up_to_its_end_and_from_where_it_goes_on():
    for kind in KINDS:
        log = make_busy(kind)
        torn = log.pick(np.r_[0:7_000, 11_000:20_000])
        assert infer(torn) in ([], [kind])


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_says_nothing(kind: str):
    log = make_busy(kind)
    assert infer(log.pick(slice(None, None, 3)), sample_every=3) == []
    assert infer(log.pick(slice(None, None, 3))) == [], "nor does one that does not say that it is one"


@pytest.mark.parametrize("kind", KINDS)
def test_one_instance_or_several_services_at_once_say_nothing(kind: str):
    log = make_busy(kind)
    alone, pairs = (QueueLog(log.arrived, log.started, log.finished, log.instance // n) for n in (4, 2))
    assert infer(alone) == []
    assert infer(pairs) == []


@pytest.mark.parametrize("kind", KINDS)
def test_coarse_clocks_and_services_longer_than_windows_mislead_nobody(kind: str):
    log = make_busy(kind)
    right: tuple[list[str | None], ...] = ([], [kind], [] if kind == "shared" else [None])
    assert infer(log, tick_ns=10**6) in right
    assert infer(log, tick_ns=10**8) in right
    assert infer(log, seconds=500 * 3600.0) in right


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_time_to_hand_over_is_no_queue_of_its_own(share: float):
    """A shared queue whose instances take a moment to take the next tuple."""
    log = simulate_queues("shared", 8, 0.8)
    moment = share * SERVICE * np.random.default_rng(2).random(len(log.arrived))
    free = np.zeros(8)
    started = np.zeros(len(log.arrived))
    for n, at in enumerate(log.arrived.tolist()):
        one = int(np.argmin(free))
        started[n] = max(at, free[one]) + moment[n]
        free[one] = started[n] + log.finished[n] - log.started[n]
        log.instance[n] = one
    late = QueueLog(log.arrived, started, started + log.finished - log.started, log.instance)
    assert infer(late) in ([], ["shared"])


def test_overload_beside_calm_does_not_look_like_a_shared_queue():
    """While all queues are full nobody waits beside an idle instance, whatever the queueing."""
    calm, full = (
        simulate_queues("random", 4, 0.5, count=12_000),
        simulate_queues("random", 4, 1.2, count=12_000),
    )
    later = calm.finished.max() + 1.0
    pairs = [(calm.arrived, full.arrived), (calm.started, full.started), (calm.finished, full.finished)]
    arrived, started, finished = (np.concatenate([one, other + later]) for one, other in pairs)
    joined = QueueLog(arrived, started, finished, np.concatenate([calm.instance, full.instance]))
    assert infer(joined) in ([None], ["random"])


def test_a_stored_window_says_how_many_waited_beside_an_idle_instance():
    log = simulate_queues("random", 4, 0.8, count=5_000).stretch(240.0)
    pieces = measure(log)
    spots = find_spots(sort_by(pieces.tables["operators"], "operator", "window"))
    shares = find_waits_beside_idle(pieces.tables["queues"], spots)
    assert len(shares) == 5
    assert ((shares[:4] > 0.2) & (shares[:4] < 0.8)).all()
    rows, _, _ = roll_up([make_events(200, seed=1)], slice_windows())
    assert {row["waits_beside_idle"] for row in rows.values()} == {None}, (
        "these waits have no cause in the log"
    )


GOOD = {
    "known": 9e3, "explained": 9e3, "waiting": 5e3, "waiting_explained": 5e3, "untied": 5e3, "beside_idle": 2e3,
    "expected": 2.1e3, "tied_beside_idle": 0.0, "tied_expected": 0.0, "halted_ns": 0.0, "length_ns": 1e9,
    "unevenness": 450.0, "freedom": 440.0,
}  # fmt: skip
EVEN = Dealt(1.0, 1.0, 1.01, 1.0, 30)


@pytest.mark.parametrize(
    "changed",
    [
        {"explained": 8e3},
        {"waiting_explained": 4.7e3},
        {"expected": 99.0},
        {"untied": 0.0, "beside_idle": 0.0},
        {"beside_idle": 100.0},
        {"beside_idle": 0.0, "unevenness": 10.0},
        {"halted_ns": 1e8},
    ],
    ids=str,
)
def test_weak_evidence_says_nothing(changed: dict[str, float]):
    judged = judge_queueing(GOOD, 4, EVEN)
    assert judged is not None
    assert judged[:2] == ("random", True)
    assert judge_queueing(GOOD | changed, 4, EVEN) is None


@pytest.mark.parametrize(
    ("scatter", "freedom", "dealt", "kind"),
    [
        (0.1, 100.0, EVEN, "round-robin"),
        (0.1, 20.0, EVEN, None),
        (0.1, 100.0, None, "round-robin"),
        (0.7, 1e4, EVEN, None),
        (1.0, 500.0, EVEN, "random"),
        (1.0, 100.0, EVEN, None),
        (1.0, 500.0, None, None),
        (1.6, 500.0, EVEN, None),
        (1.6, 500.0, Dealt(50.0, 1.2, 1.3, 6.0, 30), "keyed"),
        (1.6, 0.0, Dealt(50.0, 1.2, 1.3, 6.0, 30), "keyed"),
        (1.0, 500.0, Dealt(50.0, 40.0, 1.3, 45.0, 30), None),
        (5.0, 500.0, Dealt(172.0, 7.0, 1.11, 40.0, 25), "keyed"),  # four tuples and more of each root
        (1.0, 500.0, Dealt(50.0, 1.2, 1.01, 2.0, 30), "random"),
        (1.0, 0.0, EVEN, None),
        (1.0, 500.0, EVEN._replace(scatter=0.05), "round-robin"),
        (1.0, 500.0, EVEN._replace(scatter=0.3), None),
        (1.0, 500.0, EVEN._replace(freedom=9), None),
    ],
)
def test_how_tuples_are_dealt(scatter: float, freedom: float, dealt: Dealt | None, kind: str | None):
    assert choose_dealing(scatter, freedom, dealt) == kind


def test_shares_are_compared_over_windows_that_have_all_instances():
    counts = np.array([[30, 10], [60, 20], [90, 30], [5, 0]])
    windows, instances = np.nonzero(counts)
    table = {"window": windows, "instance": instances, "tuples": counts[windows, instances]}
    found = find_dealt(table)
    assert found is not None
    assert found == pytest.approx(Dealt((180 - 120) ** 2 / 120 * 2, 0.0, 1.5, (5 + 10 + 15) * 2 / 3, 3, 3))
    (one, most, least) = (
        find_dealt({name: column[chosen] for name, column in table.items()})
        for chosen in (windows < 1, windows > 0, windows > 1)
    )
    assert one == Dealt(10.0, 0.0, 1.5, 10.0, 1, 1)
    assert most is not None
    assert most.windows == 2
    assert choose_dealing(1.0, 500.0, most) is None, "two windows are not enough to be sure"
    assert least is not None
    assert find_dealt({name: column[windows > 2] for name, column in table.items()}) is None


def test_shares_of_windows_that_lack_an_instance_do_not_count():
    table = {
        "window": np.array([0, 0, 1, 2]),
        "instance": np.array([0, 1, 0, 0]),
        "tuples": np.array([9, 8, 9, 9]),
    }
    assert find_dealt(table) is None


@pytest.mark.parametrize(
    ("scatter", "freedom", "dealt", "kind"),
    [
        (0.1, 20.0, EVEN, "round-robin"),
        (0.1, 4.0, None, "random"),
        (0.7, 1e4, EVEN, "random"),
        (1.0, 100.0, None, "random"),
        (1.1, 100.0, None, "random"),
        (1.6, 100.0, None, "keyed"),
        (1.0, 0.0, None, "random"),
        (1.0, 500.0, EVEN._replace(scatter=0.3), "round-robin"),  # many senders, each in turn
        (1.0, 500.0, EVEN._replace(scatter=0.3, freedom=9), "random"),
        (1.0, 100.0, EVEN._replace(unevenness=6.0, largest=1.1, windows=1), "keyed"),
        (1.0, 100.0, EVEN._replace(unevenness=6.0, largest=1.02), "random"),
        (1.0, 500.0, Dealt(50.0, 40.0, 1.3, 45.0, 30), "keyed"),
    ],
)
def test_what_is_likely_where_the_kind_is_not_sure(
    scatter: float, freedom: float, dealt: Dealt | None, kind: str
):
    assert choose_dealing(scatter, freedom, dealt) is None or freedom == 20.0
    assert guess_dealing(scatter, freedom, dealt) == kind


def test_tuples_that_arrive_at_one_time_show_queues_of_their_own_but_never_one_for_all():
    tied = GOOD | {"untied": 0.0, "beside_idle": 0.0, "expected": 0.0}
    assert judge_queueing(tied | {"tied_expected": 2e3}, 4, EVEN) is None
    assert judge_queueing(tied | {"tied_expected": 2e3, "tied_beside_idle": 900.0}, 4, EVEN) is None
    judged = judge_queueing(tied | {"tied_expected": 2e3, "tied_beside_idle": 1_100.0}, 4, EVEN)
    assert judged is not None
    assert judged[:2] == ("random", True)
    assert "22.0% of 5,000 waiting tuples" in judged[2]
