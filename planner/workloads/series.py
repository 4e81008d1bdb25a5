"""Which rate had each step of a measured workload? Missing steps are filled in, suspicious steps are reported.

Errors of forecasts, as in planner.errors:

ForecastError              a forecast or a schedule of VMs cannot be made
├── InvalidForecastArgument
│   ├── InvalidWorkload    times or rates that are no time series
│   └── InvalidSchedule    interval, start-up, horizon or VM bounds that contradict each other
├── WorkloadTooShort       fewer steps than the forecast's window
├── WorkloadTooSparse      too many of the steps are missing
├── ConstantWorkload       a series without variation: a stuck sensor gives no forecast
└── planner.vms.timing     errors of throughput samples, QoS targets and policies
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Floats
from planner.errors import PlannerError
from planner.values import Diagnostic
from planner.wording import join_names, write_counted, write_number, write_seconds

Steps = NDArray[np.intp]

MOST_MISSING = 0.5
MOST_STEPS = 1_000_000
# A drop-out lies below both its neighbours by more than a tenth, and by more than four times the usual change of that
# hour: on the World Cup week of Imai et al. these are the 29 minutes that its source does not have.
DROP_OUT_CHANGES, DROP_OUT_DEPTH, DROP_OUT_HOUR = 4.0, 0.1, 30
SHOWN = 5
FARTHEST = 6e10
"""Seconds since 1970, before or after which times are written as numbers: about 1,900 years."""


class ForecastError(PlannerError):
    """A forecast or a schedule of VMs cannot be made."""


class InvalidForecastArgument(ForecastError):
    """A forecast was asked for with a value that no forecast can be made from.

    `pointer` is the JSON pointer of the part of the request to change.
    """

    detail: str
    pointer: str = ""


class InvalidWorkload(InvalidForecastArgument):
    """The times or rates of a workload do not make a time series."""


class WorkloadTooShort(ForecastError):
    """The series of rates is shorter than the window that the forecast is fitted on."""

    steps: int
    needed: int

    def __str__(self) -> str:
        return (
            f"A forecast needs the rates of at least {write_counted(self.needed, 'interval')}, and {self.steps:,} "
            f"{'is' if self.steps == 1 else 'are'} known: send more."
        )


class WorkloadTooSparse(ForecastError):
    """So many steps of a workload were not measured that most of its series would be filled in."""

    missing_steps: int
    steps: int
    allowed_share: float

    def __str__(self) -> str:
        are_missing = "step is missing" if self.steps == 1 else "steps are missing"
        return (
            f"{self.missing_steps:,} of the workload's {self.steps:,} {are_missing}; at most "
            f"{self.allowed_share:.0%} may be: send a fuller series, or a longer step."
        )


class ConstantWorkload(ForecastError):
    """All measured rates of a workload are equal to the last digit, so no model can be fitted."""

    rate: float
    steps: int

    text = (
        "All {self.steps} rates are exactly {self.rate:.6g}, so nothing can be learned from how they vary (is the "
        "sensor stuck?): send a measured series, or choose a policy without a forecast, such as mst+ua."
    )


class InvalidSchedule(InvalidForecastArgument):
    """The terms of a schedule of VMs contradict each other, such as an interval shorter than the start of a VM."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The mean rate of one step, which begins at `at_seconds` since the epoch; a rate of None was not measured."""

    at_seconds: float
    rate: float | None


