"""A workload made regular: nothing invented, nothing silent."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.workloads.series import (
    ConstantWorkload,
    InvalidWorkload,
    Measurement,
    WorkloadTooShort,
    WorkloadTooSparse,
    check_forecastable,
    find_drop_outs,
    regularise_workload,
    take_newest,
)
from tests.planner.imai import worldcup_week


def measure(rates: list[float | None], step: float = 60.0) -> list[Measurement]:
    return [Measurement(1000.0 + position * step, rate) for position, rate in enumerate(rates)]


@given(rates=st.lists(st.floats(0.0, 1e9), min_size=2, max_size=50), step=st.floats(1.0, 3600.0))
def test_a_complete_series_stays_as_it_is(rates: list[float], step: float) -> None:
    workload = regularise_workload(measure([*rates], step))
    assert workload.rates == tuple(rates)
    assert workload.filled_steps == ()
    assert workload.end_seconds == pytest.approx(1000.0 + len(rates) * step)


@given(present=st.lists(st.booleans(), min_size=10, max_size=40))
def test_missing_steps_lie_on_the_line_between_their_neighbours_and_are_named(present: list[bool]) -> None:
    present = [True, *present, True]
    if sum(present) * 2 < len(present):
        return
    nulls = measure([5.0 * i if known else None for i, known in enumerate(present)])
    absent = [m for m in nulls if m.rate is not None]
    for measurements in (nulls, absent):
        workload = regularise_workload(measurements, 60.0)
        assert workload.rates == pytest.approx([5.0 * i for i in range(len(present))])
        assert workload.filled_steps == tuple(i for i, known in enumerate(present) if not known)
        assert ("workload-gaps" in {d.code for d in workload.diagnostics}) == (not all(present))


def test_the_worldcup_week_has_29_drop_outs_and_they_are_said() -> None:
    workload = regularise_workload(measure([*map(float, worldcup_week())]))
    assert len(workload.drop_outs) == 29
    assert any(d.code == "workload-drop-outs" and d.detail.startswith("29 ") for d in workload.diagnostics)
    assert workload.rates == tuple(worldcup_week())


def test_a_fall_that_lasts_is_no_drop_out() -> None:
    rates = np.concatenate((np.full(100, 50.0), np.full(100, 5.0))) + np.sin(np.arange(200.0))
    assert len(find_drop_outs(rates)) == 0
    rates[30] = 1.0
    assert find_drop_outs(rates).tolist() == [30]


@pytest.mark.parametrize(
    ("times", "rates", "pointer"),
    [
        ([0, 60, 60, 120], [1, 2, 3, 4], "/workload/2/at"),
        ([0, 120, 60, 180], [1, 2, 3, 4], "/workload/2/at"),
        ([0, 60, 120], [1, -2, 3], "/workload/1/rate"),
        ([0, 60, 120], [1, 2, np.inf], "/workload/2/rate"),
        ([0, 60, np.nan], [1, 2, 3], "/workload/2/at"),
        ([0, 60, 70, 120], [1, 2, 3, 4], "/workload/2/at"),
        ([0, 60, 1e9], [1, 2, 3], "/workload"),
    ],
)
def test_times_and_rates_that_cannot_be_are_pointed_at(
    times: list[float], rates: list[float], pointer: str
) -> None:
    with pytest.raises(InvalidWorkload) as problem:
        regularise_workload([Measurement(*pair) for pair in zip(times, rates, strict=True)], 60.0)
    assert problem.value.pointer == pointer


def test_a_series_of_gaps_is_refused() -> None:
    rates: list[float | None] = [1.0 if i % 100 == 0 else None for i in range(1000)]
    with pytest.raises(WorkloadTooSparse) as problem:
        regularise_workload(measure([*rates, 1.0]))
    assert problem.value.missing_steps == 990


def test_too_short_and_constant_series_say_what_is_needed() -> None:
    with pytest.raises(WorkloadTooShort, match="at least 100"):
        check_forecastable(np.arange(99.0), 100)
    with pytest.raises(ConstantWorkload, match="how they vary"):
        check_forecastable(np.ones(100), 100)
    for measurements, step in (([], 60.0), ([Measurement(0.0, 1.0)], None)):
        with pytest.raises(WorkloadTooShort):
            regularise_workload(measurements, step)
    assert regularise_workload([Measurement(0.0, 1.0)], 60.0).rates == (1.0,)


def test_gaps_and_drop_outs_are_said_by_their_time() -> None:
    rates: list[float | None] = [100.0 + place % 3 for place in range(60)]
    rates[10] = rates[11] = rates[40] = None
    rates[50] = 5.0
    start = 1_795_046_400.0
    minutes = [Measurement(start + 60.0 * place, rate) for place, rate in enumerate(rates)]
    gaps, drops = [one.detail for one in regularise_workload(minutes).diagnostics]
    assert gaps == (
        "3 of the 60 rates were not measured: from 2026-11-19 00:10 to 2026-11-19 00:12, from 2026-11-19 00:40 to "
        "2026-11-19 00:41 (UTC). They are filled in by straight lines."
    )
    assert drops == (
        "1 single rate far below the rates before and after, as after a failed measurement: 2026-11-19 00:50 (UTC). "
        "The forecast uses what was measured."
    )
    far = [replace(one, at_seconds=one.at_seconds + 1e12) for one in minutes]
    assert "from 1e+12 s after 1970 to" in regularise_workload(far).diagnostics[0].detail


def test_the_newest_steps_are_as_they_were() -> None:
    known = [Measurement(60.0 * step, None if step in {3, 8} else 5.0 + step) for step in range(12)]
    workload = regularise_workload(known)
    newest = take_newest(workload, 5)
    assert newest.rates == workload.rates[-5:]
    assert (newest.start_seconds, newest.end_seconds) == (420.0, workload.end_seconds)
    assert newest.filled_steps == (1,)
    assert take_newest(workload, 99) == workload
