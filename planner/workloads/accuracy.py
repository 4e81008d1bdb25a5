"""How accurate are the forecasts of a workload? They are repeated for past moments and compared with measured rates.

The origin of a forecast is the number of known steps: a forecast of origin t knows the steps 0 .. t−1. Its lead is the
number of steps that it looks ahead. An origin always follows a measured step, because a step that was filled in would
depend on later steps. Two forecasts of planner.workloads.weighed_forecast are judged for each lead: the band of one
step, and the highest rate of the next steps, as a decision would have forecast it.

    mean_error = Σ (expected − came) / Σ came,   absolute_error = Σ |expected − came| / Σ came

with `expected` the forecast rates and `came` the measured ones. The coverage p is the part of the forecasts whose band
contains the measured rate. Its bounds are the 95% interval of Wilson (1927),

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n),   z = 1.96

with n the number of judged forecasts whose origins are at least a lead apart. Forecasts closer together look at the
same steps, so their errors are not independent.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, fsum, sqrt

from planner.values import Diagnostic
from planner.workloads.line_forecasts import take_known
from planner.workloads.rates_ahead import FEWEST_INTERVALS
from planner.workloads.series import ForecastError, Workload, WorkloadTooShort, take_steps
from planner.workloads.weighed_forecast import LOOKED_BACK, HighestAhead, forecast_near

Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class JudgedForecast:
    """A forecast beside the rate that was measured later (`came`); `is_covered`: the forecast band
    contains this rate.
    """

    origin: int
    expected: float
    came: float
    is_covered: bool


@dataclass(frozen=True, slots=True)
class LeadAccuracy:
    """The accuracy of all forecasts that look `steps` ahead; shares and errors are None if no forecast was judged.

    `apart` counts the judged forecasts whose origins are at least `steps` apart.
    """

    steps: int
    judged: int
    apart: int
    mean_error: float | None
    absolute_error: float | None
    covered: int
    coverage: float | None
    least_coverage: float | None
    most_coverage: float | None


def judge_lead(steps: int, judged: Sequence[JudgedForecast]) -> LeadAccuracy:
    """The accuracy of the `judged` forecasts, which all look `steps` ahead and are sorted by origin, oldest first."""
    errors = [one.expected - one.came for one in judged]
    total = fsum(one.came for one in judged)
    covered = sum(one.is_covered for one in judged)
    apart = count_apart([one.origin for one in judged], steps)
    coverage = covered / len(judged) if judged else None
    least, most = (None, None) if coverage is None else bound_share(coverage, apart)
    return LeadAccuracy(
        steps,
        len(judged),
        apart,
        fsum(errors) / total if total > 0.0 else None,
        fsum(map(abs, errors)) / total if total > 0.0 else None,
        covered,
        coverage,
        least,
        most,
    )


def count_apart(origins: Sequence[int], steps: int) -> int:
    """How many origins can be chosen at most so that neighbours are at least `steps` apart; the origins ascend."""
    count, free_from = 0, None
    for origin in origins:
        if free_from is None or origin >= free_from:
            count, free_from = count + 1, origin + steps
    return count


def bound_share(share: float, count: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share that was counted among `count` independent cases (at least 1)."""
    middle = share + Z * Z / (2.0 * count)
    margin = Z * sqrt(share * (1.0 - share) / count + Z * Z / (4.0 * count * count))
    scale = 1.0 + Z * Z / count
    return max((middle - margin) / scale, 0.0), min((middle + margin) / scale, 1.0)


def falls_short(most_coverage: float | None, wanted: float) -> bool:
    """Whether the whole interval of a coverage is below what is wanted, compared in whole percent as people read it:
    94.7% is written as 95%, and is not below 95%.
    """
    return most_coverage is not None and floor(100.0 * most_coverage + 0.5) < floor(100.0 * wanted + 0.5)


Judged = dict[int, list[JudgedForecast]]
"""The judged forecasts of each lead."""


