"""Which rate must a topology be ready for, and between which bounds will each step lie? (by lines)

    highest    Y_t = max λ(t+1..t+H); its upper rate is the q-quantile of the errors of its forecasts in the past
    band       lower, expected, upper = P_h + the (1−level)/2, 1/2 and (1+level)/2 quantiles of the errors of P_h

with P_h the forecast h steps ahead (planner.workloads.line_forecasts). Steps far ahead differ little from their
neighbours, so only the steps 1, 2, 3, 4, 6, 8, 12, 16, ... are forecast, and straight lines join these. The bands of a
step are the same however many steps are asked for: the last line is cut at the last step asked for.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from planner.arrays import Floats, slide_max
from planner.values import Diagnostic
from planner.workloads.line_forecasts import (
    LARGEST_PART,
    TriedLines,
    find_levels,
    fit_lines,
    take_history,
    try_candidates,
)
from planner.workloads.series import (
    ConstantWorkload,
    Measurement,
    Workload,
    check_forecastable,
    regularise_workload,
)

FEWEST_INTERVALS = 30
"""On fewer intervals a forecast is worse than the newest rate."""


@dataclass(frozen=True, slots=True)
class RateAhead:
    """The highest rate of the next `steps` intervals: the expected value, and the value of its upper `quantile`.

    `history` is the number of known intervals; `model` names the lines that the forecast is the mean of, and the part
    of seasons in it. `loss` is the mean pinball loss of such quantiles on past rates, where it is known.
    """

    expected_rate: float
    upper_rate: float
    steps: int
    quantile: float
    model: str
    history: int
    diagnostics: tuple[Diagnostic, ...] = ()
    loss: float | None = None


@dataclass(frozen=True)
class KnownHistory:
    """The known rates that forecasts learn from, and what all forecasts from them share."""

    workload: Workload

    @cached_property
    def rates(self) -> Floats:
        """The rate of each step."""
        return self.workload.series

    @cached_property
    def lines(self) -> TriedLines:
        """The candidate lines."""
        return fit_lines(self.rates)

    @cached_property
    def levels(self) -> Floats:
        """The divisor of the forecast errors at each moment."""
        return find_levels(self.rates)


def read_history(measurements: Sequence[Measurement], step_seconds: float) -> KnownHistory:
    """Returns the newest measurements without a long gap as a series with one rate for each step, for forecasts."""
    return KnownHistory(regularise_workload(take_history(measurements, step_seconds), step_seconds))


def forecast_highest(
    history: KnownHistory, steps: int, quantile: float, *, with_loss: bool = False
) -> RateAhead:
    """Returns the highest of the next `steps` rates, as expected and as its upper quantile, forecast by lines.

    Raises WorkloadTooShort if too few rates are known.
    """
    workload, rates = history.workload, history.rates
    if constant := find_constant(rates):
        rate, said = float(rates[-1]), (*workload.diagnostics, constant)
        return RateAhead(rate, rate, steps, quantile, "constant", len(rates), said)
    tried = min(steps, len(rates) // LARGEST_PART)
    came = slide_max(rates[1:], tried)
    found = try_candidates(
        history.lines.names, history.lines.highest(tried), came, history.levels, (quantile,)
    )
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
        found.find_loss(history.levels, (quantile,)) if with_loss else None,
    )


def find_constant(rates: Floats) -> Diagnostic | None:
    """Returns a diagnostic if all rates are equal, so that the forecast is this rate; None otherwise.

    Raises WorkloadTooShort for a short series.
    """
    try:
        check_forecastable(rates, FEWEST_INTERVALS)
    except ConstantWorkload as error:
        return Diagnostic("constant-rate", str(error))
    return None


def describe_shorter(tried: int, steps: int, known: int) -> Diagnostic:
    """The diagnostic that only `tried` of the requested `steps` are forecast, because only `known` rates are known."""
    detail = f"The forecast covers {tried} of {steps} intervals: {known} known intervals allow no more."
    return Diagnostic("shorter-look-ahead", detail)


@dataclass(frozen=True, slots=True)
class StepBand:
    """The expected rate `steps` steps ahead, and the bounds between which it lies with the requested probability.

    `loss` is the mean pinball loss of such bounds on past rates, where it is known.
    """

    steps: int
    expected: float
    lower: float
    upper: float
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class BandedForecast:
    """The forecast band of each requested lead (number of steps ahead) that the known rates allow.

    `history` is the number of known intervals. `losses` has the loss of each lead that was forecast, where it is known.
    """

    bands: tuple[StepBand, ...]
    history: int
    diagnostics: tuple[Diagnostic, ...] = ()
    losses: Mapping[int, float] = field(default_factory=dict)


def forecast_each_band(history: KnownHistory, steps: int, level: float) -> BandedForecast:
    """Returns the band of the rate for each of the next `steps` steps; `level` is the probability of a band.

    Only some of the steps are forecast; the bands of the steps between lie on straight lines.
    """
    reach = max(len(history.rates) // LARGEST_PART, 1)
    found = band_leads(history, list_leads(steps, reach), level, with_losses=True)
    losses = find_known_losses(found.bands)
    joined = join_bands(found.bands, min(steps, reach))
    bands = [
        StepBand(step, float(expected), float(lower), float(upper), losses.get(step))
        for step, (expected, lower, upper) in enumerate(zip(*joined, strict=True), 1)
    ]
    said = found.diagnostics
    if steps > reach:
        said = (*said, describe_shorter(reach, steps, found.history))
    return BandedForecast(tuple(bands), found.history, said, losses)


def find_known_losses(bands: Sequence[StepBand]) -> dict[int, float]:
    """The loss of each band whose loss is known, by its steps ahead."""
    return {one.steps: one.loss for one in bands if one.loss is not None}


def join_bands(known: Sequence[StepBand], steps: int) -> tuple[Floats, Floats, Floats]:
    """Returns the expected, lower and upper rates of the steps 1 .. `steps`, on straight lines between bands."""
    each, leads = np.arange(1, steps + 1), [one.steps for one in known]
    expected, lower, upper = (
        np.interp(each, leads, rates)
        for rates in zip(*((one.expected, one.lower, one.upper) for one in known), strict=True)
    )
    return expected, lower, upper


def band_leads(
    history: KnownHistory, leads: Sequence[int], level: float, *, with_losses: bool = False
) -> BandedForecast:
    """Returns the band of the rate for each lead (number of steps ahead) of at most a third of the known rates.

    `level` is the probability of a band. Raises WorkloadTooShort where too few rates are known.
    """
    workload, rates = history.workload, history.rates
    if constant := find_constant(rates):
        rate = float(rates[-1])
        same = tuple(StepBand(lead, rate, rate, rate) for lead in leads)
        return BandedForecast(same, len(rates), (*workload.diagnostics, constant))
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    bands = []
    for lead in leads:
        if lead <= len(rates) // LARGEST_PART:
            lines = history.lines
            found = try_candidates(lines.names, lines.after(lead), rates[lead:], history.levels, tails)
            lower, upper = map(found.find_quantile, tails)
            loss = found.find_loss(history.levels, tails) if with_losses else None
            bands.append(StepBand(lead, found.middle, lower, upper, loss))
    return BandedForecast(tuple(bands), len(rates), workload.diagnostics)


def list_leads(steps: int, reach: int) -> list[int]:
    """The numbers of steps ahead that are forecast: 1, 2, 3, 4, 6, 8, 12, 16, ... up to the first that is no less than
    `steps`. None is above `reach`, which is the last one where the next number would be above it.
    """
    powers = [2**power for power in range(reach.bit_length())]
    halves = [3 * power // 2 for power in powers[1:]]
    ladder = sorted({one for one in (*powers, *halves) if one < reach} | {reach})
    return ladder[: bisect_left(ladder, steps) + 1]
