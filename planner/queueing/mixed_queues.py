"""Many operators as queues in arrays, some with bursts or with one queue per processor.

Erlang's formulas hold for an operator with one queue and no known bursts; all other operators are called general. The
functions of both kinds of queues are the same as those of ArrayQueues.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import inf

import numpy as np

from planner.arrays import Counts, Floats, Indices
from planner.queueing.array_queues import ArrayQueues, Look, log_erlang_b
from planner.queueing.erlang import LEAST_LOAD, erlang_c, find_least_stable_counts, wait_at_all
from planner.queueing.gain_curves import LEAST_GAIN, wait_or_inf
from planner.queueing.instances.instance_curves import FARTHEST, RESOLVED
from planner.queueing.instances.instance_queues import CODES, InstanceQueues
from planner.queueing.instances.key_shares import UNREACHABLE
from planner.queueing.instances.scaling import FARTHEST as MOST_TRIED
from planner.queueing.instances.scaling import find_first, find_peak
from planner.queueing.instances.single_servers import ease_waits
from planner.queueing.queueings import Flags
from planner.values import SHARED, Scaling

VANISHED = LEAST_GAIN / 10.0
"""What stands for a gain that has vanished where its logarithm is needed."""


@dataclass(frozen=True)
class MixedQueues:
    """The queues of all operators in topology order; `place` is an operator's number among those of its kind."""

    erlang: ArrayQueues
    general: InstanceQueues
    is_general: Flags
    place: Indices

    @classmethod
    def join(cls, erlang: ArrayQueues, general: InstanceQueues, is_general: Flags) -> "MixedQueues":
        """The queues of both kinds together; `is_general` is True at the places of the general operators."""
        place = np.where(is_general, np.cumsum(is_general), np.cumsum(~is_general)) - 1
        return cls(erlang, general, is_general, place)

    def __len__(self) -> int:
        return len(self.place)

    def gather(self, erlang: Floats, general: Floats) -> Floats:
        """The values of all operators in topology order, from those of Erlang's and of general operators."""
        column = np.empty(len(self))
        column[~self.is_general], column[self.is_general] = erlang, general
        return column

    @cached_property
    def parts(self) -> "tuple[ArrayQueues, InstanceQueues]":
        """The queues by Erlang's formulas and the general queues, each with one entry per operator of its kind."""
        return self.erlang.select(self.place[~self.is_general]), self.general.select(
            self.place[self.is_general]
        )

    @cached_property
    def high(self) -> Floats:
        """The offered load of each operator, rounded to one float."""
        erlang, general = self.parts
        return self.gather(erlang.high, general.high)

    @cached_property
    def service_rate(self) -> Floats:
        """The service rate of one processor at each operator, in services per second."""
        erlang, general = self.parts
        return self.gather(erlang.service_rate, general.service_rate)

    def guess_for_total(self, total: int) -> Floats:
        """A first guess of each operator's processors that are `total` in sum.

        Spare processors are in proportion to √A where Erlang's formulas hold, and to A√V elsewhere, with A the offered
        load and V the mean of the SCVs: VA²/(k − A) tuples wait where each processor has a queue, so equal gains mean
        that k − A is in proportion to A√V.
        """
        erlang, general = self.parts
        needs = self.gather(np.sqrt(erlang.high), general.need)
        spare = (total - float(np.sum(self.high))) / float(np.sum(needs))
        return np.asarray(self.high + spare * needs)

    def guess_for_waiting(self, limit: float) -> Floats:
        """A first guess of each operator's processors, so that about `limit` tuples wait at all operators."""
        erlang, general = self.parts
        first = erlang.guess_for_waiting(limit) if len(erlang) else np.empty(0)
        return self.gather(first, general.high + general.need * (float(np.sum(general.need)) / limit))

    def select(self, chosen: Indices | slice) -> "MixedQueues":
        """The queues of the operators `chosen`, in the order of `chosen`."""
        return MixedQueues(self.erlang, self.general, self.is_general[chosen], self.place[chosen])

    @cached_property
    def is_busy(self) -> Flags:
        """Flags of the operators where more processors could help: tuples arrive there, and some of them wait."""
        is_busy = np.empty(len(self), dtype=bool)
        erlang, general = self.parts
        is_busy[~self.is_general] = erlang.is_busy
        floors = find_least_stable(general)
        helped = (general.high >= LEAST_LOAD) & (floors < UNREACHABLE)
        at = np.flatnonzero(helped)
        helped[at] = general.select(at).wait_in_services(floors[at]) > 0.0
        is_busy[self.is_general] = helped
        return is_busy

    def find_floors(self) -> Counts:
        """The fewest processors of each operator that keep up with its arrivals."""
        floors = np.empty(len(self), np.int64)
        erlang, general = self.parts
        floors[~self.is_general] = erlang.find_floors()
        floors[self.is_general] = find_least_stable(general)
        return floors

    def wait_seconds(self, counts: Sequence[int] | Counts) -> Floats:
        """The mean wait at each operator in seconds; inf where an instance cannot keep up."""
        k = np.asarray(counts, np.int64)
        erlang, general = self.parts
        return self.gather(erlang.wait_seconds(k[~self.is_general]), wait_or_inf(general, k[self.is_general]))

    def find_gains(self, counts: Sequence[int] | Counts) -> tuple[list[float], list[float], list[float]]:
        """The mean wait at each operator, the gain of one processor more, and the gain that the last processor brought.

        A gain is the number of waiting tuples that the processor saves, λ(W(k) − W(k+1)) or λ(W(k−1) − W(k)).
        """
        k = np.asarray(counts, np.int64)
        erlang, general = self.parts
        of_erlang = erlang.find_gains(k[~self.is_general])
        of_general = find_general_gains(general, k[self.is_general])
        waits, following, previous = (
            self.gather(np.asarray(one), other).tolist()
            for one, other in zip(of_erlang, of_general, strict=True)
        )
        return waits, following, previous

    def look_at(self, counts: Counts, floor: Counts) -> Look:
        """The logarithms of the gains of each operator's last and next processor at `counts`."""
        erlang, general = self.parts
        first = erlang.look_at(counts[~self.is_general], floor[~self.is_general])
        second = look_at_general(general, counts[self.is_general], floor[self.is_general])
        return Look(
            *(self.gather(getattr(first, one.name), getattr(second, one.name)) for one in fields(Look))
        )

    def find_log_after(self, counts: Counts, _log_b: Floats) -> Floats:
        """The logarithm of the gain of each operator's processor after the next."""
        return self.look_at(counts + 1, counts + 1).log_next

    def is_resolved(self, counts: Counts) -> Flags:
        """Flags of operators where doubles show how gains fall from one processor to the next."""
        return np.asarray(~self.is_general | (counts - self.high < 2.0**0.5 * RESOLVED))

    @property
    def is_always_falling(self) -> bool:
        """False: with general operators it is unknown whether gains fall at every k."""
        return False


