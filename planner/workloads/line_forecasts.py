"""Which rate comes next, if the newest rates go on as a line?

There are several candidates. Each fits a line to the newest w rates before a moment t, with its own w and shape:

    flat: the mean of the w rates;   trend: the least-squares line of the w rates, extended

Each candidate is tried at every earlier moment t of the history. Its error at t, e_t, is divided by the level,

    u_t = e_t / (L_t + 0.6 L),   L_t = exponentially weighted mean of the rates until t,   L = mean of all rates

because errors grow with the rate: errors of the day are too large for the night.

The forecast is the mean of the three best candidates, because a mean of forecasts errs less than a single forecast
(Bates and Granger 1969). The best candidates have the smallest pinball loss: quantiles of their errors in the older
half of the moments are judged on the newer half. The quantiles of the forecast are the quantiles of its own past errors
u_t, times the level of now. Where few of the errors are independent, the quantiles are moved outwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.arrays import Floats, slide_mean, take_median, take_quantiles
from planner.workloads.series import Measurement, Workload, take_steps

FLAT_WINDOWS = (1, 3, 6, 12)
TREND_WINDOWS = (4, 6, 12, 24, 48)
COMBINED = 3
# A window, and the steps ahead, take no more than this part of the known rates each.
LARGEST_PART = 3
LEVEL_SPAN, LEVEL_FLOOR = 30, 0.6
HISTORY = 1440
"""The default number of newest intervals to learn from."""
LONGEST_GAP = 300
"""A longer gap, in intervals, ends the history: a straight line through it is no measurement."""


@dataclass(frozen=True, slots=True)
class TriedLines:
    """Ways to forecast by lines, one a row: the last value and the slope of its line at each moment, oldest first; the
    last is now. The first moment is the one at which all windows are full.
    """

    names: tuple[str, ...]
    ends: Floats
    slopes: Floats

    def highest(self, steps: int) -> Floats:
        """For each moment the highest value of the next `steps` steps, as the line at this moment forecasts it."""
        return np.maximum(self.ends + self.slopes, self.ends + self.slopes * steps)

    def after(self, steps: int) -> Floats:
        """Returns for each moment the value `steps` steps later, as the line at this moment forecasts it."""
        return self.ends + self.slopes * steps


@dataclass(frozen=True, slots=True)
class TriedForecast:
    """The present forecast of a rate, and the errors of such forecasts at earlier moments, scaled to the present level.

    The forecast is the mean of the lines called `names`; `pieces` is the number of errors that do not overlap.
    """

    now: float
    errors: Floats
    names: tuple[str, ...]
    pieces: float

    @property
    def middle(self) -> float:
        """The median of the forecast rate, at least 0."""
        return max(self.now + take_median(self.errors), 0.0)

    def find_quantile(self, quantile: float) -> float:
        """Returns the rate that is not exceeded with the probability `quantile`; it is at least 0."""
        moved = shorten_tail(quantile, self.pieces)
        return max(self.now + float(take_quantiles(self.errors, [moved])[0]), 0.0)

    def find_loss(self, levels: Floats, quantiles: Sequence[float]) -> float:
        """The mean pinball loss of these quantiles on the newer half of the moments; `levels` as in try_candidates."""
        steps = round(len(self.errors) / self.pieces)
        then = levels[-len(self.errors) - steps : -steps]
        return float(find_losses(self.errors[np.newaxis] / levels[-1], then, quantiles)[0])


def shorten_tail(quantile: float, pieces: float) -> float:
    """Returns the quantile to take of past errors, of which `pieces` are independent of each other.

    The tail p = 1 − quantile is shortened to p · min(1, n p) for n independent errors: if n is below 1/p, the past
    errors seldom reach into the tail, and their own quantile would be exceeded too often.
    """
    tail = min(quantile, 1.0 - quantile)
    tail *= min(1.0, pieces * tail)
    return tail if quantile < 0.5 else 1.0 - tail


def take_history(measurements: Sequence[Measurement], step_seconds: float) -> Sequence[Measurement]:
    """Returns the measurements since the newest gap of more than LONGEST_GAP steps."""
    gaps = np.flatnonzero(np.diff([one.at_seconds for one in measurements]) > LONGEST_GAP * step_seconds)
    return measurements[int(gaps[-1]) + 1 :] if len(gaps) else measurements


def take_known(workload: Workload, most: int) -> Workload:
    """Returns the newest steps of a workload with `most` measured rates, and without a gap of more than LONGEST_GAP."""
    at = np.flatnonzero(workload.measured)[-most:]
    gaps = np.flatnonzero(np.diff(at) > LONGEST_GAP)
    first = int(at[gaps[-1] + 1] if len(gaps) else at[0])
    return take_steps(workload, first, len(workload.rates))


def fit_lines(rates: Floats) -> TriedLines:
    """Returns the candidate lines whose window is not longer than the known rates."""
    most = len(rates) // LARGEST_PART
    names, ends, slopes = list[str](), list[Floats](), list[Floats]()
    for window in FLAT_WINDOWS:
        if window <= most:
            names.append(f"mean of {window}")
            ends.append(slide_mean(rates, window))
            slopes.append(np.zeros(len(ends[-1])))
    for window in TREND_WINDOWS:
        if window <= most:
            middle = np.arange(window) - (window - 1) / 2.0
            names.append(f"trend of {window}")
            slopes.append(np.correlate(rates, middle / (middle @ middle)))
            ends.append(slide_mean(rates, window) + slopes[-1] * (window - 1) / 2.0)
    moments = min(map(len, ends))
    ended, sloped = (np.array([one[-moments:] for one in rows]) for rows in (ends, slopes))
    return TriedLines(tuple(names), ended, sloped)


def find_levels(rates: Floats) -> Floats:
    """Returns the divisor of the forecast errors at each moment: L_t + 0.6 L.

    L_t is the exponentially weighted mean of the rates until this moment, L the mean of all rates.
    """
    new = 1.0 / LEVEL_SPAN
    smooth = new * rates
    smooth[0] = rates[0]
    # Each round joins to the mean of the newest `span` rates that of as many before. scipy.signal loads slowly.
    span = 1
    while span < len(rates):
        smooth[span:] += (1.0 - new) ** span * smooth[:-span].copy()
        span *= 2
    return smooth + LEVEL_FLOOR * float(rates.mean())


def try_candidates(
    names: Sequence[str], ahead: Floats, came: Floats, levels: Floats, quantiles: Sequence[float]
) -> TriedForecast:
    """Judges candidates by their past errors, and returns the forecast that is the mean of the best candidates.

    `ahead` has the forecasts of each candidate (row) at each moment. `came` are the values measured later, which do not
    exist for the newest moments. Candidates are judged by their errors at these quantiles.
    """
    steps = len(levels) - len(came)
    moments = ahead.shape[1]
    then, came = levels[-moments:-steps], came[-(moments - steps) :]
    errors = (came - ahead[:, :-steps]) / then
    losses = find_losses(errors, then, quantiles)
    best = sorted(range(len(names)), key=lambda place: losses[place])[:COMBINED]
    mean = np.mean(errors[best], axis=0)
    now = float(np.mean(ahead[best, -1]))
    return TriedForecast(now, mean * levels[-1], tuple(names[place] for place in best), len(mean) / steps)


def find_losses(errors: Floats, levels: Floats, quantiles: Sequence[float]) -> Floats:
    """The mean pinball loss of quantiles of errors of each candidate (row): learned from the older half of the errors,
    judged on the newer.
    """
    half = errors.shape[1] // 2
    total = np.zeros(len(errors))
    learned = take_quantiles(errors[:, :half], quantiles)
    for quantile, expected in zip(quantiles, learned, strict=True):
        beyond = errors[:, half:] - expected[:, np.newaxis]
        lost = np.maximum(quantile * beyond, (quantile - 1.0) * beyond)
        total += lost @ levels[half:] / lost.shape[1]
    return total
