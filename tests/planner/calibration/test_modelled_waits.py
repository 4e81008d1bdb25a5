"""Which intervals say something of an operator's wait."""

from dataclasses import replace
from typing import Any

import pytest

from planner.calibration.modelled_waits import Interval, model_intervals, see_wait
from planner.calibration.shrunk_ratio import UNKNOWN_NOISE, SeenWait
from planner.situations.situation import estimate
from planner.values import Edge, Load, Operator, OperatorLoad, Topology

PAIR = Topology((Operator("parse", queueing="shared"), Operator("score")), (Edge("parse", "score", 0.5),))
LOAD = Load(
    90.0,
    {
        "parse": OperatorLoad(20.0, processors=6, measured_wait_seconds=0.05),
        "score": OperatorLoad(25.0, processors=2, measured_wait_seconds=0.3),
    },
)


def change(operator: str, **fields: Any) -> Load:
    changed = {**LOAD.operators, operator: LOAD.operators[operator]._replace(**fields)}
    return replace(LOAD, operators=changed)


def see(load: Load, operator: int, seconds: float | None = 60.0, weight: float = 1.0) -> SeenWait | str:
    (modelled,) = model_intervals(PAIR, LOAD, [Interval(load, weight, seconds)], "ggk-whitt")
    return see_wait(modelled, operator)


def test_an_interval_is_modelled_at_its_own_load_and_processors():
    crowded = replace(change("score", processors=3), external_rate=100.0)
    expected = estimate(PAIR, crowded).operators
    for place, measured in ((0, 0.05), (1, 0.3)):
        seen = see(crowded, place, weight=0.5)
        assert isinstance(seen, SeenWait)
        assert (seen.measured_seconds, seen.modelled_seconds) == (measured, expected[place].wait_seconds)
        assert seen.tuples == pytest.approx(0.5 * 60.0 * expected[place].arrival_rate)


@pytest.mark.parametrize(
    ("fields", "gap"),
    [
        ({"measured_wait_seconds": None}, "not-measured"),
        ({"processors": None}, "processors-unknown"),
        ({"arrival_rate": 0.0}, "nothing-arrives"),
        ({"processors": 1}, "unstable"),
        ({"processors": 40}, "hardly-any-wait"),
        ({"arrival_scv": 0.0, "service_scv": 0.0}, "hardly-any-wait"),
    ],
)
def test_why_an_interval_says_nothing(fields: dict[str, float | None], gap: str):
    assert see(change("score", **fields), 1) == gap
    assert isinstance(see(change("score", **fields), 0), SeenWait)


def test_intervals_that_cannot_be_computed_with_are_left_out():
    broken = change("parse", service_rate=-1.0)
    idle = replace(LOAD, external_rate=0.0)
    found = model_intervals(PAIR, LOAD, [Interval(broken), Interval(idle), Interval(LOAD)], "ggk-whitt")
    assert [one.place for one in found] == [2]


def test_the_noise_is_that_of_the_tuples_seen():
    noises = [see(LOAD, 1, seconds) for seconds in (60.0, 6000.0)]
    few, many = (one.noise for one in noises if isinstance(one, SeenWait))
    assert few == pytest.approx(100.0 * many, rel=1e-9)
    unknown = see(LOAD, 1, None)
    assert isinstance(unknown, SeenWait)
    assert unknown.noise == UNKNOWN_NOISE


def test_only_as_many_intervals_as_are_looked_at_keep_their_places(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("planner.calibration.modelled_waits.MOST_CALIBRATING", 4)
    found = model_intervals(PAIR, LOAD, [Interval(LOAD)] * 5, "ggk-whitt")
    assert [one.place for one in found] == [3, 4]
