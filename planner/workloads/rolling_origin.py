"""Forecasts made again as of past moments, and judged by what came: the accuracy of each lead.

At an origin t the steps 0 .. t−1 are known, as if the forecast had been asked for then. An origin follows a measured
step, so that no known step was filled in from later ones. Only measured steps judge. Two forecasts are judged: the band
of one step (planner.workloads.step_bands), and the highest rate of the next steps (planner.workloads.rate_ahead), which
decisions use.
"""

from dataclasses import dataclass

from planner.values import Diagnostic
from planner.workloads.errors import ForecastError, WorkloadTooShort
from planner.workloads.known_rates import KnownRates
from planner.workloads.lead_accuracy import JudgedForecast, LeadAccuracy, judge_lead
from planner.workloads.rate_ahead import look_ahead
from planner.workloads.series import Workload
from planner.workloads.step_bands import forecast_bands
from planner.workloads.upper_rate import FEWEST_INTERVALS

Judged = dict[int, list[JudgedForecast]]
"""The judged forecasts of each lead."""


@dataclass(frozen=True, slots=True)
class RollingTerms:
    """The leads to judge, how many origins at most, and the probabilities of the band and of the highest rate."""

    leads: tuple[int, ...]
    origins: int
    level: float
    quantile: float


@dataclass(frozen=True, slots=True)
class RollingAccuracy:
    """By lead: how true the band of each step was, and the highest rate; an origin is the number of known steps."""

    origins: tuple[int, ...]
    rates: tuple[LeadAccuracy, ...]
    peaks: tuple[LeadAccuracy, ...]
    diagnostics: tuple[Diagnostic, ...]


def judge_forecasts(workload: Workload, terms: RollingTerms) -> RollingAccuracy:
    """The accuracy of the forecasts that would have been made in the last day of the workload."""
    origins = choose_origins(workload, terms)
    history = KnownRates(workload)
    rates: Judged = {lead: [] for lead in terms.leads}
    peaks: Judged = {lead: [] for lead in terms.leads}
    for origin in origins:
        judge_rates(history, origin, terms, rates)
        judge_peaks(history, origin, terms, peaks)
    return RollingAccuracy(
        tuple(origins),
        tuple(judge_lead(lead, found) for lead, found in rates.items()),
        tuple(judge_lead(lead, found) for lead, found in peaks.items()),
        workload.diagnostics,
    )


def choose_origins(workload: Workload, terms: RollingTerms) -> list[int]:
    """At most so many origins, evenly spread over the last day, ascending; WorkloadTooShort where there is none."""
    count, needed = len(workload.rates), FEWEST_INTERVALS
    if count <= needed:
        raise WorkloadTooShort(count, needed + 1)
    first = max(needed, count - workload.day_steps)
    every = -(-(count - first) // terms.origins)
    filled = set(workload.filled_steps)
    return [origin for origin in range(count - 1, first - 1, -every) if origin - 1 not in filled][::-1]


def judge_rates(history: KnownRates, origin: int, terms: RollingTerms, judged: Judged) -> None:
    """Adds the bands of the leads whose step was measured."""
    leads = [lead for lead in terms.leads if history.is_measured(origin + lead - 1, origin + lead)]
    try:
        found = forecast_bands(history.known_at(origin), history.step_seconds, leads, terms.level)
    except ForecastError:
        return
    for band in found.bands:
        came = history.rates[origin + band.steps - 1]
        is_covered = band.lower <= came <= band.upper
        judged[band.steps].append(JudgedForecast(origin, band.expected, came, is_covered))


def judge_peaks(history: KnownRates, origin: int, terms: RollingTerms, judged: Judged) -> None:
    """Adds the highest rates of the leads of which every step was measured."""
    known = history.known_at(origin)
    for lead in terms.leads:
        if not history.is_measured(origin, origin + lead):
            continue
        try:
            ahead = look_ahead(known, history.step_seconds, lead, terms.quantile)
        except ForecastError:
            continue
        if ahead.steps == lead:
            came = max(history.rates[origin : origin + lead])
            is_covered = came <= ahead.upper_rate
            judged[lead].append(JudgedForecast(origin, ahead.expected_rate, came, is_covered))
