"""Bursts: the variability of arrivals at the length of time that decides on the wait.

I(t) = Var N(t)/E N(t) is measured at some lengths t. Between them it is linear in ln t, beyond them it stays; lengths
below 0.7/μ say nothing of queues. The length that counts is t* = x*/ν, in which robust queueing (Whitt and You 2018)
sees the longest wait; ν are the services per second of the queue, x = νt:

    x* maximises  min( −(1 − ρ)x + √(2x(I(t) + s)),  −(1 − r)x + √(2rx(a₀ + s)) )

r is the capacity of the operators upstream over ν: however long a burst is, no more than that arrives. a₀ = I(1/μ).
Where the first is the smaller at x*, a* = I(t*); else a* is what gives the same value: 2(1 − ρ)·value − s.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from planner.arrays import ARRAYS, Floats, Indices
from planner.queueing.queueings import find_rounding
from planner.values import IdcPoint

STEPS_PER_OCTAVE = 4
MOST_STEPS = 200
SHORTEST = 0.7  # services
UNBOUNDED = 50.0  # a capacity so many times that of the operator never binds


class View(NamedTuple):
    """How queues see their arrivals: constant + slope·I(t) + what the rounding of senders adds, at each queue.

    `curve` is the row of I. The operator has `rate` arrivals per second, and `k` instances that `senders` deal to.
    """

    curve: Indices
    constant: Floats
    slope: Floats
    rounding: Floats
    rate: Floats
    senders: Floats
    k: Floats

    def select(self, chosen: Indices) -> "View":
        """Some of the queues."""
        return View(
            self.curve[chosen],
            self.constant[chosen],
            self.slope[chosen],
            self.rounding[chosen],
            self.rate[chosen],
            self.senders[chosen],
            self.k[chosen],
        )

    def see(self, levels: Floats, seconds: Floats) -> Floats:
        """The dispersion at each queue, where I(t) is `levels` and t is `seconds`: columns of rows."""
        arrivals = self.rate[:, None] * seconds
        added = find_rounding(self.k[:, None], self.senders[:, None], arrivals, ARRAYS)
        seen = self.constant[:, None] + self.slope[:, None] * levels + self.rounding[:, None] * added
        return np.asarray(np.maximum(seen, 0.0))


class Servers(NamedTuple):
    """The queues' services: μ of one server, ν of the queue, SCV, 1 − ρ, and r."""

    mu: Floats
    nu: Floats
    scv: Floats
    free: Floats
    upstream: Floats


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

    def see_at(self, view: View, log_seconds: Floats) -> Floats:
        """The dispersion at each queue, at one length of time each."""
        levels = self.at(view.curve, log_seconds)
        return view.see(levels[:, None], np.exp(log_seconds)[:, None])[:, 0]

    def find_lasting(self, view: View, servers: Servers) -> tuple[Floats, Floats, Floats]:
        """a₀, a* and I(t*) of the operator, for each queue."""
        times, levels = self.log_seconds[view.curve], self.idc[view.curve]
        seconds = np.exp(times)
        seen, x = view.see(levels, seconds), seconds * servers.nu[:, None]
        first = np.minimum(np.maximum(-np.log(servers.mu), times[:, 0]), times[:, -1])
        a0 = self.see_at(view, first)
        roomy, capped = find_values(x, seen, a0, servers)
        value = np.minimum(roomy, capped)
        value[:, :-1][(seconds * servers.mu[:, None] < SHORTEST)[:, :-1]] = -np.inf
        best, each = np.argmax(value, axis=1), np.arange(len(a0))
        peak = refine_peak(times, value, best)
        level, lasting = self.at(view.curve, peak), self.see_at(view, peak)
        outside = (seen[:, -1] + servers.scv) / (2.0 * servers.free)  # beyond the longest length I stays
        goes_on = (outside > servers.free * x[:, -1]) & (outside > value[each, best])
        goes_on &= roomy[:, -1] <= capped[:, -1]
        lasting, level = np.where(goes_on, seen[:, -1], lasting), np.where(goes_on, levels[:, -1], level)
        binds = ~goes_on & (capped[each, best] < roomy[each, best]) & (servers.upstream < 1.0)
        bound = np.maximum(2.0 * servers.free * value[each, best] - servers.scv, 0.0)
        return a0, np.where(binds, np.minimum(bound, lasting), lasting), level


def find_values(x: Floats, seen: Floats, a0: Floats, servers: Servers) -> tuple[Floats, Floats]:
    """What robust queueing sees at each x: with the measured dispersion, and with all that upstream can send."""
    s = servers.scv[:, None]
    roomy = np.sqrt(2.0 * x * (seen + s)) - servers.free[:, None] * x
    r = np.minimum(servers.upstream, UNBOUNDED)[:, None]
    capped = np.sqrt(2.0 * r * x * (a0[:, None] + s)) - (1.0 - r) * x
    return roomy, np.where(r < UNBOUNDED, capped, np.inf)


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
    top = value[each, best]
    with np.errstate(invalid="ignore"):
        fall_left, fall_right = top - value[each, left], top - value[each, right]
        below = 2.0 * (fall_left * after + fall_right * before)
        inside = (before > 0.0) & (after > 0.0) & (below > 0.0) & np.isfinite(below)
        shift = (fall_left * after * after - fall_right * before * before) / np.where(inside, below, 1.0)
    return np.asarray(here + np.where(inside, np.clip(np.where(inside, shift, 0.0), -before, after), 0.0))
