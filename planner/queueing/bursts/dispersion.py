"""Bursts: the variability of arrivals at the length of time that decides on the wait.

I(t) = Var N(t)/E N(t) is measured at some lengths t, for the number N(t) of arrivals. It is taken as constant in cells
of t of an octave or less, around lengths from 0.7/μ (shorter ones show nothing of queues) to the longest length; the
first and the last cell have no bound. s is the SCV of services and ρ the utilisation. Robust queueing (Whitt and You
2018) sees as the longest wait, in services of the queue, x = νt,

    value = max over cells of min( √(2x(I + s)) − (1 − ρ)x,  E max B ),   at the x where the first is largest

ν are the services per second of the queue. B is a Brownian motion of drift r − 1 and variance r(a₀ + s), a₀ = I(1/μ),
over the time x: the backlog while the operators upstream send at their capacity, r times the capacity of the queue.
Even the longest burst cannot bring more; but calm arrivals queue (a₀ + s)/(2(1 − ρ)) in any case. Robust queueing by
itself has max √(2rx(a₀ + s)) − (1 − r)x there: as much in the long run where r < 1, and up to 2.5 times as much where r
is near 1.

The variability that counts is a* = 2(1 − ρ)·value − s: I where it is constant. In each cell value/ν falls as processors
are added, and by ever less where upstream does not bind; so does the largest. The I of the cell that decides would be
as accurate, and jumps from one number of processors to the next.

Where processors share a queue, bursts are backlogs that the processors work off together: the most by which robust
queueing's value of a cell is above what a₀ at all t would have built up until the end of the cell, and at most E max B.
Both fall as processors are added, and so does the lower of the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import NamedTuple

import numpy as np

from planner.arrays import ARRAYS, Floats, Indices
from planner.queueing.queueings import find_rounding
from planner.special import ndtr
from planner.values import IdcPoint

MOST_CELLS = 64
NO_CURVE = -1
SHORTEST = 0.7  # services
LONGEST = 1e40  # seconds; finite, because infinity times 0 is not a number
LEAST_FREE = 1e-60  # the smallest 2(1 − ρ)² that has an effect
LEAST_DRIFT, LEAST_VARIANCE, MOST_DEVIATIONS = 1e-7, 1e-12, 38.0
UNBOUNDED = 50.0  # a capacity so many times that of the operator never binds


class View(NamedTuple):
    """How queues see an operator's bursts: dispersion = constant + slope·I(t) + a part from the rounding of senders.

    `curve` is the row of I(t). The operator has `rate` arrivals per second, and `k` instances that `senders` deal to.
    """

    curve: Indices
    constant: Floats
    slope: Floats
    rounding: Floats
    rate: Floats
    senders: Floats
    k: Floats

    def select(self, chosen: Indices) -> "View":
        """The views of the queues `chosen` alone."""
        return View(self.curve[chosen], *[column[chosen] for column in self[1:]])

    def see(self, levels: Floats, seconds: Floats) -> Floats:
        """The dispersion of arrivals at each queue, where the operator's I(t) is `levels` at the times `seconds`."""
        seen = self.constant[:, None] + self.slope[:, None] * levels
        if self.rounding.any():
            arrivals = self.rate[:, None] * seconds
            added = find_rounding(self.k[:, None], self.senders[:, None], arrivals, ARRAYS)
            seen += self.rounding[:, None] * added
        return np.asarray(np.maximum(seen, 0.0))


class Servers(NamedTuple):
    """The services of several queues: rate per second, SCV, idle part 1 − ρ, and upstream over own capacity."""

    nu: Floats
    scv: Floats
    free: Floats
    upstream: Floats


class CurveList:
    """The curves of I(t), the dispersion of a load's arrivals, each with the service rate of one processor."""

    def __init__(self) -> None:
        self.measured: list[Sequence[IdcPoint]] = []
        self.service_rates: list[float] = []

    def add(self, points: Sequence[IdcPoint], service_rate: float) -> int:
        """Adds a curve and returns its number, or NO_CURVE for fewer than two points, which show no bursts."""
        if len(points) < 2:
            return NO_CURVE
        self.measured.append(points)
        self.service_rates.append(service_rate)
        return len(self.measured) - 1


@dataclass(frozen=True)
class Dispersions:
    """I(t), the dispersion of arrivals, of several operators or instances in cells of t: middles and bounds in seconds.

    Rows are padded with their last cell. `near` is I(1/μ) and `service_seconds` is 1/μ, with μ the service rate.
    """

    seconds: Floats
    low: Floats
    high: Floats
    idc: Floats
    near: Floats
    service_seconds: Floats

    @classmethod
    def prepare(cls, curves: CurveList) -> "Dispersions":
        """The curves cut into cells of time, one row for each curve."""
        measured, service_rates = curves.measured, curves.service_rates
        rows = [cut_cells(points, mu) for points, mu in zip(measured, service_rates, strict=True)]
        most = max([row.shape[1] for row in rows], default=1)
        cells = np.array([np.pad(row, ((0, 0), (0, most - row.shape[1])), "edge") for row in rows])
        near = [interpolate(points, -log(mu)) for points, mu in zip(measured, service_rates, strict=True)]
        seconds, low, high, idc = np.moveaxis(cells.reshape(-1, 4, most), 1, 0)
        return cls(seconds, low, high, idc, np.array(near), 1.0 / np.array(service_rates))

    def look(self, view: View) -> "SeenCells":
        """The cells of time with the dispersion that the queues of `view` see in each."""
        row = view.curve
        levels = self.idc[row]
        near = view.see(self.near[row][:, None], self.service_seconds[row][:, None])
        return SeenCells(self.low[row], self.high[row], levels, view.see(levels, self.seconds[row]), near)


