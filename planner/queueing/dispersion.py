"""Bursts: the variability of arrivals at the length of time that decides on the wait.

I(t) = Var N(t)/E N(t) is measured at some lengths t. Between them it is linear in ln t, beyond them it stays.
The length that counts is t* = x*/(rate of service), in which robust queueing (Whitt and You 2018) sees the longest
wait:

    x* maximises  −(1 − ρ)x + √(2x(I(x) + s))

For a constant I the maximum lies at x* = (I + s)/(2(1 − ρ)²). What arrives within one service is a₀ = I(1/μ), which
the formulas of queues take as the SCV of arrivals; I(t*) − a₀ is what lasts longer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from planner.arrays import Floats, Indices
from planner.values import IdcPoint

STEPS_PER_OCTAVE = 4
MOST_STEPS = 200


@dataclass(frozen=True)
class Dispersions:
    """I(t) of several operators or instances: ln t and I in rows of one length, padded with the last value."""

    log_seconds: Floats
    idc: Floats

    @classmethod
    def prepare(cls, measured: Sequence[Sequence[IdcPoint]]) -> "Dispersions":
        """Rows on grids of four steps per octave; every measured list has two points or more."""
        rows = [refine(points) for points in measured]
        most = max([len(times) for times, _ in rows], default=1)
        log_seconds = [np.concatenate([times, np.full(most - len(times), times[-1])]) for times, _ in rows]
        idc = [np.concatenate([levels, np.full(most - len(levels), levels[-1])]) for _, levels in rows]
        return cls(np.array(log_seconds).reshape(-1, most), np.array(idc).reshape(-1, most))

    def at(self, rows: Indices, log_seconds: Floats) -> Floats:
        """I at one length of time for each of the rows."""
        times, levels = self.log_seconds[rows], self.idc[rows]
        place = np.clip((times <= log_seconds[:, None]).sum(axis=1), 1, times.shape[1] - 1)
        each = np.arange(len(rows))
        low, high = times[each, place - 1], times[each, place]
        part = np.where(high > low, (log_seconds - low) / np.where(high > low, high - low, 1.0), 0.0)
        part = np.clip(part, 0.0, 1.0)
        return np.asarray(levels[each, place - 1] * (1.0 - part) + levels[each, place] * part)

    def find_lasting(  # noqa: PLR0917 - one argument per symbol
        self, rows: Indices, constant: Floats, slope: Floats, s: Floats, free: Floats, rate: Floats
    ) -> Floats:
        """constant + slope·I(t*) for each of the rows; `rate` is that of the service, free = 1 − ρ."""
        times, levels = self.log_seconds[rows], self.idc[rows]
        seen = np.maximum(constant[:, None] + slope[:, None] * levels, 0.0)
        x = np.exp(times) * rate[:, None]
        value = np.sqrt(2.0 * x * (seen + s[:, None])) - free[:, None] * x
        best = np.argmax(value, axis=1)
        peak = self.at(rows, refine_peak(times, value, best))
        lasting = np.maximum(constant + slope * peak, 0.0)
        top = value[np.arange(len(rows)), best]
        for end in (0, -1):  # beyond the measured lengths I stays what it is
            level = seen[:, end]
            outside = (level + s) / (2.0 * free)
            x_outside = outside / free
            beyond = x_outside < x[:, 0] if end == 0 else x_outside > x[:, -1]
            lasting = np.where(beyond & (outside > top), level, lasting)
            top = np.where(beyond, np.maximum(top, outside), top)
        return lasting


def refine(points: Sequence[IdcPoint]) -> tuple[Floats, Floats]:
    """ln t in steps of a quarter octave or less, and I there."""
    times = np.array([log(point.window_seconds) for point in points])
    levels = np.array([point.idc for point in points])
    steps = int(min(np.ceil((times[-1] - times[0]) / log(2.0) * STEPS_PER_OCTAVE), MOST_STEPS))
    fine = np.union1d(times, np.linspace(times[0], times[-1], steps + 1))
    return fine, np.interp(fine, times, levels)


def refine_peak(times: Floats, value: Floats, best: Indices) -> Floats:
    """ln t of the top of the parabola through the best point and its neighbours; a point at an end stays."""
    each, last = np.arange(len(best)), times.shape[1] - 1
    left, right = np.maximum(best - 1, 0), np.minimum(best + 1, last)
    here = times[each, best]
    before, after = here - times[each, left], times[each, right] - here
    fall_left = value[each, best] - value[each, left]
    fall_right = value[each, best] - value[each, right]
    below = 2.0 * (fall_left * after + fall_right * before)
    inside = (before > 0.0) & (after > 0.0) & (below > 0.0)
    shift = (fall_left * after * after - fall_right * before * before) / np.where(inside, below, 1.0)
    return np.asarray(here + np.where(inside, np.clip(shift, -before, after), 0.0))
