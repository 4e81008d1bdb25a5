"""Between which whole counts will the next rates lie, where few things come in a step?

Rates of few things are whole multiples of one unit: 0, 1, 2, ... a step. Their logarithm says little, so the mean count
h steps ahead is forecast by the regression of planner.workloads.season_bands on the counts themselves. Around its mean
M a count is Poisson, or negative binomial where past errors vary more,

    φ = Σ error² / Σ M,   variance of a count = φ M,   φ ≥ 1

The bounds are quantiles of this law: beyond each lies at most half of what may lie outside. Counts are coarse, so a
band has the wanted probability or more.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.arrays import Floats
from planner.values import Diagnostic
from planner.wording import write_counted, write_number
from planner.workloads.line_forecasts import LARGEST_PART
from planner.workloads.rates_ahead import StepBand, describe_shorter, join_bands, list_leads
from planner.workloads.season_bands import (
    FEWEST_STEPS,
    MOST_STEPS_KNOWN,
    SeasonBands,
    cross_fit,
    describe_season,
    find_season,
    list_seasons,
)
from planner.workloads.series import Workload, check_forecastable, write_moment
from planner.workloads.workload_forecast import WorkloadForecast

MOST_MEAN_COUNT = 10.0
"""Above this mean a count is nearly continuous, and forecasts by lines and seasons are as good."""
ROUNDING = 0.01
LEAST_MEAN, LEAST_DISPERSION = 1e-3, 1e-6
HIGHEST_TIMES = 5.0
RARE_STRETCH = 1e-3
"""A stretch of zeros is named if chance brings one as long in so small a part of such workloads."""


def find_unit(workload: Workload) -> float | None:
    """Returns the rate of one thing a step, if all measured rates are small counts of it; None otherwise."""
    rates = workload.series[workload.measured]
    some = rates[rates > 0.0]
    if len(some) in (0, len(rates)):
        return None
    unit = float(some.min())
    counts = rates / unit
    if counts.mean() > MOST_MEAN_COUNT or np.abs(counts - np.rint(counts)).max() > ROUNDING:
        return None
    return unit


class CountBands(SeasonBands):
    """Bands of the next counts of one series, made from its counts so far."""

    def __init__(self, counts: Floats, seasons: Sequence[int]) -> None:
        super().__init__(counts, seasons)
        self.use_values(self.rates)

    def band(self, lead: int, level: float) -> StepBand:
        """Returns the band of the count `lead` steps ahead, with the probability `level` or more."""
        mean, dispersion = self._expect(lead)
        return StepBand(lead, mean, *find_band(mean, dispersion, level))

    def highest(self, steps: int, quantile: float) -> tuple[float, float, float]:
        """Returns the highest of the next `steps` counts: its median, the least count that is not exceeded with at
        least the probability `quantile`, and no loss (0).

        Around their means counts are taken as independent of each other.
        """
        leads = list_leads(steps, steps)
        known = np.array([self._expect(lead) for lead in leads])
        means, dispersions = (np.interp(np.arange(1, steps + 1), leads, one) for one in known.T)
        counts = np.arange(float(self.rates.max()) * HIGHEST_TIMES + 2.0)
        most = take_law(means[:, np.newaxis], dispersions[:, np.newaxis]).cdf(counts).prod(axis=0)
        median, upper = (float(np.searchsorted(most, share)) for share in (0.5, quantile))
        return median, upper, 0.0

    def _expect(self, lead: int) -> tuple[float, float]:
        """The mean of the count `lead` steps ahead, and how much more than Poisson's counts vary around such means."""
        last = len(self.rates) - 1
        origins = self._choose_origins(lead)
        rows = self._features(np.append(origins, last), lead, self.rates[lead:], self._smoothed[lead:])
        came = self.rates[origins + lead]
        errors, middle = cross_fit(rows[:-1], came - self._level(origins), rows[-1])
        now = float(self._level(np.array([last]))[0]) + middle
        mean = min(max(now, LEAST_MEAN), float(self.rates.max()))
        means = np.clip(came - errors, LEAST_MEAN, self.rates.max())
        return mean, float(np.square(came - means).sum() / means.sum())


def take_law(mean: Floats | float, dispersion: Floats | float) -> Any:
    """Returns the law of counts around a mean: negative binomial, which without dispersion is nearly Poisson."""
    from scipy.stats import nbinom  # noqa: PLC0415 - loads slowly, and few workloads need it

    more = np.maximum(np.asarray(dispersion) - 1.0, LEAST_DISPERSION)
    return nbinom(mean / more, 1.0 / (1.0 + more))


def find_band(mean: float, dispersion: float, level: float) -> tuple[float, float]:
    """Returns the lowest and the highest count of a band around a mean, beyond each of which less than half of
    1 − `level` lies.
    """
    law = take_law(mean, dispersion)
    return float(law.ppf((1.0 - level) / 2.0)), float(law.ppf((1.0 + level) / 2.0))


def forecast_counts(workload: Workload, unit: float, steps: int, level: float) -> WorkloadForecast:
    """Returns the bands of the next `steps` rates, which are counts of `unit`, up to a third of the known rates ahead.

    Raises WorkloadTooShort for few rates, and ConstantWorkload where all are equal.
    """
    counts = np.rint(workload.series[-MOST_STEPS_KNOWN:] / unit)
    check_forecastable(counts, FEWEST_STEPS)
    found = find_season(counts, workload.day_steps)
    bands = CountBands(counts, list_seasons(found, workload.day_steps, len(counts)))
    reach = len(counts) // LARGEST_PART
    known = [bands.band(lead, level) for lead in list_leads(steps, reach)]
    expected, lower, upper = join_bands(known, min(steps, reach))
    said = [describe_season(found, workload.step_seconds), describe_counts(counts)]
    said += describe_zeros(workload)
    if steps > reach:
        said.append(describe_shorter(reach, steps, len(counts)))
    return WorkloadForecast(
        None, unit * expected, unit * np.rint(lower), unit * np.rint(upper), tuple(said), "counts"
    )


def describe_counts(counts: Floats) -> Diagnostic:
    """Says that the rates are forecast as counts."""
    detail = f"The rates are counts of few things, {write_number(float(counts.mean()))} a step in the mean"
    return Diagnostic("sparse-counts", f"{detail}: their bounds are whole counts.")


def describe_zeros(workload: Workload) -> list[Diagnostic]:
    """Names the longest stretch without anything, if it is too long for chance."""
    counts = workload.series[-MOST_STEPS_KNOWN:]
    edges = np.flatnonzero(np.diff(np.concatenate(([1.0], counts > 0.0, [1.0]))))
    starts, ends = edges[::2], edges[1::2]
    if len(starts) == 0:
        return []
    longest = int(np.argmax(ends - starts))
    start, steps = int(starts[longest]), int((ends - starts)[longest])
    share = float((counts == 0.0).mean())
    if len(counts) * share**steps > RARE_STRETCH:
        return []
    first = len(workload.rates) - len(counts)
    at = [workload.start_seconds + workload.step_seconds * (first + one) for one in (start, start + steps)]
    span = f"from {write_moment(at[0])} to {write_moment(at[1])} (UTC)"
    detail = f"Nothing came for {write_counted(steps, 'step')}, {span}"
    return [Diagnostic("zero-stretch", f"{detail}, which is too long for chance: was nothing measured?")]
