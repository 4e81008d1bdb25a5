"""The shares of arrivals that k instances get under keyed queueing, with whole key groups or without known groups.

Engines deal out M key groups (Flink's max parallelism) or partitions (Kafka) whole, so some of k instances hold ⌈M/k⌉:

    contiguous    group g goes to instance ⌊g·k/M⌋                (Flink)
    round-robin   group g goes to instance g mod k                (Kafka's assignors)

The weights of groups are the measured `group_shares`; else the share of a measured instance divided by the number of
its groups; else they are even. At the number of instances that was measured, the shares are those measured. So the
hottest share is a staircase in k, and it may rise: of 12 groups, 10 instances can be worse than 9.

Where M is not known, the shares measured at m instances are carried to k:

    k = m:  as measured
    k < m:  the hottest gets p₁ + (m/k − 1)(1 − p₁)/(m − 1): it takes over the keys of m/k − 1 average others
    k > m:  the hottest gets 1/k + (p₁ − 1/m), since a hot key stays whole
    The others share the rest in the proportions that were measured.

So the hottest share falls with k, but never below p₁ − 1/m, the excess over a fair share.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from planner.arrays import Counts, Floats, Indices
from planner.queueing.erlang import STABILITY_MARGIN
from planner.values import InstanceLoad, Operator, OperatorLoad

MOST_GROUPS = 64  # further instances are taken together in groups of like shares
MOST_DEALT = 2**15  # the most that Flink allows
UNREACHABLE = 2**60
"""A count that means: no number of processors is enough."""
LOWER = 1.0 - 1e-9  # a hottest share that is lower by less has only been rounded
Dealt = tuple[Floats, Floats]
"""Different shares of arrivals, the largest first, and the number of instances with each."""

CONTIGUOUS, IN_TURN = "contiguous", "round-robin"
ASSIGNMENTS: Mapping[str, Callable[[int, int], Indices]] = {
    CONTIGUOUS: lambda number, k: np.arange(number) * k // number,
    IN_TURN: lambda number, k: np.arange(number) % k,
}
"""The instance that each of a number of groups is dealt to, by the name of the rule."""


class KeyGroups(NamedTuple):
    """The key groups or partitions of an operator: their number, the rule that deals them, and measured weights."""

    number: int
    assignment: str = CONTIGUOUS
    weights: tuple[float, ...] = ()


def find_groups(operator: Operator, measured: OperatorLoad) -> KeyGroups | None:
    """The groups that a keyed operator deals out whole; None where their number is known neither by the topology nor
    by measured group_shares, or is so large that shares are as good as even.
    """
    weights = measured.group_shares
    number = len(weights) if operator.max_parallelism is None else operator.max_parallelism
    if not 0 < number <= MOST_DEALT:
        return None
    return KeyGroups(
        number, operator.group_assignment or CONTIGUOUS, weights if len(weights) == number else ()
    )


def find_key_shares(operator: Operator, measured: OperatorLoad) -> "KeyShares | None":
    """The shares of a keyed operator's instances; None where neither they are measured nor groups are known."""
    groups = find_groups(operator, measured)
    return KeyShares(measured.instances, groups) if measured.instances or groups else None