def find_least_stable(queues: InstanceQueues, least: Counts | int = 1) -> Counts:
    """The fewest processors, `least` or more, with which every instance keeps up."""
    floors = np.maximum(find_least_stable_counts(queues.high, queues.low), least)
    for i, shares in queues.list_measured_keys():
        floors[i] = shares.find_least_stable(float(queues.high[i]), int(floors[i]))
    for i, scaling in enumerate(queues.scalings if queues.is_bent else ()):
        if scaling is not None and floors[i] < UNREACHABLE:
            floors[i] = find_least_bent(queues.select(np.array([i])), scaling, int(floors[i]))
    return floors


def find_least_bent(queues: InstanceQueues, scaling: Scaling, least: int) -> int:
    """The fewest processors, `least` or more and no more than serve most, with which one operator keeps up."""

    def is_enough(k: int) -> bool:
        return bool(queues.is_stable(np.array([k], np.int64))[0])

    most = find_peak(scaling) or MOST_TRIED
    groups = [shares.groups for _, shares in queues.list_measured_keys() if shares.groups is not None]
    if groups:
        tried = range(least, min(most, groups[0].number) + 1)
        return next((k for k in tried if is_enough(k)), UNREACHABLE)
    return find_first(is_enough, least, most) or UNREACHABLE


def find_general_gains(queues: InstanceQueues, counts: Counts) -> tuple[Floats, Floats, Floats]:
    """The mean wait at each general operator, and the gains of the next and the last processor by differences of waits.

    A gain is at least 0; the gain of the last processor is inf where one fewer cannot keep up.
    """
    before, here, after = (wait_or_inf(queues, np.maximum(counts + by, 1)) for by in (-1, 0, 1))
    rate = queues.high * queues.service_rate
    with np.errstate(invalid="ignore"):
        following = np.where(here < inf, rate * np.maximum(here - after, 0.0), 0.0)
        previous = np.where((before < inf) & (counts > 1), rate * np.maximum(before - here, 0.0), inf)
    return here, following, previous


