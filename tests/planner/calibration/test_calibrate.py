"""The factors of all operators of a topology."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.calibration.calibrate import WaitCalibration, apply_factors, calibrate
from planner.calibration.modelled_waits import Interval
from planner.situations.situation import estimate
from planner.values import Edge, Load, Operator, OperatorLoad, Topology

PAIR = Topology((Operator("parse"), Operator("score")), (Edge("parse", "score"),))
MODEL = "ggk-whitt"


def observe(
    rate: float,
    counts: Sequence[int],
    factors: Sequence[float | None] = (1.0, 1.0),
    total: float | None = None,
) -> Load:
    """A load whose measured waits are those of an estimate, times the factors."""
    rates = {"parse": 20.0, "score": 25.0}
    bare = Load(
        rate,
        {name: OperatorLoad(mu, processors=k) for (name, mu), k in zip(rates.items(), counts, strict=True)},
    )
    modelled = estimate(PAIR, bare, model=MODEL).operators
    operators = {
        one.name: bare.operators[one.name]._replace(
            measured_wait_seconds=None
            if factor is None or one.wait_seconds is None
            else factor * one.wait_seconds
        )
        for one, factor in zip(modelled, factors, strict=True)
    }
    return Load(rate, operators, total)


def calibrate_loads(loads: Sequence[Load], seconds: float | None = 1e9) -> tuple[WaitCalibration, ...]:
    return calibrate(PAIR, loads[-1], [Interval(one, seconds=seconds) for one in loads], MODEL)


@given(st.floats(0.2, 7.0), st.floats(0.2, 7.0))
def test_the_factors_that_made_the_measurements_come_back(first: float, second: float):
    """At other loads and processors too, since each interval counts for its own."""
    found = calibrate_loads([observe(90.0, (6, 5), (first, second)), observe(70.0, (4, 3), (first, second))])
    assert [one.factor for one in found] == pytest.approx([first, second], rel=1e-3)
    assert [(one.intervals, one.first, one.last, one.gap) for one in found] == [(2, 0, 1, None)] * 2


@given(
    st.lists(
        st.tuples(st.floats(0.0, 20.0), st.sampled_from([(6, 5), (5, 4), (9, 9)])), min_size=1, max_size=4
    ),
    st.integers(0, 3),
    st.floats(0.0, 5.0),
    st.sampled_from([60.0, None, 1e4]),
)
def test_raising_any_measured_wait_never_lowers_its_operators_factor(
    seen: list[tuple[float, tuple[int, int]]], place: int, by: float, seconds: float | None
):
    loads = [observe(80.0, counts, (factor, 1.0)) for factor, counts in seen]
    place %= len(loads)
    longer = list(loads)
    parse = loads[place].operators["parse"]
    raised = parse._replace(measured_wait_seconds=(parse.measured_wait_seconds or 0.0) + by)
    longer[place] = replace(loads[place], operators={**loads[place].operators, "parse": raised})
    before, after = calibrate_loads(loads, seconds), calibrate_loads(longer, seconds)
    assert (after[0].factor or 0.0) >= (before[0].factor or 0.0) * (1.0 - 1e-12)
    assert (after[0].intervals, after[1]) == (before[0].intervals, before[1])


def test_dates_are_those_of_the_intervals_used():
    loads = [
        observe(90.0, (6, 5), (1.0, None)),
        observe(90.0, (6, 5)),
        observe(150.0, (6, 5)),  # cannot keep up
        observe(90.0, (6, 5)),
        observe(10.0, (6, 5)),  # hardly waits
    ]
    parse, score = calibrate_loads(loads)
    assert (parse.intervals, parse.first, parse.last) == (3, 0, 3)
    assert (score.intervals, score.first, score.last) == (2, 1, 3)


def test_why_there_is_no_factor():
    calm = calibrate_loads([observe(10.0, (6, 5))])
    assert [one.gap for one in calm] == ["hardly-any-wait"] * 2
    silent = calibrate_loads([observe(90.0, (6, 5), (None, None), total=5.0)])
    assert [(one.gap, one.factor) for one in silent] == [("not-measured", None)] * 2


def test_operators_without_a_measured_wait_share_what_the_total_leaves():
    load = observe(90.0, (6, 4), (1.5, None))
    _, score = estimate(PAIR, load, model=MODEL).operators
    known = load.operators["parse"].measured_wait_seconds or 0.0
    total = 1.0 / 20.0 + 1.0 / 25.0 + known + 2.5 * (score.wait_seconds or 0.0)
    parse, rest = calibrate_loads([replace(load, measured_sojourn_seconds=total)])
    assert [one.factor for one in (parse, rest)] == pytest.approx([1.5, 2.5], rel=1e-3)
    assert [one.is_of_total for one in (parse, rest)] == [False, True]
    assert rest.operator == "score"


def test_factors_go_into_the_load():
    load = observe(90.0, (6, 5), (2.0, None))
    calibrated = apply_factors(load, calibrate_loads([load]))
    assert calibrated.operators["parse"].wait_factor == pytest.approx(2.0, rel=1e-3)
    assert calibrated.operators["score"] == load.operators["score"]
    assert apply_factors(load, [WaitCalibration("parse", gap="unstable")]) is load
