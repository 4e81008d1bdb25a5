"""SCVs of services from waits, queues and E[T] of simulated intervals, whose laws of services no estimate sees."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest

from planner.calibration.estimated_scvs import estimate_scvs
from planner.calibration.modelled_waits import Interval
from planner.simulation.laws import ServiceLaw
from planner.simulation.simulate import simulate_visits
from planner.situations.situation import estimate
from planner.values import DEFAULT_MODEL, Edge, IdcPoint, Load, Operator, OperatorLoad, Topology

RATE, SECONDS, INTERVALS = 100.0, 10.0, 60
MEANS, COUNTS = {"parse": 0.028, "score": 0.048, "write": 0.015}, {"parse": 4, "score": 6, "write": 2}
LINE = Topology(
    tuple([Operator(name, queueing="round-robin") for name in MEANS]),
    (Edge("parse", "score"), Edge("score", "write")),
)
CALM = (IdcPoint(1.0, 1.0), IdcPoint(60.0, 1.0))
KINDS = ("waits", "queues", "total")
ALIKE = (0.0, 0.0, 0.0)


def measure(scvs: dict[str, float], kind: str) -> tuple[list[Interval], float]:
    """Intervals with the means of services and what `kind` says of waits, and the true E[T]."""
    laws = {
        name: ServiceLaw("lognormal" if scv else "deterministic", MEANS[name], scv)
        for name, scv in scvs.items()
    }
    bare = {name: OperatorLoad(1.0 / MEANS[name], RATE, processors=COUNTS[name]) for name in MEANS}
    roots = round(RATE * SECONDS * INTERVALS)
    log = simulate_visits(LINE, Load(RATE, bare), COUNTS, roots=roots, seed=5, services=laws)
    begun = log.arrived_seconds // SECONDS
    spent = log.finished_seconds - log.arrived_seconds
    found = []
    for place in range(1, INTERVALS - 1):
        end, operators = (place + 1) * SECONDS, {}
        for number, (name, one) in enumerate(bare.items()):
            here = log.operator == number
            waited = (log.started_seconds - log.arrived_seconds)[here & (begun == place)].mean()
            waiting = np.sum(here & (log.arrived_seconds <= end) & (log.started_seconds > end))
            operators[name] = one._replace(
                measured_wait_seconds=float(waited) if kind == "waits" else None,
                backlog_tuples=float(waiting) if kind == "queues" else None,
            )
        total = spent[begun == place].sum() / (RATE * SECONDS) if kind == "total" else None
        found.append(Interval(Load(RATE, operators, total), seconds=SECONDS))
    return found, float(spent.sum() / roots)


def learn(
    intervals: list[Interval], topology: Topology = LINE, queued: Collection[str] = tuple(MEANS)
) -> Load:
    """The newest load with the SCVs that the intervals tell, where counts showed independent arrivals."""
    load = replace(intervals[-1].load, external_idc=CALM)
    return estimate_scvs(topology, load, intervals, DEFAULT_MODEL, queued)


@pytest.mark.parametrize("scvs", [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (1.0, 4.0, 1.0), (4.0, 0.0, 1.0)])
@pytest.mark.parametrize("kind", KINDS)
def test_promises_come_nearer_to_the_truth(kind: str, scvs: tuple[float, float, float]):
    true = dict(zip(MEANS, scvs, strict=True))
    intervals, seconds = measure(true, kind)
    learned = learn(intervals)
    assumed = estimate(LINE, replace(learned, operators=intervals[-1].load.operators))
    answer = estimate(LINE, learned)
    before, after = (abs((one.expected_sojourn_seconds or 0.0) / seconds - 1.0) for one in (assumed, answer))
    assert after <= max(0.1, 0.5 * before)
    found = {name: one.scv_estimate for name, one in learned.operators.items() if one.scv_estimate}
    if kind != "total":
        assert all(one.low <= true[name] <= one.high for name, one in found.items())


def list_scvs(load: Load) -> list[float | None]:
    return [one.service_scv for one in load.operators.values()]


@pytest.fixture(scope="module")
def intervals() -> list[Interval]:
    """Intervals with queues of services that all take equally long."""
    return measure(dict(zip(MEANS, ALIKE, strict=True)), "queues")[0]


def test_an_estimate_says_where_it_is_from_and_nearly_nothing_moves_it_from_one(intervals: list[Interval]):
    found = learn(intervals)
    assert all(one.scv_estimate and "queues" in one.scv_estimate.source for one in found.operators.values())
    (said,) = [one for one in estimate(LINE, found).evidence.measured if "estimated" in one]  # type: ignore[union-attr]
    assert "parse 0.071 (95%: 0 to 0.47)" in said
    few = learn(intervals[-8:])
    assert all(
        (now.service_scv or 0.0) < (then.service_scv or 0.0) <= 1.0
        for now, then in zip(found.operators.values(), few.operators.values(), strict=True)
    )


def test_without_evidence_nothing_is_estimated(intervals: list[Interval]):
    newest = intervals[-1].load
    unknown = [None] * 3
    assert list_scvs(learn(intervals[-5:])) == unknown, "too few intervals"
    assert list_scvs(learn(intervals, queued=())) == unknown, "a lag is no queue"
    assert (
        list_scvs(
            learn(
                [Interval(replace(one.load, external_rate=2 * RATE)) for one in intervals[:-1]]
                + intervals[-1:]
            )
        )
        == unknown
    )
    assert list_scvs(estimate_scvs(LINE, newest, intervals, DEFAULT_MODEL, tuple(MEANS))) == unknown, (
        "arrivals unknown"
    )
    unsaid = Topology(tuple([one._replace(queueing=None) for one in LINE.operators]), LINE.edges)
    assert list_scvs(learn(intervals, unsaid)) == unknown, "queueing unknown"
    counted = replace(newest, external_idc=CALM)
    assert estimate_scvs(LINE, counted, intervals, "mmk", tuple(MEANS)) is counted


def test_the_queue_of_one_burst_tells_nothing_of_services(intervals: list[Interval]):
    stalled = {name: one._replace(backlog_tuples=60.0) for name, one in intervals[20].load.operators.items()}
    burst = Interval(replace(intervals[20].load, operators=stalled), seconds=SECONDS)
    before, after = learn(intervals), learn([*intervals[:20], burst, *intervals[21:]])
    assert list_scvs(after) == pytest.approx(list_scvs(before), abs=0.05)


def test_what_was_measured_stays(intervals: list[Interval]):
    known = {name: one._replace(service_scv=2.0) for name, one in intervals[-1].load.operators.items()}
    newest = Interval(replace(intervals[-1].load, operators=known), seconds=SECONDS)
    assert list_scvs(learn([*intervals[:-1], newest])) == [2.0] * 3
