"""The rate of each coming step with a band around it, by lines through the newest rates and their errors of the past.

    lower, expected, upper = P_h + the (1−level)/2, 1/2 and (1+level)/2 quantiles of the errors of P_h

with P_h the forecast h steps ahead of planner.workloads.line_forecasts. A step far ahead differs little from its
neighbours, so that leads are forecast at 1, 2, 3, 4, 6, 8, 12, 16, ... and joined by straight lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.values import Diagnostic
from planner.workloads.arma_fallback import describe_stand_in, stand_in_if_constant
from planner.workloads.line_forecasts import (
    LARGEST_PART,
    find_levels,
    fit_lines,
    take_history,
    try_candidates,
)
from planner.workloads.rate_ahead import describe_shorter
from planner.workloads.series import Measurement, Workload, regularise_workload
from planner.workloads.upper_rate import FEWEST_INTERVALS


@dataclass(frozen=True, slots=True)
class StepBand:
    """The rate `steps` ahead, and the bounds between which it lies with the probability asked for."""

    steps: int
    expected: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class BandedForecast:
    """The bands of the leads asked for, as far as the known rates tell; `history`: the intervals learnt from."""

    bands: tuple[StepBand, ...]
    history: int
    diagnostics: tuple[Diagnostic, ...] = ()


def forecast_bands(
    measurements: Sequence[Measurement], step_seconds: float, leads: Sequence[int], level: float
) -> BandedForecast:
    """The band of each lead; leads that the history is too short for are left out."""
    return band_leads(regularise_history(measurements, step_seconds), leads, level)


def forecast_each_band(
    measurements: Sequence[Measurement], step_seconds: float, steps: int, level: float
) -> BandedForecast:
    """The bands of the next `steps` steps, those between the leads that are forecast by straight lines."""
    workload = regularise_history(measurements, step_seconds)
    reach = len(workload.rates) // LARGEST_PART
    found = band_leads(workload, list_leads(min(steps, max(reach, 1))), level)
    known = [one.steps for one in found.bands]
    each = np.arange(1, known[-1] + 1)
    joined = [
        np.interp(each, known, rates)
        for rates in zip(*((one.expected, one.lower, one.upper) for one in found.bands), strict=True)
    ]
    bands = [StepBand(step, *map(float, band)) for step, band in enumerate(zip(*joined, strict=True), 1)]
    said = (
        found.diagnostics
        if steps <= reach
        else (*found.diagnostics, describe_shorter(reach, steps, found.history))
    )
    return BandedForecast(tuple(bands), found.history, said)


def regularise_history(measurements: Sequence[Measurement], step_seconds: float) -> Workload:
    """What a forecast learns from, as a regular series."""
    return regularise_workload(take_history(measurements, step_seconds), step_seconds)


def band_leads(workload: Workload, leads: Sequence[int], level: float) -> BandedForecast:
    """The band of each lead of at most a third of the known rates; WorkloadTooShort where too few are known."""
    rates = workload.series
    constant = stand_in_if_constant(rates, FEWEST_INTERVALS)
    if constant is not None:
        same = tuple(StepBand(lead, constant.rate, constant.rate, constant.rate) for lead in leads)
        return BandedForecast(same, len(rates), (*workload.diagnostics, describe_stand_in(constant)))
    levels, lines = find_levels(rates), fit_lines(rates)
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    bands = []
    for lead in leads:
        if lead <= len(rates) // LARGEST_PART:
            tried = [(one.name, one.after(lead)) for one in lines]
            found = try_candidates(tried, rates[lead:], levels, tails)
            bands.append(StepBand(lead, found.middle, *map(found.find_quantile, tails)))
    return BandedForecast(tuple(bands), len(rates), workload.diagnostics)


def list_leads(steps: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, 16, ... below `steps`, and `steps`."""
    powers = [2**power for power in range(steps.bit_length())]
    halves = [3 * power // 2 for power in powers[1:]]
    return sorted({one for one in (*powers, *halves) if one < steps} | {steps})
