"""The external rate to be ready for over the coming steps, fast enough to be forecast for every decision.

Each candidate takes the newest w rates before a moment t and forecasts the highest of the next H rates,

    flat: their mean;   trend: the largest of their least-squares line over t+1 ... t+H

It is tried at every earlier moment t, and its error is e_t = Y_t − P_t with Y_t = max λ(t+1..t+H). The upper rate is
P_now plus the q-quantile of these errors, so that no distribution of the errors is assumed. P is the mean of the three
candidates whose upper rates, with the quantile of the older half of the moments, had the least pinball loss over the
newer half: a mean of forecasts errs less than one alone (Bates and Granger 1969). An ARMA model
(planner.workloads.upper_rate) takes seconds for the choice of its order, and returns to its mean where a load ramps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.workloads.arma_fallback import describe_stand_in, stand_in_if_constant
from planner.workloads.series import Measurement, regularise_workload
from planner.workloads.upper_rate import FEWEST_INTERVALS

FLAT_WINDOWS = (1, 3, 6, 12)
TREND_WINDOWS = (4, 6, 12, 24, 48)
COMBINED = 3
# A window, and the steps ahead, take no more than this part of the known rates each.
LARGEST_PART = 3


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


@dataclass(frozen=True, slots=True)
class Candidate:
    """The peaks that a candidate forecast at each moment, oldest first; the last is now."""

    name: str
    peaks: Floats


def look_ahead(
    measurements: Sequence[Measurement], step_seconds: float, steps: int, quantile: float
) -> RateAhead:
    """The upper quantile of the highest of the `steps` rates to come; WorkloadTooShort where too few are known."""
    workload = regularise_workload(measurements, step_seconds)
    rates = workload.series
    constant = stand_in_if_constant(rates, FEWEST_INTERVALS)
    if constant is not None:
        said = (*workload.diagnostics, describe_stand_in(constant))
        return RateAhead(constant.rate, constant.rate, steps, quantile, constant.source, len(rates), said)
    tried = min(steps, len(rates) // LARGEST_PART)
    candidates = list_candidates(rates, tried)
    moments = min(len(one.peaks) for one in candidates)
    came = np.lib.stride_tricks.sliding_window_view(rates[1:], tried).max(axis=1)[-(moments - tried) :]
    best = sorted(candidates, key=lambda one: find_loss(came - one.peaks[-moments:-tried], quantile))[
        :COMBINED
    ]
    peaks = np.mean([one.peaks[-moments:] for one in best], axis=0)
    now, errors = float(peaks[-1]), came - peaks[:-tried]
    upper = now + np.quantile(errors, quantile)
    diagnostics = workload.diagnostics
    if tried < steps:
        detail = f"Looked {tried} of {steps} intervals ahead: further, {len(rates)} intervals tell nothing."
        diagnostics = (*diagnostics, Diagnostic("shorter-look-ahead", detail))
    expected = max(float(now + np.median(errors)), 0.0)
    return RateAhead(
        expected,
        max(float(upper), 0.0),
        tried,
        quantile,
        ", ".join(one.name for one in best),
        len(rates),
        diagnostics,
    )


def list_candidates(rates: Floats, steps: int) -> list[Candidate]:
    """The candidates whose window is short enough for the known rates."""
    most = len(rates) // LARGEST_PART
    found = []
    for window in FLAT_WINDOWS:
        if window <= most:
            seen = np.lib.stride_tricks.sliding_window_view(rates, window)
            found.append(Candidate(f"mean of {window}", seen.mean(axis=1)))
    for window in TREND_WINDOWS:
        if window <= most:
            seen = np.lib.stride_tricks.sliding_window_view(rates, window)
            middle = np.arange(window) - (window - 1) / 2.0
            slopes = seen @ (middle / (middle @ middle))
            ends = seen.mean(axis=1) + slopes * (window - 1) / 2.0
            peaks = ends + slopes * np.where(slopes > 0.0, steps, 1)
            found.append(Candidate(f"trend of {window}", peaks))
    return found


def find_loss(errors: Floats, quantile: float) -> float:
    """The mean pinball loss over the newer half of the errors, for the quantile of the older half."""
    half = len(errors) // 2
    beyond = errors[half:] - np.quantile(errors[:half], quantile)
    return float(np.mean(np.maximum(quantile * beyond, (quantile - 1.0) * beyond)))
