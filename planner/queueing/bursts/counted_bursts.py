"""Bursts out of counters: the index of dispersion of a stream, from how many tuples came in successive spans.

A span is a length of time with the number of tuples N that came in it; spans that follow each other without a gap are
a run. At a length w the counts of windows of w are compared with the line through the windows before and after, so
that a stream that slowly grows or falls has no bursts. With I(w) = Var N(w)/E N(w) this gives

    H(w) = E[(N₁ − 2N₂ + N₃)²]/(6 E N) = (15·I(w) − 12·I(2w) + 3·I(3w))/6

(for windows of unequal length, weighted by their lengths), and I(w) = (6·H(w) + 12·I(2w) − 3·I(3w))/15 from the longest
window down, beyond which I is taken as constant. A length counts if the runs hold LEAST_WINDOWS windows of it.

A burst that came once, or a rate that stepped up, is no property of the stream: the largest events, windows far from
their line with the neighbours that share them, count as much as the largest event after them.

Below the shortest span nothing is counted. There I(t) is taken as 1 + A(1 − (1 − e^(−gt))/gt), which is the I(t) of
independent gaps that are hyperexponential (g = 2λ/(A + 2)) or like Erlang's (g = 2λ/(1 − c), c = 1 + A < 1), and of
rates that change at random. Of all g up to that of independent gaps, it is the largest that fits the shortest windows.
"""

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.values import IdcPoint

LEAST_WINDOWS = 30
LONGEST_SECONDS = 600.0
WHOLE = 0.01
"""A count may differ from a whole number by so much where it is a rate times a time."""
CHANCE_WINDOWS = 3.2
"""Independent arrivals give H(w) with a variance of about CHANCE_WINDOWS over the number of windows."""
SURE = 1.5
"""Deviations by chance up to this multiple of their size count as no bursts."""
SINGLE_EVENTS = 2
"""So many events are single ones: a step up and the step down after it, or the two ends of a burst."""
MOST_GROWTH = 3.0
"""Arrivals at a rate that changes at random make H(2w) hardly more than so many times H(w); a smooth wave up to 32."""
MOST_OCTAVES = 24
SLOWEST = 0.01
"""The slowest growth of I(t) that is tried, per shortest span: from there on I(t) − 1 grows along a line."""
FITTED = 3
"""The shortest lengths by which I(t) below them is judged."""


class Span(NamedTuple):
    """A length of time, and the tuples that came in it."""

    seconds: float
    tuples: float


class WindowLevel(NamedTuple):
    """The dispersion H of windows of a length, and how many such windows were counted."""

    seconds: float
    dispersion: float
    windows: float


Run = Sequence[Span]


def find_idc(short: Sequence[Run], long: Sequence[Run] = ()) -> tuple[IdcPoint, ...]:
    """I(t) of a stream from runs of short and of long spans; empty where too few spans were counted.

    Runs of which some tuples are no whole numbers are left out: rates that were averaged or drawn show no bursts.
    """
    short, long = ([run for run in runs if run] if are_whole(runs) else [] for runs in (short, long))
    runs = [*short, *long]
    levels = join_levels(measure_levels(short), measure_levels(long))
    if not levels:
        return ()
    seconds = np.array([level.seconds for level in levels])
    idc = settle_chance(unfold(levels), levels)
    rate = sum([one.tuples for run in runs for one in run]) / sum(
        [one.seconds for run in runs for one in run]
    )
    windows, below = extend(seconds, idc, levels, rate)
    return tuple(map(IdcPoint, [*windows.tolist(), *seconds.tolist()], [*below.tolist(), *idc.tolist()]))


def are_whole(runs: Sequence[Run]) -> bool:
    """Whether the tuples of all spans are whole numbers."""
    return all(abs(span.tuples - round(span.tuples)) <= WHOLE for run in runs for span in run)


def join_levels(short: Sequence[WindowLevel], long: Sequence[WindowLevel]) -> list[WindowLevel]:
    """The levels of short spans up to the first of the long spans, and those of the long ones."""
    first = long[0].seconds if long else LONGEST_SECONDS * 2.0
    return [*[level for level in short if level.seconds < 0.75 * first], *long]


def measure_levels(runs: Sequence[Run]) -> list[WindowLevel]:
    """H(w) of windows of one span, of two, of four and so on, of all runs together."""
    usable = [np.array(run, np.float64).reshape(-1, 2) for run in runs if len(run) > 2]
    lengths = [run[:, 0] for run in usable]
    if not usable or not sum([run[:, 1].sum() for run in usable]):
        return []
    base = float(np.median(np.concatenate(lengths)))
    sums = [np.vstack([np.zeros(2), np.cumsum(run, axis=0)]) for run in usable]
    levels: list[WindowLevel] = []
    for octave in range(MOST_OCTAVES):
        size = 2**octave
        long_enough = [one for one in sums if len(one) > 3 * size]
        windows = sum([one[-1, 0] for one in long_enough]) / (base * size)
        if windows < LEAST_WINDOWS or base * size > 1.01 * LONGEST_SECONDS:
            break
        left, chance = zip(*[compare_windows(one, size) for one in long_enough], strict=True)
        if sum(chance) <= 0.0:
            break
        dispersion = settle_events(left, size) / sum(chance)
        if levels:
            dispersion = min(dispersion, MOST_GROWTH * levels[-1].dispersion)
        levels.append(WindowLevel(base * size, dispersion, float(windows)))
    return levels