@dataclass(frozen=True)
class KeyShares:
    """The shares of a keyed operator's instances: those measured, in the order of their shares, and the groups."""

    instances: tuple[InstanceLoad, ...]
    groups: KeyGroups | None = None

    @cached_property
    def shares(self) -> Floats:
        """The share of each measured instance in the operator's arrivals, in sum 1, the largest first."""
        shares = np.array([one.share for one in self.instances])
        return np.asarray(shares / shares.sum())

    @cached_property
    def weights(self) -> Floats | None:
        """The part of the arrivals of each group; None where it is not measured."""
        if self.groups is None or not (self.groups.weights or self.instances):
            return None
        weights = np.array(self.groups.weights or weigh_groups(self.groups, self.instances))
        return np.asarray(weights / weights.sum())

    @cached_property
    def dealt(self) -> dict[int, Dealt]:
        """The shares of numbers of instances that were asked for, since dealing takes longer than all else."""
        return {}

    @cached_property
    def hottest(self) -> dict[int, float]:
        """The hottest shares of numbers of instances that were asked for."""
        return {}

    def find_hottest(self, k: int) -> float:
        """The share of the arrivals that the busiest of k instances would get."""
        size = len(self.instances)
        if k == 1:
            return 1.0
        if k == size:
            return float(self.shares[0])
        if self.groups is not None:
            if self.weights is None:
                return -(-self.groups.number // k) / self.groups.number
            if k not in self.hottest:
                self.hottest[k] = float(self.hold(k).max())
            return self.hottest[k]
        first = float(self.shares[0])
        if k > size:
            return 1.0 / k + (first - 1.0 / size)
        return first + (size / k - 1.0) * (1.0 - first) / (size - 1)

    def spread(self, k: int) -> Dealt:
        """The shares of arrivals that k instances would get, in groups, and the number of instances in each."""
        size = len(self.instances)
        if k == 1:
            return np.ones(1), np.ones(1)
        if k == size:
            shares, numbers = gather(self.shares[None, :], np.ones((1, size)))
            return shares[0], numbers[0]
        _, shares, numbers = self.spread_anew(np.array([k], np.float64))
        return shares, numbers

    def spread_anew(self, k: Floats) -> tuple[Indices, Floats, Floats]:
        """The shares as by `spread` for several k, none of them 1 or the measured number, one after another.

        The first array has the place in `k` of each share.
        """
        if self.groups is None:
            shares, numbers = self.interpolate(k)
            return np.repeat(np.arange(len(k)), shares.shape[1]), shares.ravel(), numbers.ravel()
        if self.weights is None:
            return deal_evenly(self.groups.number, k.astype(np.int64))
        found = [self.deal(int(one)) for one in k]
        places = np.repeat(np.arange(len(k)), [len(one) for one, _ in found])
        return places, np.concatenate([one for one, _ in found]), np.concatenate([one for _, one in found])

    def deal(self, k: int) -> Dealt:
        """The shares of k instances to which the weighted groups are dealt; instances without a group are left out."""
        if k not in self.dealt:
            loads = np.sort(self.hold(k))[::-1]
            shares = np.asarray(loads[loads > 0.0], np.float64)
            rows, numbers = gather(shares[None, :], np.ones((1, len(shares))))
            self.dealt[k] = rows[0], numbers[0]
        return self.dealt[k]

    def hold(self, k: int) -> Floats:
        """The share of each of k instances to which the weighted groups are dealt."""
        assert self.groups is not None
        assert self.weights is not None
        number = self.groups.number
        if self.groups.assignment == CONTIGUOUS and k <= number:
            firsts = -(-np.arange(k) * number // k)
            return np.asarray(np.add.reduceat(self.weights, firsts))
        owners = ASSIGNMENTS[self.groups.assignment](number, k)
        return np.asarray(np.bincount(owners, self.weights, k), np.float64)

    def interpolate(self, k: Floats) -> tuple[Floats, Floats]:
        """The shares and numbers of instances at several k in a row each, where groups are not known."""
        hottest = np.array([self.find_hottest(int(one)) for one in k])[:, None]
        rest = self.shares[1:] if len(self.shares) > 1 else self.shares
        each = ((k - 1.0) / len(rest))[:, None]
        others = share_out(rest, hottest, 1.0 - hottest, each)
        shares = np.concatenate([hottest, others], axis=1)
        numbers = np.concatenate([np.ones_like(hottest), np.broadcast_to(each, others.shape)], axis=1)
        return gather(shares, numbers)

    def find_least_stable(self, offered: float, least: int = 1) -> int:
        """The fewest instances from `least` up whose busiest one keeps up with its share of the load `offered`.

        UNREACHABLE where there are none. With whole groups more instances may keep up no longer, so each is tried.
        """
        limit = 1.0 - STABILITY_MARGIN  # the same rule as InstanceQueues.is_stable

        def is_short(k: int) -> bool:
            return self.find_hottest(k) * offered >= limit

        if self.groups is not None:
            if is_short(self.groups.number) and (
                self.weights is None or self.weights.max() * offered >= limit
            ):
                return UNREACHABLE
            least = max(
                least, min(int(offered), self.groups.number)
            )  # with fewer, even a fair share is too much
            tried = range(least, max(self.groups.number, len(self.instances)) + 1)
            return next((k for k in tried if not is_short(k)), UNREACHABLE)
        high = 1
        while is_short(high):
            high *= 2
            if high > UNREACHABLE:
                return UNREACHABLE
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if is_short(middle) else (low, middle)
        return max(high, least)

    def clip_idle(self, most: int) -> int:
        """`most` instances, or fewer where some of them would have no key group."""
        return most if self.groups is None else min(most, max(self.groups.number, len(self.instances)))

    def find_best(self, most: int) -> int:
        """The fewest instances, of at most `most`, of which the busiest gets as little as possible."""
        if self.groups is None:
            return most
        if self.weights is None and not self.instances:
            return -(-self.groups.number // -(-self.groups.number // min(most, self.groups.number)))
        return min(range(1, self.clip_idle(most) + 1), key=lambda k: (self.find_hottest(k), k))

    def find_next_useful(self, k: int) -> int | None:
        """The next number of instances at which the busiest gets less than with k; None where there is none, or where
        groups are not known.
        """
        if self.groups is None:
            return None
        limit = self.find_hottest(k) * LOWER
        if self.weights is not None and self.weights.max() >= limit:
            return None
        later = range(k + 1, self.groups.number + 1)
        return next((one for one in later if self.find_hottest(one) < limit), None)


def weigh_groups(groups: KeyGroups, instances: Sequence[InstanceLoad]) -> list[float]:
    """The weight of each group, from the shares of measured instances in the natural order of their names.

    More instances than groups have no share but those that hold a group.
    """
    ordered = sorted(instances, key=lambda one: order_name(one.instance))
    if len(ordered) >= groups.number:
        holding = sorted(range(len(ordered)), key=lambda i: -ordered[i].share)[: groups.number]
        return [ordered[i].share for i in sorted(holding)]
    owners = ASSIGNMENTS[groups.assignment](groups.number, len(ordered))
    sizes = np.bincount(owners)
    return [ordered[owner].share / float(sizes[owner]) for owner in owners.tolist()]


def order_name(name: str) -> list[tuple[int, str]]:
    """The key that sorts names with numbers by these numbers: score-2 before score-10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]


def deal_evenly(number: int, k: Counts) -> tuple[Indices, Floats, Floats]:
    """The shares of k instances to which even groups are dealt, with the place in `k` and the number of instances."""
    each, more = number // k, number % k
    places = np.repeat(np.arange(len(k)), 2)
    shares = np.stack([each + 1, each], axis=1).ravel() / number
    numbers = np.stack([more, k - more], axis=1).ravel()
    held = (shares > 0.0) & (numbers > 0)
    return places[held], shares[held], numbers[held].astype(np.float64)


def share_out(rest: Floats, most: Floats, left: Floats, number: Floats) -> Floats:
    """Rows of shares in the proportions of `rest`, none above `most`, with Σ share × `number` = `left` in each row."""
    shares: Floats = rest * (left / (number * rest.sum()))
    each = left / number
    while (at := np.flatnonzero((shares > most * (1.0 + 1e-12)).any(axis=1))).size:
        row, limit = shares[at], most[at]
        is_cut = row >= limit
        open_sum = np.where(is_cut, 0.0, row).sum(axis=1, keepdims=True)
        scale = (each[at] - limit * is_cut.sum(axis=1, keepdims=True)) / np.where(open_sum, open_sum, 1.0)
        shares[at] = np.where(is_cut, limit, row * np.where(open_sum, scale, 1.0))
    return shares


def gather(shares: Floats, numbers: Floats) -> tuple[Floats, Floats]:
    """At most MOST_GROUPS groups of shares a row: the hottest alone, the others grouped with their mean."""
    size = shares.shape[1]
    if size <= MOST_GROUPS:
        return shares, numbers
    bounds = np.linspace(1, size, MOST_GROUPS).astype(np.intp)[:-1]
    counts = np.add.reduceat(numbers, bounds, axis=1)
    means = np.add.reduceat(shares * numbers, bounds, axis=1) / counts
    return (
        np.concatenate([shares[:, :1], means], axis=1),
        np.concatenate([numbers[:, :1], counts], axis=1),
    )