class SeenCells(NamedTuple):
    """Cells of time as several queues see them: bounds in seconds, I(t) of the operator, and I(t) at the queue.

    `near` is a₀, the dispersion of arrivals within one service, in a column.
    """

    low: Floats
    high: Floats
    levels: Floats
    idc: Floats
    near: Floats

    def find_lasting(self, servers: Servers) -> tuple[Floats, Floats]:
        """The dispersion a* that decides on each queue's wait, and the operator's I(t) in the cell that decides."""
        value = self.find_values(self.idc + servers.scv[:, None], servers)
        best, each = np.argmax(value, axis=1), np.arange(len(value))
        lasting = np.maximum(2.0 * servers.free * value[each, best] - servers.scv, 0.0)
        return lasting, self.levels[each, best]

    def find_backlog(self, servers: Servers) -> Floats:
        """The wait, in services of the queue, that bursts add to the wait from the dispersion within one service.

        The result is at most the backlog that upstream can send. Both fall as processors are added.
        """
        variability, nu, free = servers.scv[:, None], servers.nu[:, None], servers.free[:, None]
        bounds = nu * self.low, nu * self.high
        calm = find_longest(self.near + variability, free, (np.zeros_like(self.high), bounds[1]))
        added = find_longest(self.idc + variability, free, bounds) - calm
        return np.asarray(np.maximum(np.minimum(added, self.find_sent(servers)), 0.0).max(axis=1))

    def find_sent(self, servers: Servers) -> Floats:
        """The backlog in each cell of time while upstream sends at capacity; inf where no capacity is known."""
        r = np.minimum(servers.upstream, UNBOUNDED)[:, None]
        free, nu, variability = servers.free[:, None], servers.nu[:, None], servers.scv[:, None]
        at = place_longest(self.idc + variability, free, (nu * self.low, nu * self.high))
        built = find_mean_backlog(r - 1.0, r * (self.near + variability), at)
        return np.where(r < UNBOUNDED, built, np.inf)

    def find_values(self, variability: Floats, servers: Servers) -> Floats:
        """The longest wait in each cell, limited by its measured dispersion and by the capacity upstream."""
        nu, free = servers.nu[:, None], servers.free[:, None]
        bounds = nu * self.low, nu * self.high
        value = find_longest(variability, free, bounds)
        if np.any(servers.upstream < UNBOUNDED):
            r = np.minimum(servers.upstream, UNBOUNDED)[:, None]
            sent = r * (self.near + servers.scv[:, None])
            capped = find_mean_backlog(r - 1.0, sent, place_longest(variability, free, bounds))
            calm = (self.near + servers.scv[:, None]) / np.maximum(2.0 * free, LEAST_FREE)
            value = np.minimum(value, np.where(r < UNBOUNDED, np.maximum(capped, calm), np.inf))
        return value


def find_longest(variability: Floats, free: Floats, bounds: tuple[Floats, Floats]) -> Floats:
    """The largest value of √(2x·variability) − free·x between two bounds of x, in services; `free` is the idle part 1 −
    ρ. The largest is at x = variability/2free² if that lies inside the bounds.
    """
    x = place_longest(variability, free, bounds)
    return np.asarray(np.sqrt(2.0 * x * variability) - free * x)


def place_longest(variability: Floats, free: Floats, bounds: tuple[Floats, Floats]) -> Floats:
    """The time x, in services, between two bounds at which √(2x·variability) − free·x is largest; `free` is 1 − ρ."""
    low, high = bounds
    top = variability / np.maximum(2.0 * free * free, LEAST_FREE)
    return np.asarray(np.clip(np.where(free > 0.0, top, high), low, high))


def find_mean_backlog(drift: Floats, variance: Floats, x: Floats) -> Floats:
    """The mean of the highest point, over the time 0 to x, of a Brownian motion of drift m and variance v.

    √(vx)·φ(z) + mx·Φ(z) + v(2Φ(z) − 1)/2m, z = m√(x/v), φ and Φ the density and distribution of the normal law.
    """
    v, m = np.maximum(variance, LEAST_VARIANCE), np.where(np.abs(drift) < LEAST_DRIFT, LEAST_DRIFT, drift)
    x = np.minimum(x, LONGEST)
    z = np.clip(m * np.sqrt(x / v), -MOST_DEVIATIONS, MOST_DEVIATIONS)
    density = np.exp(-z * z / 2.0) / np.sqrt(2.0 * np.pi)
    reached = ndtr(z)
    grown = np.where(reached > 1e-300, m * x * reached, 0.0)
    return np.asarray(
        np.maximum(np.sqrt(v * x) * density + grown + v * (2.0 * reached - 1.0) / (2.0 * m), 0.0)
    )


def cut_cells(points: Sequence[IdcPoint], service_rate: float) -> Floats:
    """Rows of middles, lower bounds, upper bounds and I(t) of cells of time that span an octave or less."""
    end = log(points[-1].window_seconds)
    begin = min(max(log(points[0].window_seconds), log(SHORTEST / service_rate)), end)
    cells = min(ceil((end - begin) / log(2.0) - 1e-9), MOST_CELLS - 1) + 1
    middles = np.linspace(begin, end, cells)
    between = np.exp((middles[1:] + middles[:-1]) / 2.0)
    low, high = np.concatenate([[0.0], between]), np.concatenate([between, [LONGEST]])
    return np.array([np.exp(middles), low, high, interpolate(points, middles)])


def interpolate(points: Sequence[IdcPoint], log_seconds: Floats | float) -> Floats:
    """I(t) at the logarithms of time `log_seconds`: linear in ln t between measured points, constant beyond them."""
    windows, levels = zip(*points, strict=True)
    return np.asarray(np.interp(log_seconds, np.log(windows), levels))