def compare_windows(sums: Floats, size: int) -> tuple[Floats, float]:
    """The squares by which rates of windows leave the line between their neighbours, and their sum if by chance alone.

    `sums` are seconds and tuples since the beginning of a run, at the borders of its spans.
    """
    parts = sums[size:] - sums[:-size]
    before, middle, after = parts[: -2 * size], parts[size:-size], parts[2 * size :]
    whole = before + middle + after
    ahead = (before[:, 0] + middle[:, 0]) / np.maximum(whole[:, 0] + middle[:, 0], 1e-12)
    behind = 1.0 - ahead
    rates = [one[:, 1] / one[:, 0] for one in (before, middle, after)]
    left = (rates[1] - behind * rates[0] - ahead * rates[2]) ** 2
    chance = 1.0 / middle[:, 0] + behind**2 / before[:, 0] + ahead**2 / after[:, 0]
    return left, float((whole[:, 1] / whole[:, 0] * chance).sum())


def settle_events(squares: Sequence[Floats], size: int) -> float:
    """The sum of the squares of runs, the largest SINGLE_EVENTS events as large as the largest one after them.

    An event is a square with all that share a span with its windows of `size` spans.
    """
    reach = 3 * size - 1
    rest = np.concatenate([np.concatenate([one, np.zeros(reach)]) for one in squares])
    events: list[tuple[float, float]] = []
    for _ in range(SINGLE_EVENTS):
        place = int(np.argmax(rest))
        event = slice(max(place - reach, 0), place + reach + 1)
        events.append((float(rest[place]), float(rest[event].sum())))
        rest[event] = 0.0
    largest = float(rest.max())
    return float(rest.sum()) + sum([total * largest / peak for peak, total in events if peak > 0.0])


def unfold(levels: Sequence[WindowLevel]) -> Floats:
    """I(w) of the levels, from H(w) of windows and the I of longer ones."""
    logs = np.log([level.seconds for level in levels])
    idc = np.array([level.dispersion for level in levels])
    for i in range(len(levels) - 2, -1, -1):
        twice, thrice = np.interp(logs[i] + np.log([2.0, 3.0]), logs[i + 1 :], idc[i + 1 :])
        idc[i] = max((6.0 * idc[i] + 12.0 * twice - 3.0 * thrice) / 15.0, 0.0)
    return idc


def find_chance(levels: Sequence[WindowLevel]) -> Floats:
    """The relative error by chance of the dispersion at each level."""
    return np.sqrt(CHANCE_WINDOWS / np.array([level.windows for level in levels]))


def settle_chance(idc: Floats, levels: Sequence[WindowLevel]) -> Floats:
    """The dispersion, drawn to 1 as far as independent arrivals may differ from 1 by chance."""
    beyond = np.maximum(np.abs(idc - 1.0), 1e-12)
    kept = np.maximum(1.0 - (SURE * find_chance(levels) / beyond) ** 2, 0.0)
    return np.asarray(1.0 + (idc - 1.0) * kept)


def extend(seconds: Floats, idc: Floats, levels: Sequence[WindowLevel], rate: float) -> tuple[Floats, Floats]:
    """Windows shorter than the shortest span, down to where half a tuple comes, and I(t) in them."""
    first = float(seconds[0])
    octaves = min(max(ceil(log2(2.0 * rate * first)), 0), MOST_OCTAVES)
    windows = first * 2.0 ** -np.arange(octaves, 0, -1.0)
    beyond = idc - 1.0
    memory = find_memory(seconds[:FITTED], beyond[:FITTED], find_chance(levels)[:FITTED], rate)
    shape = grow(memory * windows) / grow(np.array([memory * first]))
    return windows, 1.0 + beyond[0] * shape


def grow(x: Floats) -> Floats:
    """1 − (1 − e^−x)/x: the part of its last value that I(t) − 1 has reached at a scaled time x above 0."""
    return np.asarray(1.0 + np.expm1(-x) / x)


def find_fastest(excess: float, rate: float) -> float:
    """How fast I(t) grows from 1 to 1 + `excess` if gaps are independent: hyperexponential, or like Erlang's."""
    return 2.0 * rate / (excess + 2.0 if excess > 0.0 else max(-excess, 1e-3))


def find_memory(seconds: Floats, beyond: Floats, chance: Floats, rate: float) -> float:
    """How fast I(t) − 1 grows to its last value: the largest g that the shortest windows allow."""
    fastest = find_fastest(float(beyond[0]), rate)
    if beyond[0] <= 0.0:
        return fastest
    octaves = max(log2(fastest * float(seconds[0]) / SLOWEST), 1.0)
    tried = fastest * 2.0 ** -np.arange(0.0, octaves, 0.5)
    shapes = grow(tried[:, None] * seconds)
    scale = (shapes * beyond / chance**2).sum(axis=1) / (shapes**2 / chance**2).sum(axis=1)
    misfit = (((scale[:, None] * shapes - beyond) / (chance * np.maximum(beyond, 1.0))) ** 2).sum(axis=1)
    fits = misfit <= misfit.min() + 1.0
    return float(tried[np.argmax(fits)])
