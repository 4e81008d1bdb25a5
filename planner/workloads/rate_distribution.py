"""How likely is each rate in a coming interval?

Three layers learn from past rates alone. A ridge regression for each step of the interval forecasts the logarithm of
the rate. A second regression forecasts how large the error of the first will be, from the errors of the last hours and
of the same hours on the days before. The past errors, divided by their forecast sizes, give the shape of the
distribution.
"""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import stdtrit

from planner.arrays import Floats
from planner.workloads.series import Window


class Ridge:
    """Ridge regressions, one for each target: weights β that minimise Σ(y − xβ)² + penalty·|β − prior|².

    y are the outcomes of a target, and x the features that each outcome is forecast from.
    """

    def __init__(self, targets: int, features: int, penalty: float, prior: Mapping[int, float]) -> None:
        self.prior: Floats = np.zeros((targets, features))
        for column, value in prior.items():
            self.prior[:, column] = value
        self.weights: Floats = self.prior
        self._gram = np.tile(np.eye(features) * penalty, (targets, 1, 1))
        self._moments = penalty * self.prior

    def learn(self, rows: Floats, outcomes: Floats) -> None:
        """Updates the weights of all regressions by rows of features (targets × n × features) and their outcomes
        (targets × n).
        """
        transposed = rows.transpose(0, 2, 1)
        self._gram += transposed @ rows
        self._moments += (transposed @ outcomes[..., None])[..., 0]
        solved = np.linalg.solve(self._gram, self._moments[..., None])[..., 0]
        self.weights = np.asarray(solved, dtype=float)

    def predict(self, rows: Floats) -> Floats:
        """Returns the outcomes (targets × n) that the regressions expect for these rows of features."""
        return np.asarray((rows @ self.weights[..., None])[..., 0], dtype=float)


class Rows:
    """A growing array of rows, to which rows are added at the end without a copy of all rows each time."""

    def __init__(self, *shape: int) -> None:
        self._data = np.zeros((1024, *shape))
        self.count = 0

    def extend(self, block: Floats) -> None:
        """Appends a block of rows to the array."""
        end = self.count + len(block)
        if end > len(self._data):
            grown = np.zeros((max(2 * len(self._data), end), *self._data.shape[1:]))
            grown[: self.count] = self._data[: self.count]
            self._data = grown
        self._data[self.count : end] = block
        self.count = end

    @property
    def all(self) -> Floats:
        """Returns all rows of the array, without a copy."""
        return self._data[: self.count]


NDIndex = NDArray[np.intp]

LEVEL_SPANS = (1, 3, 10, 30, 120)
REFERENCE = 1
ERROR_SPANS = (10, 60, 400)
CHANGE_SPANS = ((1, 15), (5, 5), (5, 60))
DAYS_BACK = (1, 2)
# The logarithm is of (rate + half the mean rate), so that an outage of a minute does not outweigh a day of traffic.
OFFSET_SHARE = 0.5
FIRST_ERROR, SMALLEST_ERROR = 0.05, 0.005
# A forecast that is too high costs VMs; one that is too low costs service, and its error counts in full.
WEIGHT_ABOVE = 0.3
LOG_SPREADS = (-7.0, 1.0)
DROP_SHARE = 0.5
MEAN_PENALTY, SPREAD_PENALTY = 0.2, 10.0
QUANTILES = (np.arange(200) + 0.5) / 200
PRIOR_ROWS = 40
THINNING = 7
REFRESH_STEPS = 60
SMOOTHING = 15
SMOOTHING_REACH = 2
# A longer window is forecast at so many of its steps, evenly spread.
MOST_STEPS_TRIED = 60
# Steps learned from at once; fewer where the window ends sooner, for a forecast uses the error that far back.
BLOCK_STEPS = 10


