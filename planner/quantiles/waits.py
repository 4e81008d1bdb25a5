"""How long a visit of a drawn tuple waits: not at all with probability 1 − P, else D·W/P, with a drawn D of mean 1.

W is the mean wait and P the probability of a wait, for each instance where the operator is keyed. The wait of a tuple
never grows where P and W/P do not grow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats, Indices
from planner.queueing.erlang import wait_at_all
from planner.queueing.instances.single_servers import ease_waits
from planner.queueing.queueings import KEYED
from planner.situations.situation import Situation
from planner.values import SHARED

ROUNDING = 1e-9
FEW_INSTANCES, FEW_CELLS, MANY_CELLS = 128, 8_192, 65_536
LEAST_STRETCH, MOST_STRETCH = 0.25, 4.0
HALVINGS = 12


class Wait(NamedTuple):
    """The wait at an operator: its mean, and the probability that a tuple waits at all."""

    mean_seconds: float
    probability: float

    @property
    def is_none(self) -> bool:
        """Whether no tuple waits."""
        return self.mean_seconds <= 0.0 or self.probability <= 0.0

    @property
    def delay_seconds(self) -> float:
        """The mean wait of the tuples that wait."""
        return 0.0 if self.is_none else self.mean_seconds / self.probability

    def is_longer_than(self, other: "AnyWait") -> bool:
        """Whether some tuple could wait longer under this wait than under `other`."""
        return spread_evenly(self).is_longer_than(other)


@dataclass(frozen=True, slots=True)
class InstanceWaits:
    """The waits at the instances of an operator; `ends` are the cumulated parts of the tuples that the
    instances get.
    """

    ends: Floats
    delays: Floats
    probabilities: Floats

    @classmethod
    def prepare(cls, parts: Floats, means: Floats, probabilities: Floats) -> "InstanceWaits":
        """The waits at instances from their parts of the tuples, mean waits and probabilities of a wait, in
        this order.
        """
        waits = (means > 0.0) & (probabilities > 0.0)
        probability = np.where(waits, probabilities, 0.0)
        delays = np.where(waits, means / np.where(waits, probabilities, 1.0), 0.0)
        return cls(np.cumsum(parts) / parts.sum(), delays, probability)

    @property
    def is_none(self) -> bool:
        """Whether no tuple waits."""
        return not self.delays.any()

    def find_instances(self, keys: Floats) -> Indices:
        """The instance of each key between 0 and 1."""
        cells = FEW_CELLS if len(self.ends) <= FEW_INSTANCES else MANY_CELLS
        found = (
            search_ends(self.ends, keys) if len(keys) < 2 * cells else search_cells(self.ends, keys, cells)
        )
        return np.minimum(found, len(self.ends) - 1)

    def is_longer_than(self, other: "AnyWait") -> bool:
        """Whether a tuple of some key could wait longer under these waits than under `other`."""
        others = spread_evenly(other)
        ends = np.union1d(self.ends, others.ends)
        keys = (np.concatenate(([0.0], ends[:-1])) + ends) / 2.0
        mine, its = self.find_instances(keys), others.find_instances(keys)
        more = self.probabilities[mine] > others.probabilities[its] * (1.0 + ROUNDING)
        longer = self.delays[mine] > others.delays[its] * (1.0 + ROUNDING)
        return bool(np.any((self.delays[mine] > 0.0) & (more | longer)))


AnyWait = Wait | InstanceWaits


def search_ends(ends: Floats, keys: Floats) -> Indices:
    """For each key, the number of the ascending `ends` that are at or below it."""
    return np.searchsorted(ends, keys, side="right")


def search_cells(ends: Floats, keys: Floats, cells: int) -> Indices:
    """The results of search_ends in a fifth of its time, from a table of `cells` equal cells, a power of 2."""
    reached = search_ends(ends, np.arange(cells + 2) / cells)  # with a cell for 1.0 itself
    cell = (keys * cells).astype(np.intp)
    found = reached[cell]
    unsure = np.flatnonzero((reached[1:] != reached[:-1])[cell])
    found[unsure] = search_ends(ends, keys[unsure])
    return found


def spread_evenly(wait: AnyWait) -> InstanceWaits:
    """The wait as waits at instances, with a single instance for all keys where instances are not told apart."""
    if isinstance(wait, InstanceWaits):
        return wait
    one = np.ones(1)
    return InstanceWaits.prepare(one, one * wait.mean_seconds, one * wait.probability)


def find_waits(situation: Situation, counts: Sequence[int]) -> list[AnyWait] | None:
    """The wait at each operator with `counts` processors; None where an operator cannot keep up."""
    waits = situation.wait_seconds(counts)
    if inf in waits:
        return None
    if situation.stations.grouped:  # drawn services are as long as with the processors that were measured
        waits = correct_services(situation, waits)
    found: list[AnyWait] = [
        Wait(*pair) for pair in zip(waits, situation.waiting_probability(counts), strict=True)
    ]
    for operator, inflow in enumerate(situation.stations.inflows or ()):
        wait, count = found[operator], counts[operator]
        if wait.is_none:
            continue
        if inflow.queueing == KEYED and (inflow.instances or inflow.groups):
            found[operator] = find_instance_waits(situation, operator, count)
        elif inflow.queueing == SHARED and inflow.idc and isinstance(wait, Wait):
            found[operator] = find_bursty_wait(situation, operator, count, wait)
    return found


def correct_services(situation: Situation, waits: Sequence[float]) -> list[float]:
    """The waits, which count services from one processor alone, beside services as long as they were measured."""
    rows = zip(situation.topology.operators, situation.stations.service_rate, waits, strict=True)
    found = []
    for operator, alone, wait in rows:
        measured = (situation.load.operators[operator.name].service_rate or 1.0) * operator.concurrency
        longer = 0.0 if operator.scaling is None else 1.0 / measured - 1.0 / float(alone)
        found.append(max(wait - longer, 0.0))
    return found


def find_bursty_wait(situation: Situation, operator: int, count: int, wait: Wait) -> Wait:
    """The wait at a shared queue under bursts: more tuples wait than Erlang's C says, because they come together.

    The tuples that wait, wait for (a* + s)/(2(kμ − λ)) on average, as at one server k times as fast, with a* the
    dispersion of arrivals and s the SCV of services; no more than the utilisation, as a part of all tuples, wait.
    """
    queues = situation.stations.prepare_general([operator]).bend(np.array([count]))
    k = np.array([count], np.float64)
    slack = ((k - queues.high) - queues.low)[0]
    lasting = queues.see_pooled(k).lasting
    delay = (lasting[0] + queues.service_scv[0]) / (2.0 * slack * queues.service_rate[0]) * queues.factor[0]
    together = min(wait.mean_seconds / delay, queues.high[0] / count)
    return Wait(wait.mean_seconds, float(max(wait.probability, together)))


def find_instance_waits(situation: Situation, operator: int, count: int) -> InstanceWaits:
    """The waits at the instances of a keyed operator with known shares, the busiest instance first."""
    counts = np.array([count], np.int64)
    queues = situation.stations.prepare_general([operator]).bend(counts)
    k = counts.astype(np.float64)
    singles = queues.list_servers(counts, k)
    seen, _ = queues.see_servers(singles)
    row = singles.row
    waits = queues.wait_at_servers(singles, k) * queues.factor[row] / queues.service_rate[row]
    rho = singles.share * queues.high[row]
    probability = wait_at_all(seen, queues.service_scv[row], rho) * ease_waits(queues.servers[row], rho)
    return InstanceWaits.prepare(singles.part, waits, probability)


def stretch_waits(waits: Sequence[AnyWait], stretch: float) -> Sequence[AnyWait]:
    """The waits multiplied by `stretch`; the probabilities that a tuple waits stay."""
    if stretch == 1.0:
        return waits
    return [
        wait._replace(mean_seconds=wait.mean_seconds * stretch)
        if isinstance(wait, Wait)
        else replace(wait, delays=wait.delays * stretch)
        for wait in waits
    ]


def find_stretch(
    measure: Callable[[Sequence[AnyWait]], float],
    waits: Sequence[AnyWait],
    simulated_seconds: float,
    error_seconds: float,
) -> float:
    """The largest factor of drawn waits at which `measure` gives no more seconds than simulations do, by bisection.

    Modelled waits err by some percent, and the factor changes little from one number of processors or one rate to the
    next. It is 1 where draw and simulations differ by no more than the error of the simulations, which a plan allows
    for: an allocation that holds in simulation then holds on the draw too.
    """
    if abs(measure(waits) - simulated_seconds) <= error_seconds:
        return 1.0
    low, high = LEAST_STRETCH, MOST_STRETCH
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        is_below = measure(stretch_waits(waits, middle)) <= simulated_seconds
        low, high = (middle, high) if is_below else (low, middle)
    return low
