"""Between which bounds will the next rates lie, by all that is known of them? (by lines and seasons, then by ARMA)

The bands by lines and by seasons are each weighed by 1/(its loss on past rates)². So a forecast that was bad on these
rates counts little, and the mean is seldom much worse than the better one. The weights follow the steps ahead; beyond
the reach of lines there are only seasons. The steps beyond the reach of both are forecast by an ARMA model.
"""

import numpy as np

from planner.values import Diagnostic
from planner.wording import write_counted, write_percent
from planner.workloads.count_bands import find_unit, forecast_counts
from planner.workloads.rates_ahead import FEWEST_INTERVALS
from planner.workloads.season_bands import FEWEST_STEPS, forecast_by_seasons
from planner.workloads.series import Workload, check_forecastable
from planner.workloads.workload_forecast import (
    ARMA_WINDOW,
    WorkloadForecast,
    check_level,
    forecast_by_lines,
    forecast_workload,
)

TINY = 1e-140


def forecast_by_both(workload: Workload, steps: int, level: float) -> WorkloadForecast:
    """Returns the mean of the bands by lines and by seasons, each weighed by 1/(its loss on past rates)².

    Beyond the reach of both an ARMA model forecasts; on few rates there are lines alone. Raises WorkloadTooShort for
    few rates, and ConstantWorkload where all are equal.
    """
    check_level(level)
    check_forecastable(workload.series, FEWEST_INTERVALS)
    near = _weigh_both(workload, steps, level)
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


def _weigh_both(workload: Workload, steps: int, level: float) -> WorkloadForecast:
    """The weighted mean as far as it reaches."""
    unit = find_unit(workload)
    if unit is not None and len(workload.rates) >= FEWEST_STEPS:
        return forecast_counts(workload, unit, steps, level)
    lines = forecast_by_lines(workload, steps, level)
    if len(workload.rates) < FEWEST_STEPS or not lines.losses:
        return lines
    seasons = forecast_by_seasons(workload, steps, level)
    leads = [lead for lead in seasons.losses if lead in lines.losses]
    squares = [np.square([one.losses[lead] + TINY for lead in leads]) for one in (lines, seasons)]
    reach = len(lines.expected)
    weights = np.ones(len(seasons.expected))
    weights[:reach] = np.interp(np.arange(1, reach + 1), leads, squares[0] / (squares[0] + squares[1]))
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
    said = (*seasons.diagnostics, weighed)
    return WorkloadForecast(None, expected, lower, upper, said, kind="lines+seasons")