class RateDistribution:
    """The distribution of the rates in one coming window, learned from the rates seen so far.

    Each call must send the rates of the call before, and may add newer rates.
    """

    def __init__(self, window: Window, day_steps: int = 1440) -> None:
        count = min(window.steps, MOST_STEPS_TRIED)
        self.steps = np.rint(np.linspace(window.first, window.last, count)).astype(np.intp)
        self.day_steps = day_steps
        # A step more than a day ahead is compared with days further back: the same hour of yesterday is not known yet.
        self._days_ahead = (self.steps + SMOOTHING_REACH - 1) // day_steps
        self._block_steps = min(BLOCK_STEPS, window.last)
        self._levels, self._logs, self._offsets = Rows(), Rows(), Rows()
        self._log_sums = Rows()
        self._log_sums.extend(np.zeros(1))
        self._means, self._errors = Rows(len(self.steps)), Rows(len(self.steps))
        self._sizes, self._size_sums = Rows(), Rows()
        self._size_sums.extend(np.zeros(1))
        self._spreads = Rows()
        self._spread_rows = Rows(1 + len(ERROR_SPANS) + len(CHANGE_SPANS) + len(DAYS_BACK) + 2)
        self._mean = Ridge(len(self.steps), len(LEVEL_SPANS) + len(DAYS_BACK), MEAN_PENALTY, {1: 0.3})
        self._spread = Ridge(1, self._spread_rows.all.shape[1], SPREAD_PENALTY, {1: 0.3, 2: 0.3, 3: 0.3})
        spans = (*ERROR_SPANS, *(span for _, span in CHANGE_SPANS))
        self._filters = {position: (span, np.zeros(1)) for position, span in enumerate(spans)}
        self._shape_at = -REFRESH_STEPS
        self._shape = np.zeros((len(self.steps), len(QUANTILES)))
        self._sum = 0.0

    def likely_rates(self, rates: Floats) -> Floats:
        """Equally likely rates for each step of the window, sorted; the window begins after the last of `rates`."""
        self.observe(rates)
        return self.spread_out(self.usual_shape)

    def observe(self, rates: Floats) -> None:
        """Learns from the rates that are new since the last call."""
        fresh = rates[self._logs.count :]
        for start in range(0, len(fresh), self._block_steps):
            self._observe(fresh[start : start + self._block_steps])
        self._refresh_shape(self._logs.count - 1)

    @property
    def past_errors(self) -> Floats:
        """The errors of past forecasts, divided by their forecast sizes: a row for each step forecast from."""
        return self._errors.all

    @property
    def usual_shape(self) -> Floats:
        """Equally likely errors for each step of the window (steps × errors), from the errors of seven days."""
        return self._shape

    def spread_out(self, shape: Floats) -> Floats:
        """Returns the rates of the coming window, sorted, if the errors are `shape` times their forecast size."""
        last = self._logs.count - 1
        center = self._reference(np.array([last]))[0] + self._means.all[last]
        ahead = center[:, None] + self._spreads.all[last] * shape
        # No forecast exceeds about twenty times the highest rate ever seen.
        cloud = np.exp(np.minimum(ahead.ravel(), self._logs.all.max() + 3.0)) - self._offsets.all[last]
        cloud.sort()
        return np.asarray(np.maximum(cloud, 0.0), dtype=float)

    def _observe(self, fresh: Floats) -> None:
        """Learns from a block of new steps: judges the forecasts whose steps are now known, and forecasts from each new
        step.
        """
        start = self._logs.count
        self._take_in(fresh)
        self._judge()
        rows = np.arange(start, self._logs.count)
        self._means.extend(self._mean.predict(self._mean_rows(rows)).T)
        spread_rows = self._spread_features(rows)
        self._spread_rows.extend(spread_rows)
        self._spreads.extend(np.exp(np.clip(self._spread.predict(spread_rows[None])[0], *LOG_SPREADS)))

    def _take_in(self, fresh: Floats) -> None:
        cleaned = self._without_drops(fresh)
        sums = self._sum + np.cumsum(cleaned)
        self._sum = float(sums[-1])
        counts = np.arange(self._logs.count + 1, self._logs.count + len(fresh) + 1)
        offsets = OFFSET_SHARE * sums / counts + 1e-300
        logs = np.log(cleaned + offsets)
        self._levels.extend(cleaned)
        self._offsets.extend(offsets)
        self._log_sums.extend(self._log_sums.all[-1] + np.cumsum(logs))
        self._logs.extend(logs)

    def _without_drops(self, fresh: Floats) -> Floats:
        """The rates with drop-outs replaced: a drop-out is a single step below half of each of the two rates before."""
        cleaned = np.array(fresh, dtype=float)
        before = list(self._levels.all[-2:])
        doubted = False
        for position, rate in enumerate(cleaned):
            doubted = len(before) > 1 and not doubted and rate < DROP_SHARE * min(before[-2:])
            if doubted:
                cleaned[position] = before[-1]
            before.append(cleaned[position])
        return cleaned

    def _judge(self) -> None:
        """Learns from the errors of the forecasts whose last step has been measured since the last call."""
        rows = np.arange(self._errors.count, max(self._logs.count - int(self.steps[-1]), self._errors.count))
        rows = rows[rows < self._means.count]
        if len(rows) == 0:
            return
        outcomes = self._logs.all[rows + self.steps[:, None]] - self._reference(rows)
        errors = outcomes - self._means.all[rows].T
        self._mean.learn(self._mean_rows(rows), outcomes)
        sizes = np.maximum(errors, -WEIGHT_ABOVE * errors).mean(axis=0)
        self._spread.learn(self._spread_rows.all[rows][None], np.log(sizes + SMALLEST_ERROR)[None])
        self._errors.extend((errors / self._spreads.all[rows]).T)
        self._size_sums.extend(self._size_sums.all[-1] + np.cumsum(sizes))
        self._sizes.extend(sizes)

    def _trailing(self, rows: NDIndex, span: int) -> Floats:
        low = np.maximum(rows + 1 - span, 0)
        return (self._log_sums.all[rows + 1] - self._log_sums.all[low]) / (rows + 1 - low)

    def _reference(self, rows: NDIndex) -> Floats:
        return self._trailing(rows, LEVEL_SPANS[REFERENCE])

    def _mean_rows(self, rows: NDIndex) -> Floats:
        """The features that forecast the rate of each step: 1, slopes between means, and changes on the days before."""
        levels = [self._trailing(rows, span) for span in LEVEL_SPANS]
        shared = [np.ones(len(rows)), *(a - b for a, b in pairwise(levels))]
        features = np.zeros((len(self.steps), len(rows), len(shared) + len(DAYS_BACK)))
        features[:, :, : len(shared)] = np.array(shared).T
        for position, days in enumerate(DAYS_BACK, len(shared)):
            then = rows - (self._days_ahead[:, None] + days) * self.day_steps
            known = then >= 2
            after = (then + self.steps[:, None])[known]
            features[known, position] = self._smooth(after) - self._smooth(then[known])
        return features

    def _smooth(self, rows: NDIndex) -> Floats:
        ends = self._log_sums.all
        return (ends[rows + SMOOTHING_REACH + 1] - ends[rows - SMOOTHING_REACH]) / (2 * SMOOTHING_REACH + 1)

    def _spread_features(self, rows: NDIndex) -> Floats:
        """Returns the features that forecast the size of an error.

        The features are 1, recent errors and changes, errors at the same hours of earlier days, and the rise of the
        rate.
        """
        first, logs = int(rows[0]), self._logs.all
        known = np.full(len(rows), FIRST_ERROR)
        due = rows - int(self.steps[-1])
        known[due >= 0] = self._sizes.all[due[due >= 0]]
        series = [known] * len(ERROR_SPANS)
        series += [np.abs(logs[rows] - logs[np.maximum(rows - lag, 0)]) for lag, _ in CHANGE_SPANS]
        recent = [np.log(SMALLEST_ERROR + self._decay(i, values, first)) for i, values in enumerate(series)]
        day = self.day_steps
        before = [self._errors_before(rows, days * day, recent[len(ERROR_SPANS) - 1]) for days in DAYS_BACK]
        rises = [logs[rows] - self._trailing(rows, span) for span in (day, 60)]
        return np.column_stack([np.ones(len(rows)), *recent, *before, *rises])

    def _decay(self, position: int, values: Floats, first: int) -> Floats:
        """Returns the exponentially weighted mean of a series at each step; the mean goes on from block to block."""
        span, state = self._filters[position]
        if first == 0:
            state = np.array([(1.0 - 1.0 / span) * values[0]])
        smooth, state = scipy.signal.lfilter([1.0 / span], [1.0, 1.0 / span - 1.0], values, zi=state)
        self._filters[position] = (span, state)
        return np.asarray(smooth, dtype=float)

    def _errors_before(self, rows: NDIndex, steps_back: int, otherwise: Floats) -> Floats:
        low = rows - steps_back - SMOOTHING
        judged = rows - int(self.steps[-1]) + 1
        high = np.minimum(low + 2 * SMOOTHING + 1, judged)
        known = (low >= 0) & (high > low)
        sums = self._size_sums.all
        means = (sums[high[known]] - sums[low[known]]) / (high[known] - low[known])
        features = otherwise.copy()
        features[known] = np.log(SMALLEST_ERROR + means)
        return features

    def _refresh_shape(self, last: int) -> None:
        """Sets the shape of the distribution: the quantiles of past errors divided by their forecast sizes.

        While few errors are known, the shape has heavy tails.
        """
        if last < self._shape_at + REFRESH_STEPS:
            return
        self._shape_at = last
        prior = 2.0 * stdtrit(3.0, (np.arange(PRIOR_ROWS) + 0.5) / PRIOR_ROWS)
        past = self._errors.all[-7 * self.day_steps :: THINNING]
        rows = np.concatenate((np.tile(prior[:, None], len(self.steps)), past))
        self._shape = np.quantile(rows, QUANTILES, axis=0).T