@dataclass(frozen=True, slots=True)
class Workload:
    """A series of rates, one for each step from `start_seconds` on, and which steps were filled in or look wrong."""

    start_seconds: float
    step_seconds: float
    rates: tuple[float, ...]
    filled_steps: tuple[int, ...]
    drop_outs: tuple[int, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def series(self) -> Floats:
        """The rates of the workload as an array."""
        return np.array(self.rates)

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Whether each step was measured, and not filled in."""
        return np.isin(np.arange(len(self.rates)), self.filled_steps, invert=True)

    @property
    def day_steps(self) -> int:
        """The number of steps that a day has in this workload."""
        return count_day_steps(self.step_seconds)

    @property
    def end_seconds(self) -> float:
        """The time at which the last step of the workload ends, in seconds since the epoch."""
        return self.start_seconds + self.step_seconds * len(self.rates)


def take_newest(workload: Workload, steps: int) -> Workload:
    """Returns the newest `steps` steps of a workload."""
    return take_steps(workload, max(len(workload.rates) - steps, 0), len(workload.rates))


def take_steps(workload: Workload, first: int, end: int) -> Workload:
    """Returns the steps from `first` to `end` − 1 of a workload."""
    known = workload.filled_steps, workload.drop_outs
    filled, drops = (tuple(step - first for step in steps if first <= step < end) for steps in known)
    start, rates = workload.start_seconds + first * workload.step_seconds, workload.rates[first:end]
    return replace(workload, start_seconds=start, rates=rates, filled_steps=filled, drop_outs=drops)


def count_day_steps(step_seconds: float) -> int:
    """Returns how many steps of `step_seconds` a day has, at least 1."""
    return max(round(86400.0 / step_seconds), 1)


def regularise_workload(measurements: Sequence[Measurement], step_seconds: float | None = None) -> Workload:
    """Returns the measurements as a series with one rate for each step; straight lines fill the gaps.

    If `step_seconds` is None, the step is the median time between two measurements.
    """
    needed = 2 if step_seconds is None else 1
    if len(measurements) < needed:
        raise WorkloadTooShort(len(measurements), needed)
    times = np.array([measurement.at_seconds for measurement in measurements], dtype=float)
    rates = np.array([np.nan if m.rate is None else m.rate for m in measurements], dtype=float)
    _check_times(times)
    _check_rates(rates)
    step = float(np.median(np.diff(times))) if step_seconds is None else step_seconds
    places = _place(times, step)
    series = np.full(int(places[-1]) + 1, np.nan)
    series[places] = rates
    missing = np.flatnonzero(np.isnan(series))
    if len(missing) > MOST_MISSING * len(series):
        raise WorkloadTooSparse(len(missing), len(series), MOST_MISSING)
    known = np.flatnonzero(~np.isnan(series))
    filled = np.interp(np.arange(len(series)), known, series[known])
    drops = find_drop_outs(filled)
    return Workload(
        float(times[0]),
        step,
        tuple(map(float, filled)),
        tuple(map(int, missing)),
        tuple(map(int, drops)),
        _describe(missing, drops, float(times[0]), step, len(series)),
    )


def check_forecastable(rates: Floats, needed: int) -> None:
    """Raises WorkloadTooShort if there are fewer than `needed` rates, and ConstantWorkload if all rates are equal."""
    if len(rates) < needed:
        raise WorkloadTooShort(len(rates), needed)
    if np.ptp(rates) == 0.0:
        raise ConstantWorkload(float(rates[0]), len(rates))


def find_drop_outs(rates: Floats) -> Steps:
    """Returns the single steps whose rate is far below the rates of both neighbours, as if a measurement had failed."""
    if len(rates) < 3:
        return np.zeros(0, dtype=np.intp)
    logs = np.log(np.maximum(rates, 1e-300))
    depths = np.minimum(logs[:-2], logs[2:]) - logs[1:-1]
    deep: Steps = np.flatnonzero(depths > DROP_OUT_DEPTH)
    if not len(deep):
        return deep
    changes = np.abs(np.diff(logs, prepend=logs[0]))
    padded = np.pad(changes, DROP_OUT_HOUR, mode="reflect" if len(changes) > DROP_OUT_HOUR else "edge")
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * DROP_OUT_HOUR + 1)
    usual = np.median(around[deep + 1], axis=1)
    # Where the neighbours themselves differ by more, the level has changed.
    enough = np.maximum(np.abs(logs[deep] - logs[deep + 2]), DROP_OUT_CHANGES * usual)
    lost: Steps = deep[depths[deep] > enough] + 1
    return lost


def _check_times(times: Floats) -> None:
    if not np.isfinite(times).all():
        position = int(np.flatnonzero(~np.isfinite(times))[0])
        raise InvalidWorkload("A time is not a number.", f"/workload/{position}/at")
    wrong = np.flatnonzero(np.diff(times) <= 0.0)
    if len(wrong):
        position = int(wrong[0]) + 1
        what = "the same as" if times[position] == times[position - 1] else "before"
        raise InvalidWorkload(
            f"The time of rate {position} is {what} that of rate {position - 1}: send each time once, oldest first.",
            f"/workload/{position}/at",
        )


def _check_rates(rates: Floats) -> None:
    wrong = np.flatnonzero((rates < 0.0) | np.isinf(rates))
    if len(wrong):
        position = int(wrong[0])
        raise InvalidWorkload(
            f"Rate {position} is {rates[position]:.6g}: a rate is a number of at least 0, or null where it is missing.",
            f"/workload/{position}/rate",
        )


def _place(times: Floats, step: float) -> Steps:
    if not (np.isfinite(step) and step > 0.0):
        raise InvalidWorkload(f"The step is {step:.6g} s: give a step above 0 s.", "/step_seconds")
    places = np.rint((times - times[0]) / step)
    if places[-1] >= MOST_STEPS:
        raise InvalidWorkload(
            f"The workload spans {places[-1] + 1:,.0f} steps of {write_seconds(step)}; {MOST_STEPS:,} are the most: "
            "send a shorter span or a longer step.",
            "/workload",
        )
    shared = np.flatnonzero(np.diff(places) == 0)
    if len(shared):
        position = int(shared[0]) + 1
        raise InvalidWorkload(
            f"Rates {position - 1} and {position} fall into the same step of {write_seconds(step)}: average them, or "
            "send step_seconds.",
            f"/workload/{position}/at",
        )
    return np.asarray(places, dtype=np.intp)


def _describe(missing: Steps, drops: Steps, start: float, step: float, steps: int) -> tuple[Diagnostic, ...]:
    found = []
    if len(missing):
        spans = [
            f"from {write_moment(start + step * one[0])} to {write_moment(start + step * (one[-1] + 1))}"
            for one in np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1)
        ]
        detail = (
            f"{len(missing):,} of the {steps:,} rates were not measured: {join_names(spans, SHOWN)} (UTC)."
        )
        found.append(Diagnostic("workload-gaps", f"{detail} They are filled in by straight lines."))
    if len(drops):
        counted = write_counted(len(drops), "single rate")
        times = join_names([write_moment(start + step * one) for one in drops.tolist()], SHOWN)
        detail = (
            f"{counted} far below the rates before and after, as after a failed measurement: {times} (UTC)."
        )
        found.append(Diagnostic("workload-drop-outs", f"{detail} The forecast uses what was measured."))
    return tuple(found)


def write_moment(epoch_seconds: float) -> str:
    """Returns a time in UTC, `2026-11-18 00:05`, with seconds where they are not 0."""
    if abs(epoch_seconds) > FARTHEST:
        return f"{write_number(epoch_seconds)} s after 1970"
    return str(np.datetime64(round(epoch_seconds), "s")).replace("T", " ").removesuffix(":00")


class Window(NamedTuple):
    """A coming interval, from `first` to `last` steps after the last known step."""

    first: int
    last: int

    @property
    def steps(self) -> int:
        """The number of steps in the window."""
        return self.last - self.first + 1