@dataclass(frozen=True, slots=True)
class RollingTerms:
    """The leads (numbers of steps ahead) to judge, and the largest number of origins to forecast from.

    `level` is the probability of the band, `quantile` is the probability of the upper bound of the highest rate.
    """

    leads: tuple[int, ...]
    origins: int
    level: float
    quantile: float


@dataclass(frozen=True, slots=True)
class RollingAccuracy:
    """The accuracy of forecasts for each lead: of the bands (`rates`) and of the highest rates (`peaks`)."""

    origins: tuple[int, ...]
    rates: tuple[LeadAccuracy, ...]
    peaks: tuple[LeadAccuracy, ...]
    diagnostics: tuple[Diagnostic, ...]


def judge_forecasts(workload: Workload, terms: RollingTerms) -> RollingAccuracy:
    """Returns the accuracy of the forecasts that would have been made at moments in the last day of the workload."""
    origins = choose_origins(workload, terms)
    rates: Judged = {lead: [] for lead in terms.leads}
    peaks: Judged = {lead: [] for lead in terms.leads}
    for origin in origins:
        judge_rates(workload, origin, terms, rates)
        judge_peaks(workload, origin, terms, peaks)
    return RollingAccuracy(
        tuple(origins),
        tuple(judge_lead(lead, found) for lead, found in rates.items()),
        tuple(judge_lead(lead, found) for lead, found in peaks.items()),
        workload.diagnostics,
    )


def choose_origins(workload: Workload, terms: RollingTerms) -> list[int]:
    """Returns at most `terms.origins` moments to forecast from, as numbers of known steps, spread over the last day.

    The moments ascend. Raises WorkloadTooShort if the workload has too few steps for one forecast.
    """
    count, needed = len(workload.rates), FEWEST_INTERVALS
    if count <= needed:
        raise WorkloadTooShort(count, needed + 1)
    first = max(needed, count - workload.day_steps)
    every = -(-(count - first) // terms.origins)
    filled = set(workload.filled_steps)
    return [origin for origin in range(count - 1, first - 1, -every) if origin - 1 not in filled][::-1]


def judge_rates(workload: Workload, origin: int, terms: RollingTerms, judged: Judged) -> None:
    """Forecasts bands of rates from the first `origin` steps, and adds each whose step was measured to `judged`."""
    try:
        found = forecast_near(take_steps(workload, 0, origin), max(terms.leads), terms.level)
    except ForecastError:
        return
    for lead in terms.leads:
        step = origin + lead - 1
        if lead <= len(found.expected) and is_measured(workload, step, step + 1):
            came = workload.rates[step]
            lower, expected, upper = (
                float(rates[lead - 1]) for rates in (found.lower, found.expected, found.upper)
            )
            judged[lead].append(JudgedForecast(origin, expected, came, lower <= came <= upper))


def judge_peaks(workload: Workload, origin: int, terms: RollingTerms, judged: Judged) -> None:
    """Forecasts highest rates from the first `origin` steps, and adds those whose steps were all measured to
    `judged`.
    """
    highest = HighestAhead(take_known(take_steps(workload, 0, origin), LOOKED_BACK))
    for lead in terms.leads:
        if not is_measured(workload, origin, origin + lead):
            continue
        try:
            ahead = highest.forecast(lead, terms.quantile)
        except ForecastError:
            continue
        if ahead.steps == lead:
            came = max(workload.rates[origin : origin + lead])
            is_covered = came <= ahead.upper_rate
            judged[lead].append(JudgedForecast(origin, ahead.expected_rate, came, is_covered))


def is_measured(workload: Workload, first: int, end: int) -> bool:
    """Whether all steps from `first` to `end` − 1 were measured, and not filled in."""
    after = bisect_left(workload.filled_steps, first)
    return end <= len(workload.rates) and (
        after == len(workload.filled_steps) or workload.filled_steps[after] >= end
    )
