"""The rates that may come within an hour: paths from what followed similar moments, random walks, and the way back.

Rates are logarithms, and the steps of a path are as long as the intervals. With the level L (the mean of three minutes,
or the newest rate where this jumped), and the slope v of the last 15 minutes, an earlier moment u gives the path

    L_now + (x_{u+h} − L_u) + φ (v_now − v_u) min(h, 30)

weighted by how alike slope and level were at u; what of it is not known yet goes on with the slope of now. φ, between 0
and 1, says how much of a slope went on in the past. No path goes far beyond what was seen. A jump that was seen once
may have begun within its interval: half of the paths go on to where it may lead, but a jump that leads back to rates
that were seen goes on to the highest of these at most.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Floats

HORIZON = 60.0
LEVEL, SLOPE, MOMENTUM = 3.0, 15.0, 30.0
CALM = 15.0
"""Minutes of which the mean counts where processors are given up."""
JUMP, JUMP_NOISES, LEAST_NOISE, FEW = 0.12, 4.0, 0.03, 5
MOST_ORIGINS, WALKS, WALK = 120, 20, 0.02
WALKS_KNOWN = 30.0
"""Minutes of measured rates from which walks are as wide as usual: of less, the newest rate is all that is known."""
FADING = 0.98
PRIOR, PRIOR_WEIGHT = 0.5, 0.05
BEYOND_SEEN = 0.3
SLOPE_NOISE, STRETCHES, FEWEST_STRETCHES = 0.5, 5, 3
HARDLY_ANY = 0.98
BACKWARD_PART, WALKS_PART = 0.15, 0.10
SMALLEST = 1e-9
HALF_SEEN = (1.0, 0.7, 1.0, 0.4)
"""The parts of a jump that its first interval may have shown, in turn from path to path."""


@dataclass(frozen=True, slots=True)
class RateLevel:
    """The logarithm of the rate now: its level and slope per minute, and a jump that only the newest interval shows.

    `calm` is the level by the mean of a quarter of an hour.
    """

    value: float
    slope: float
    fresh_jump: float = 0.0
    noise: float = 0.0
    calm: float = -inf


@dataclass(frozen=True, slots=True)
class RateLevels:
    """The level at every moment, its slope per minute, whether the rate jumped there, and the scatter of rates."""

    values: Floats
    slopes: Floats
    is_jump: NDArray[np.bool_]
    noise: float


@dataclass(frozen=True, slots=True)
class Futures:
    """Paths of the logarithm of the rate, one a row, with weights whose sum is 1; `step` is in minutes."""

    paths: Floats
    weights: Floats
    step: float
    level: RateLevel

    def calm_down(self) -> "Futures":
        """The same paths from the level of a quarter of an hour, where that is higher than the level of now."""
        by = max(0.0, self.level.calm - self.level.value)
        level = replace(self.level, value=self.level.value + by)
        return replace(self, paths=self.paths + by, level=level)

    def find_highest(self) -> float:
        """The rate that hardly any path exceeds."""
        tops = self.paths.max(axis=1)
        order = np.argsort(tops)
        place = int(np.searchsorted(np.cumsum(self.weights[order]), HARDLY_ANY))
        return exp(float(tops[order[min(place, len(tops) - 1)]]))


def count_steps(minutes: float, step: float, least: int = 1) -> int:
    """The number of steps in so many minutes."""
    return max(least, round(minutes / step))


def take_logs(rates: Floats) -> Floats:
    """The logarithms of the rates; where nothing came, a small part of the usual rate."""
    known = rates[rates > 0.0]
    floor = 0.02 * float(np.median(known)) if len(known) else SMALLEST
    return np.asarray(np.log(np.maximum(rates, floor)))


def find_levels(x: Floats, step: float) -> RateLevels:
    """The levels: a rate is a jump where it is far from the line through the level before it."""
    span = count_steps(LEVEL, step)
    sums = np.cumsum(np.concatenate([[0.0], x]))
    ends = np.arange(1, len(x) + 1)
    begins = np.maximum(ends - span, 0)
    means = (sums[ends] - sums[begins]) / (ends - begins)
    back = count_steps(SLOPE, step, 2)
    before = means[np.maximum(np.arange(len(x)) - back, 0)]
    drifts = (means - before) / (back * step)
    expected = means[:-1] + drifts[:-1] * step * 0.5 * (span + 1)
    apart = np.concatenate([[0.0], x[1:] - expected])
    noise = max(LEAST_NOISE, 1.4826 * float(np.median(np.abs(apart[1:]))) if len(apart) > FEW else 0.0)
    is_jump = np.abs(apart) > max(JUMP, JUMP_NOISES * noise)
    jumped = np.maximum.accumulate(np.where(is_jump, np.arange(len(x)), 0))
    begins = np.maximum(begins, jumped)
    levels = (sums[ends] - sums[begins]) / (ends - begins)
    return RateLevels(levels, find_slopes(levels, is_jump, step, noise), is_jump, noise)


def find_slopes(levels: Floats, is_jump: NDArray[np.bool_], step: float, noise: float) -> Floats:
    """The slope per minute at every moment: the median of five stretches, less its noise.

    A stretch with a jump does not count, so that a step has no slope: beside it, the highest of the others would be the
    median. What few stretches say between jumps is no slope.
    """
    part = count_steps(SLOPE / STRETCHES, step)
    at = np.arange(len(levels))
    ends = [np.maximum(at - place * part, 0) for place in range(STRETCHES + 1)]
    jumps = np.cumsum(is_jump)
    rises = np.array([levels[later] - levels[before] for later, before in pairwise(ends)])
    jumped = np.array([jumps[later] > jumps[before] for later, before in pairwise(ends)])
    rises[jumped] = np.nan
    rises[:, (~jumped).sum(axis=0) < FEWEST_STRETCHES] = 0.0
    slopes = np.nanmedian(rises, axis=0) / (part * step)
    scatter = 2.0 * SLOPE_NOISE * noise / (part * step)
    return np.asarray(slopes * np.maximum(0.0, 1.0 - (scatter / np.maximum(np.abs(slopes), SMALLEST)) ** 2))


def find_level(x: Floats, found: RateLevels, step: float) -> RateLevel:
    """The level of now, and the jump of the newest interval if the one before it had none."""
    fresh = 0.0
    if len(x) > 1 and found.is_jump[-1] and not found.is_jump[-2]:
        fresh = float(x[-1] - found.values[-2])
    value, slope = float(found.values[-1]), float(found.slopes[-1])
    return RateLevel(value, slope, fresh, found.noise, find_calm(x, found, step))


def find_calm(x: Floats, found: RateLevels, step: float) -> float:
    """The level by the mean of a quarter of an hour, since the newest jump at most, moved on with the slope."""
    jumps = np.flatnonzero(found.is_jump)
    begin = max(len(x) - count_steps(CALM, step), int(jumps[-1]) if len(jumps) else 0)
    return float(x[begin:].mean() + found.slopes[-1] * 0.5 * step * (len(x) - begin - 1))


def find_momentum(levels: Floats, slopes: Floats, step: float) -> float:
    """φ: how much of a slope went on for the next 15 minutes in the past, from 0 to 1."""
    ahead = count_steps(SLOPE, step, 2)
    if len(levels) <= ahead:
        return PRIOR
    moved, went_on = SLOPE * slopes[:-ahead], levels[ahead:] - levels[:-ahead]
    weight = FADING ** (step * np.arange(len(moved))[::-1])
    seen = (weight * moved * went_on).sum() + PRIOR * PRIOR_WEIGHT
    return float(np.clip(seen / ((weight * moved**2).sum() + PRIOR_WEIGHT), 0.0, 1.0))


@cache
def draw_walks(steps: int, step: float) -> Floats:
    """Random walks, the same at every call."""
    moves = np.random.default_rng(1).standard_normal((WALKS // 2, steps)) * WALK * step**0.5
    walks = np.cumsum(moves, axis=1)
    return np.concatenate([walks, -walks])


def look_into_futures(rates: Floats, step: float) -> Futures:
    """The paths that the rate may take in the next hour; `rates` are the newest, oldest first."""
    x = take_logs(rates)
    steps = count_steps(HORIZON, step, 6)
    levels = find_levels(x, step)
    now = find_level(x, levels, step)
    momentum = find_momentum(levels.values, levels.slopes, step)
    rows, weights = follow_origins(x, levels, now, momentum, step=step, steps=steps)
    back = np.resize(x[::-1][:steps], steps)
    back[len(x) :] = x[0]
    alike = max(float(weights.sum()), SMALLEST)
    others = BACKWARD_PART + WALKS_PART
    known = min(1.0, len(rates) * step / HORIZON) * (1.0 - others) if len(weights) else 0.0
    walks = draw_walks(steps, step) * min(1.0, len(rates) * step / WALKS_KNOWN)
    paths = np.concatenate([rows, now.value + walks, back[None, :]])
    weights = np.concatenate(
        [
            weights / alike * known,
            np.full(WALKS, (1.0 - known) * WALKS_PART / others / WALKS),
            [(1.0 - known) * BACKWARD_PART / others],
        ]
    )
    most = max(float(x.max()), now.value + MOMENTUM * momentum * max(now.slope, 0.0)) + BEYOND_SEEN
    paths = np.minimum(paths, most)
    return Futures(go_on(paths, now, float(x[:-1].max(initial=-inf))), weights, step, now)


def follow_origins(
    x: Floats, found: RateLevels, now: RateLevel, momentum: float, *, step: float, steps: int
) -> tuple[Floats, Floats]:
    """What followed earlier moments, moved to the level of now, and how alike these moments were."""
    last = len(x) - 1 - count_steps(5.0, step)
    first = min(count_steps(SLOPE, step), max(last, 0))
    if last <= first:
        return np.empty((0, steps)), np.empty(0)
    origins = np.unique(np.linspace(first, last, min(MOST_ORIGINS, last - first + 1)).astype(int))
    ahead = np.arange(1, steps + 1)
    places = np.minimum(origins[:, None] + ahead, len(x) - 1)
    levels, slopes = found.values, found.slopes
    known = np.minimum(len(x) - 1 - origins, steps)
    minutes = np.minimum(ahead * step, MOMENTUM)
    seen = np.minimum(minutes, known[:, None] * step)
    drift = momentum * (now.slope * minutes - slopes[origins][:, None] * seen)
    # Beyond what is known of a path, it stays at the mean of its end.
    tails = np.where(known < steps, levels[-1] - x[-1], 0.0)
    rows = now.value + x[places] - levels[origins][:, None] + drift
    rows += np.where(ahead > known[:, None], tails[:, None], 0.0)
    unlike = ((slopes[origins] - now.slope) / (0.5 * slopes.std() + 0.05 / SLOPE)) ** 2
    unlike += ((levels[origins] - now.value) / (0.5 * levels.std() + 0.05)) ** 2
    return rows, np.exp(-0.5 * (unlike - unlike.min())) * known / steps


def go_on(paths: Floats, now: RateLevel, highest: float) -> Floats:
    """The paths, of which half go on to where a jump may lead that began within the newest interval.

    A jump that is not beyond the highest rate before it goes on to that rate at most.
    """
    if not now.fresh_jump:
        return paths
    before, seen = exp(now.value - now.fresh_jump), exp(now.value)
    most = inf if now.value > highest + JUMP else max(highest - now.value, 0.0)
    offsets = [log(max(before + (seen - before) / part, 0.2 * seen) / seen) for part in HALF_SEEN]
    return np.asarray(paths + np.resize([min(one, most) for one in offsets], len(paths))[:, None])
