"""Between which bounds will the next rates lie, if days and weeks repeat themselves?

The logarithm of (rate + half the mean rate) is forecast h steps ahead by a ridge regression: from slopes between means
of the newest steps, and from what followed at the same time of earlier seasons (a day, a week, or the season that is
found), smoothed and to the step. The regression of the older half of the known steps is tried on the newer half and the
other way round, so that each error is one of a forecast that had not seen it. The errors are divided by the root of how
much the rate varied just before.

The bounds are weighted quantiles of these errors. Most of the weight is on the errors of the moments most like now, of
a similar level, slopes, changes and forecast; the rest is on the newest and on those of the same time of day. Few
independent errors seldom reach into the tails, so the bounds are moved outwards, as those by lines are.

The highest of the next H rates is forecast in the same way: from slopes, and from the highest that followed within H
steps at the same time of earlier seasons.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from planner.arrays import Floats, slide_max
from planner.values import Diagnostic
from planner.wording import write_seconds
from planner.workloads.line_forecasts import HISTORY, LARGEST_PART, shorten_tail
from planner.workloads.rates_ahead import (
    StepBand,
    describe_shorter,
    find_known_losses,
    join_bands,
    list_leads,
)
from planner.workloads.series import Steps, Workload, check_forecastable
from planner.workloads.workload_forecast import WorkloadForecast, check_level

OFFSET_SHARE = 0.5
SPANS = (1, 3, 10, 30, 120)
FEWEST_STEPS = 60
MOST_STEPS_KNOWN = 20_160
FEWEST_SEASON_STEPS = 4
LEVEL = 1
PENALTY = 1.0
SMOOTHING = 2
SEASONS_AVERAGED = 3
MOST_ORIGINS = 2000
RECENT_SHARE, SAME_HOUR_SHARE, SIMILAR_SHARE = 0.1, 0.1, 0.8
SIMILAR_PART, FEWEST_SIMILAR = 0.1, 30
QUIET, QUIETEST = 0.01, 0.003
VARIED_SPANS = (15, 240)
FEWEST_ERRORS = 20
LEAST_CORRELATION = 0.3
HIGHEST_LOG = 1.0
POWER = 0.5


@dataclass(frozen=True, slots=True)
class Season:
    """A season of the rates: its length in steps, and how alike the rates one season apart are (a correlation)."""

    steps: int
    likeness: float


def find_season(rates: Floats, day_steps: int) -> Season | None:
    """Returns the length after which the rates repeat themselves best, at least twice; a day wins where it is as good.

    None: there is no such length.
    """
    count = len(rates)
    values = np.log(rates + OFFSET_SHARE * rates.mean() + 1e-300)
    values = values - values.mean()
    if count < 16 or not values.any():
        return None
    size = 2 ** (2 * count - 1).bit_length()
    spectrum = np.fft.rfft(values, size)
    covariances = np.fft.irfft(spectrum * np.conj(spectrum), size)[: count // 2 + 1]
    squares = np.concatenate(([0.0], np.cumsum(values**2)))
    lags = np.arange(len(covariances))
    scale = np.sqrt(squares[count - lags] * (squares[-1] - squares[lags]))
    likeness = covariances / np.maximum(scale, 1e-300)
    below = np.flatnonzero(likeness < 0.5 * LEAST_CORRELATION)
    if len(below) == 0:
        return None
    best = int(below[0]) + int(np.argmax(likeness[below[0] :]))
    if day_steps <= count // 2 and likeness[day_steps] >= 0.9 * likeness[best]:
        best = day_steps
    return Season(best, float(likeness[best])) if likeness[best] >= LEAST_CORRELATION and best > 3 else None


def list_seasons(found: Season | None, day_steps: int, known: int) -> list[int]:
    """Returns the lengths of the seasons that forecasts use: a day, a week, and the one found, where known for long."""
    lengths = [day_steps, 7 * day_steps] if found is None else [day_steps, 7 * day_steps, found.steps]
    return [one for one in dict.fromkeys(lengths) if FEWEST_SEASON_STEPS <= one <= 0.9 * known]


def find_seasons(rates: Floats, day_steps: int) -> list[int]:
    """Returns the lengths of the seasons that forecasts of these rates use."""
    return list_seasons(find_season(rates, day_steps), day_steps, len(rates))


class SeasonBands:
    """Bands of the next rates of one series, made from its rates so far."""

    def __init__(self, rates: Floats, seasons: Sequence[int]) -> None:
        self.rates = np.asarray(rates, dtype=float)
        self.offset = OFFSET_SHARE * float(self.rates.mean()) + 1e-300
        self.seasons = tuple(seasons)
        self.use_values(np.log(self.rates + self.offset))
        changes = np.abs(np.diff(self.logs, prepend=self.logs[0]))
        smooth = [
            scipy.signal.lfilter(
                [1.0 / span], [1.0, 1.0 / span - 1.0], changes, zi=[changes.mean() * (1 - 1 / span)]
            )[0]
            for span in VARIED_SPANS
        ]
        self._varied = (np.mean(smooth, axis=0) + QUIET) ** POWER
        self._changes = np.log(smooth[0] + QUIETEST)

    def use_values(self, values: Floats) -> None:
        """Forecasts these values of the rates: their logarithms."""
        self.logs = values
        self._sums = np.concatenate(([0.0], np.cumsum(values)))
        middles = np.arange(len(values))
        ends, starts = np.minimum(middles + SMOOTHING + 1, len(values)), np.maximum(middles - SMOOTHING, 0)
        self._smoothed = (self._sums[ends] - self._sums[starts]) / (ends - starts)

    def band(self, lead: int, level: float) -> StepBand:
        """Returns the band of the rate `lead` steps ahead, which holds with the probability `level`."""
        tail = (1.0 - level) / 2.0
        after = self._smoothed[lead:]
        (lower, expected, upper), loss = self._forecast(
            lead, self.logs[lead:], after, (tail, 0.5, 1.0 - tail)
        )
        return StepBand(lead, expected, lower, upper, loss)

    def highest(self, steps: int, quantile: float) -> tuple[float, float, float]:
        """Returns the highest of the next `steps` rates: its median, its `quantile`, and the mean pinball loss of such
        quantiles on past rates.
        """
        came, after = (slide_max(values[1:], steps) for values in (self.logs, self._smoothed))
        (expected, upper), loss = self._forecast(steps, came, after, (0.5, quantile))
        return expected, upper, loss

    def _forecast(
        self, lead: int, came: Floats, after: Floats, shares: tuple[float, ...]
    ) -> tuple[list[float], float]:
        """The quantiles of what comes after the last step, and their loss; the median is no part of the loss.

        `came` and `after` have for each step what came after it, as measured and as smoothed; it was complete `lead`
        steps later.
        """
        last = len(self.logs) - 1
        origins = self._choose_origins(lead)
        rows = self._features(np.append(origins, last), lead, came, after)
        outcomes = came[origins] - self._level(origins)
        errors, middle = cross_fit(rows[:-1], outcomes, rows[-1])
        weights = self._weigh(origins, np.append(outcomes - errors, middle))
        errors = errors / self._varied[origins]
        loss = self._find_loss(origins, lead, outcomes, errors, [one for one in shares if one != 0.5])
        moved = [
            one if one == 0.5 else shorten_tail(one, len(self.logs) / lead)  # the median needs no tail
            for one in shares
        ]
        found = _quantiles(errors, weights, moved)
        now = self._level(np.array([last]))[0] + middle
        return self._to_rates(now + self._varied[last] * found).tolist(), loss

    def _to_rates(self, logs: Floats) -> Floats:
        top = float(self.logs.max()) + HIGHEST_LOG
        return np.asarray(np.maximum(np.exp(np.minimum(logs, top)) - self.offset, 0.0), dtype=float)

    def _find_loss(
        self, origins: Steps, lead: int, outcomes: Floats, errors: Floats, quantiles: Sequence[float]
    ) -> float:
        """The mean pinball loss of quantiles of errors, learned from the older half and judged on the newer.

        Only the newest are judged, as lines are: a forecast may be good on other days, and bad now.
        """
        half = len(origins) // 2
        newest = slice(max(half, int(np.searchsorted(origins, len(self.logs) - lead - HISTORY // 2))), None)
        learned = np.quantile(errors[:half], quantiles)[:, np.newaxis]
        levels, varied = self._level(origins[newest]), self._varied[origins[newest]]
        came = np.exp(levels + outcomes[newest]) - self.offset
        middles = levels + outcomes[newest] - errors[newest] * varied
        beyond = came - self._to_rates(middles + varied * learned)
        share = np.array(quantiles)[:, np.newaxis]
        return float(np.maximum(share * beyond, (share - 1.0) * beyond).mean(axis=1).sum())

    def _choose_origins(self, lead: int) -> Steps:
        first = min(SPANS[-1], len(self.logs) // 4)
        origins = np.arange(first, len(self.logs) - lead)
        # Jobs come at the same minutes of the hour: the moment of now must be among those that are kept.
        every = max(-(-len(origins) // MOST_ORIGINS), 1)
        kept: Steps = origins[(len(self.logs) - 1 - origins) % every == 0]
        return kept

    def _mean(self, ends: Steps, span: int) -> Floats:
        starts = np.maximum(ends + 1 - span, 0)
        return (self._sums[ends + 1] - self._sums[starts]) / (ends + 1 - starts)

    def _level(self, origins: Steps) -> Floats:
        return self._mean(origins, SPANS[LEVEL])

    def _features(self, origins: Steps, lead: int, came: Floats, after: Floats) -> Floats:
        levels = [self._mean(origins, span) for span in SPANS]
        columns: list[Floats] = [np.ones(len(origins)), *(a - b for a, b in pairwise(levels))]
        for season in self.seasons:
            then = origins - season * -(-(lead + SMOOTHING) // season)
            each = then[:, np.newaxis] - season * np.arange(SEASONS_AVERAGED)
            are_known, each = each >= SMOOTHING, np.maximum(each, SMOOTHING)
            sharp = np.where(are_known, came[each] - after[each], 0.0).sum(axis=1)
            known, then = are_known[:, 0], each[:, 0]
            before = self._smoothed[then]
            columns += [
                np.where(known, after[then] - before, 0.0),
                np.where(known, before - levels[2], 0.0),
                known.astype(float),
                sharp / np.maximum(are_known.sum(axis=1), 1),
            ]
        return np.column_stack(columns)

    def _weigh(self, origins: Steps, forecasts: Floats) -> Floats:
        count, last = len(origins), len(self.logs) - 1
        similar = self._find_similar(np.append(origins, last), forecasts)
        recent = np.arange(count) >= count - max(count // 7, FEWEST_ERRORS)
        weights = SIMILAR_SHARE * similar / similar.sum() + RECENT_SHARE * recent / recent.sum()
        season = self.seasons[0] if self.seasons else 0
        apart = (origins - last) % season if season else np.zeros(count)
        same = np.minimum(apart, season - apart) <= max(season // 24, 1) if season else recent
        same = same if same.sum() >= FEWEST_ERRORS else recent
        return np.asarray(weights + SAME_HOUR_SHARE * same / same.sum(), dtype=float)

    def _find_similar(self, moments: Steps, forecasts: Floats) -> NDArray[np.bool_]:
        """Which of the moments are most like the last one: in level, slopes, changes and forecast."""
        level, longer = self._level(moments), [self._mean(moments, span) for span in SPANS[-2:]]
        seen = np.stack([level, *(level - one for one in longer), self._changes[moments], forecasts], axis=1)
        low, high = np.quantile(seen, (0.1, 0.9), axis=0)
        apart = np.square((seen[:-1] - seen[-1]) / (high - low + QUIETEST)).sum(axis=1)
        nearest = min(max(round(SIMILAR_PART * len(apart)), FEWEST_SIMILAR), len(apart))
        return np.asarray(apart <= np.partition(apart, nearest - 1)[nearest - 1], dtype=bool)


def cross_fit(rows: Floats, outcomes: Floats, newest: Floats) -> tuple[Floats, float]:
    """Returns the errors of forecasts that had not seen their outcome, and the forecast from the `newest` row."""
    half = len(rows) // 2
    grams = [part.T @ part for part in (rows[:half], rows[half:])]
    moments = [
        part.T @ came for part, came in ((rows[:half], outcomes[:half]), (rows[half:], outcomes[half:]))
    ]
    ridge = PENALTY * np.eye(rows.shape[1])
    older, newer, both = (
        np.linalg.solve(gram + ridge, moment)
        for gram, moment in (
            *zip(grams, moments, strict=True),
            (grams[0] + grams[1], moments[0] + moments[1]),
        )
    )
    errors = outcomes - np.concatenate((rows[:half] @ newer, rows[half:] @ older))
    return errors, float(newest @ both)


def _quantiles(values: Floats, weights: Floats, shares: Sequence[float]) -> Floats:
    order = np.argsort(values)
    sums = np.cumsum(weights[order]) - 0.5 * weights[order]
    return np.asarray(np.interp(shares, sums / weights.sum(), values[order]), dtype=float)


def forecast_by_seasons(workload: Workload, steps: int, level: float) -> WorkloadForecast:
    """Returns the bands of the next `steps` rates, as far ahead as a third of the known rates; the season is named.

    Raises WorkloadTooShort for few rates, and ConstantWorkload where all are equal.
    """
    check_level(level)
    rates = workload.series[-MOST_STEPS_KNOWN:]
    check_forecastable(rates, FEWEST_STEPS)
    found, day = find_season(rates, workload.day_steps), workload.day_steps
    reach = len(rates) // LARGEST_PART
    bands = SeasonBands(rates, list_seasons(found, day, len(rates)))
    known = [bands.band(lead, level) for lead in list_leads(steps, reach)]
    expected, lower, upper = join_bands(known, min(steps, reach))
    said = [describe_season(found, workload.step_seconds)]
    if steps > reach:
        said.append(describe_shorter(reach, steps, len(rates)))
    losses = find_known_losses(known)
    return WorkloadForecast(None, expected, lower, upper, tuple(said), "seasons", losses)


def describe_season(found: Season | None, step_seconds: float) -> Diagnostic:
    """Says after how long the rates repeat themselves best, or that they do not."""
    if found is None:
        return Diagnostic("no-season", "The rates do not repeat themselves: no season was found.")
    detail = f"The rates repeat themselves best after {write_seconds(found.steps * step_seconds)}"
    return Diagnostic(
        "season-found", f"{detail} (correlation {found.likeness:.2f}), and the forecast uses that."
    )
