"""The external rate to be ready for over the coming steps, fast enough to be forecast for every decision.

Y_t = max λ(t+1..t+H), the highest of the next H rates, is forecast by lines through the newest rates, and the upper
rate is the q-quantile of their errors of the past (planner.workloads.line_forecasts). An ARMA model
(planner.workloads.upper_rate) takes seconds for the choice of its order, and returns to its mean where a load ramps.
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
from planner.workloads.series import Measurement, regularise_workload
from planner.workloads.upper_rate import FEWEST_INTERVALS


@dataclass(frozen=True, slots=True)
class RateAhead:
    """The rate to be ready for over `steps` intervals; `history` is the number of intervals that it was learnt from."""

    expected_rate: float
    upper_rate: float
    steps: int
    quantile: float
    model: str
    history: int
    diagnostics: tuple[Diagnostic, ...] = ()


def look_ahead(
    measurements: Sequence[Measurement], step_seconds: float, steps: int, quantile: float
) -> RateAhead:
    """The upper quantile of the highest of the `steps` rates to come; WorkloadTooShort where too few are known."""
    workload = regularise_workload(take_history(measurements, step_seconds), step_seconds)
    rates = workload.series
    constant = stand_in_if_constant(rates, FEWEST_INTERVALS)
    if constant is not None:
        said = (*workload.diagnostics, describe_stand_in(constant))
        return RateAhead(constant.rate, constant.rate, steps, quantile, constant.source, len(rates), said)
    tried = min(steps, len(rates) // LARGEST_PART)
    candidates = [(one.name, one.highest(tried)) for one in fit_lines(rates)]
    came = np.lib.stride_tricks.sliding_window_view(rates[1:], tried).max(axis=1)
    found = try_candidates(candidates, came, find_levels(rates), (quantile,))
    diagnostics = workload.diagnostics
    if tried < steps:
        diagnostics = (*diagnostics, describe_shorter(tried, steps, len(rates)))
    return RateAhead(
        found.middle,
        found.find_quantile(quantile),
        tried,
        quantile,
        ", ".join(found.names),
        len(rates),
        diagnostics,
    )


def describe_shorter(tried: int, steps: int, known: int) -> Diagnostic:
    """The diagnostic of a forecast that ends before what was asked for."""
    detail = f"Looked {tried} of {steps} intervals ahead: further, {known} intervals tell nothing."
    return Diagnostic("shorter-look-ahead", detail)