def look_at_general(queues: InstanceQueues, counts: Counts, floor: Counts) -> Look:
    """The logarithms of the gains of the last and the next processor at general operators, by differences of waits.

    Where `counts` is at `floor` there is no last processor; the gain of the next but one takes its place.
    """
    has_last = counts > floor
    triple = np.where(has_last[:, None], [[-1, 0, 1]], [[0, 1, 2]]) + counts[:, None]
    several = queues.select(np.repeat(np.arange(len(counts)), 3))
    waits = several.wait_in_services(triple.ravel()).reshape(-1, 3)
    gains = (waits[:, :-1] - waits[:, 1:]) * queues.high[:, None]
    strides = np.maximum((triple[:, :-1] - queues.high[:, None]) / RESOLVED, 1.0) ** 2
    for column in (0, 1):
        at = np.flatnonzero(strides[:, column] >= 2.0)
        if at.size:  # as DifferenceCurve: the mean gain over the next stride
            stride = strides[at, column].astype(np.int64)
            later = queues.select(at).wait_in_services(triple[at, column] + stride)
            gains[at, column] = (waits[at, column] - later) / stride * queues.high[at]
    for column in (0, 1):
        at = np.flatnonzero(gains[:, column] <= LEAST_GAIN)
        if at.size:
            gains[at, column] = look_ahead(queues.select(at), triple[at, column], waits[at, column])
    logs = np.log(
        np.maximum(gains, VANISHED)
    )  # below every gain that counts, so that no search takes it for one
    # W falls at least like 1/(k − A) in the long run; where gains do not fall, that leads further than they do
    slope = np.minimum(logs[:, 1] - logs[:, 0], -1.0 / (counts + 1.0 - queues.high))
    log_next = np.where(has_last, logs[:, 1], logs[:, 0])
    log_last = np.where(has_last, logs[:, 0], inf)
    here = np.where(has_last, waits[:, 1], waits[:, 0])
    return Look(log_last, log_next, slope, here, np.zeros(len(counts)))


def look_ahead(queues: InstanceQueues, counts: Counts, waits: Floats) -> Floats:
    """The gain per processor of each general operator up to the nearest power of two at which the wait is shorter."""
    gains: Floats = np.zeros(len(counts))
    ahead, at = 2, np.flatnonzero(waits > 0.0)
    while at.size and ahead <= FARTHEST:
        later = queues.select(at).wait_in_services(counts[at] + ahead)
        gains[at] = np.maximum(queues.high[at] * (waits[at] - later) / ahead, 0.0)
        at = at[gains[at] <= LEAST_GAIN]
        ahead *= 2
    return gains


def find_waiting_probability(queues: InstanceQueues, counts: Counts) -> Floats:
    """The part of tuples that wait at each operator: Erlang's C if the queue is shared, else the utilisation."""
    queues = queues.bend(counts)
    k = counts.astype(np.float64)
    singles = queues.list_servers(counts, k)
    a, _ = queues.see_servers(singles)
    waiting: Floats = np.zeros(len(k))
    row, rho = singles.row, singles.share * queues.high[singles.row]
    of_each = wait_at_all(a, queues.service_scv[row], rho) * ease_waits(queues.servers[row], rho)
    np.add.at(waiting, row, singles.part * of_each)
    at = np.flatnonzero(queues.code == CODES[SHARED])
    n, load = (k * queues.servers)[at], (queues.high * queues.servers)[at]
    slack = (((k - queues.high) - queues.low) * queues.servers)[at]
    waiting[at] = erlang_c(n, np.exp(log_erlang_b(n, load, slack)), load, slack)
    return np.clip(waiting, 0.0, 1.0)


def find_burstiness(queues: InstanceQueues, counts: Counts) -> Floats:
    """The index of dispersion of an operator's arrivals at the length that counts; 0 where it is not known."""
    queues = queues.bend(counts)
    k = counts.astype(np.float64)
    found = np.where(queues.code == CODES[SHARED], queues.see_pooled(k).level, 0.0)
    singles = queues.list_servers(counts, k)
    np.maximum.at(found, singles.row, queues.see_servers(singles)[1])
    return found
