"""Between which bounds will the next rates lie, by all that is known of them? (by lines and seasons, then by ARMA)

The bands by lines and by seasons are each weighed by 1/(its loss on past rates)². So a forecast that was bad on these
rates counts little, and the mean is seldom much worse than the better one. The weights follow the steps ahead; beyond
the reach of lines there are only seasons. The steps beyond the reach of both are forecast by an ARMA model.

Decisions must be ready for the highest of the next rates. It is forecast in the same way: the quantiles by lines and by
seasons are each weighed by 1/(their loss on past rates)².
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.wording import write_counted, write_percent
from planner.workloads.count_bands import CountBands, describe_zeros, find_unit, forecast_counts
from planner.workloads.line_forecasts import HISTORY
from planner.workloads.rates_ahead import (
    FEWEST_INTERVALS,
    KnownHistory,
    RateAhead,
    forecast_highest,
    read_history,
)
from planner.workloads.season_bands import (
    FEWEST_STEPS,
    MOST_STEPS_KNOWN,
    SeasonBands,
    find_seasons,
    forecast_by_seasons,
)
from planner.workloads.series import Measurement, Workload, check_forecastable, take_newest
from planner.workloads.workload_forecast import (
    ARMA_WINDOW,
    WorkloadForecast,
    check_level,
    forecast_by_lines,
    forecast_workload,
)

TINY = 1e-140
SEASONS_LOSE = 0.7
"""Seasons lose this part of what they are judged by: quantiles of all errors, not of those at moments like now."""
LOOKED_BACK = 4_320
"""The newest intervals that a decision forecasts from by default: three days of minutes. More cost time, mostly of
replays, and are little better.
"""


def forecast_by_both(workload: Workload, steps: int, level: float) -> WorkloadForecast:
    """Returns the mean of the bands by lines and by seasons, each weighed by 1/(its loss on past rates)².

    Beyond the reach of both an ARMA model forecasts; on few rates there are lines alone. Raises WorkloadTooShort for
    few rates, and ConstantWorkload where all are equal.
    """
    check_level(level)
    check_forecastable(workload.series, FEWEST_INTERVALS)
    near = forecast_near(workload, steps, level)
    reach = len(near.expected)
    if reach >= steps or len(workload.rates) < ARMA_WINDOW:
        return near
    far = forecast_workload(workload, steps, level)
    expected, lower, upper = (
        np.concatenate((one, other[reach:]))
        for one, other in (
            (near.expected, far.expected),
            (near.lower, far.lower),
            (near.upper, far.upper),
        )
    )
    detail = (
        f"The {len(workload.rates)} known steps allow such a forecast of {reach} of the {steps} steps. An ARMA model "
        "forecasts the later ones, whose bands may begin elsewhere."
    )
    beyond = Diagnostic("arma-beyond", detail)
    said = (*(one for one in near.diagnostics if one.code != "shorter-look-ahead"), beyond, *far.diagnostics)
    return WorkloadForecast(None, expected, lower, upper, said, kind=near.kind)


def forecast_near(workload: Workload, steps: int, level: float) -> WorkloadForecast:
    """Returns the same as `forecast_by_both` as far ahead as a third of the known rates, and nothing beyond."""
    unit = find_unit(workload)
    if unit is not None and len(workload.rates) >= FEWEST_STEPS:
        return forecast_counts(workload, unit, steps, level)
    lines = forecast_by_lines(workload, steps, level)
    if len(workload.rates) < FEWEST_STEPS or not lines.losses:
        return lines
    seasons = forecast_by_seasons(workload, steps, level)
    leads = [lead for lead in seasons.losses if lead in lines.losses]
    losses = [np.array([one.losses[lead] for lead in leads]) for one in (lines, seasons)]
    reach = len(lines.expected)
    weights = np.ones(len(seasons.expected))
    weights[:reach] = np.interp(np.arange(1, reach + 1), leads, weigh_seasons(*losses))
    expected, lower, upper = (
        (1.0 - weights) * np.pad(line, (0, len(weights) - reach)) + weights * season
        for line, season in (
            (lines.expected, seasons.expected),
            (lines.lower, seasons.lower),
            (lines.upper, seasons.upper),
        )
    )
    weighed = Diagnostic(
        "forecast-weighed",
        f"The forecast of these {write_counted(len(weights), 'step')} is made of seasons by "
        f"{write_percent(float(weights.mean()))} on average and of straight lines by the rest, by what each lost on "
        "past rates; the parts differ by how far a step is ahead.",
    )
    said = (*seasons.diagnostics, *describe_zeros(workload), weighed)
    return WorkloadForecast(None, expected, lower, upper, said, kind="lines+seasons")


def weigh_seasons(of_lines: Floats | float, of_seasons: Floats | float) -> Floats:
    """Returns the weight of the forecast by seasons, of 1 in all, from what both lost on past rates."""
    judged = np.asarray(of_lines), SEASONS_LOSE * np.asarray(of_seasons)
    lines, seasons = (np.square(losses + TINY) for losses in judged)
    return np.asarray(lines / (lines + seasons))


def look_ahead(
    measurements: Sequence[Measurement], step_seconds: float, steps: int, quantile: float
) -> RateAhead:
    """Returns the highest of the next `steps` rates, as expected and as its upper quantile.

    Raises WorkloadTooShort if too few rates are known.
    """
    return HighestAhead(read_history(measurements, step_seconds).workload).forecast(steps, quantile)


@dataclass(frozen=True)
class HighestAhead:
    """The highest rate that comes after a workload without a long gap, over any number of steps."""

    workload: Workload

    @cached_property
    def _lines(self) -> KnownHistory:
        return KnownHistory(take_newest(self.workload, HISTORY))

    @cached_property
    def _unit(self) -> float | None:
        return find_unit(self.workload)

    @cached_property
    def _seasons(self) -> SeasonBands:
        rates, day = self.workload.series[-MOST_STEPS_KNOWN:], self.workload.day_steps
        if self._unit is None:
            return SeasonBands(rates, find_seasons(rates, day))
        counts = np.rint(rates / self._unit)
        return CountBands(counts, find_seasons(counts, day))

    def forecast(self, steps: int, quantile: float) -> RateAhead:
        """Returns the highest of the next `steps` rates, as expected and as its upper quantile.

        Raises WorkloadTooShort if too few rates are known.
        """
        lines = forecast_highest(self._lines, steps, quantile, with_loss=True)
        known = len(self.workload.rates)
        if lines.loss is None or known < FEWEST_STEPS:
            return replace(lines, loss=None)
        # Seasons look no further ahead than lines do: both are of the same time.
        *found, loss = self._seasons.highest(lines.steps, quantile)
        if self._unit is not None:
            middle, upper = (self._unit * rate for rate in found)
            return RateAhead(middle, upper, lines.steps, quantile, "counts", known, lines.diagnostics)
        part = float(weigh_seasons(lines.loss, loss))
        middle, upper = (
            (1.0 - part) * line + part * season
            for line, season in zip((lines.expected_rate, lines.upper_rate), found, strict=True)
        )
        model = f"{lines.model}; seasons {write_percent(part)}"
        return RateAhead(middle, upper, lines.steps, quantile, model, known, lines.diagnostics)
