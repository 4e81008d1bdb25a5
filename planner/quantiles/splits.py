"""The splits of a number of processors that a search tries: the same for every target and every quantile.

    1. The split with the least E[T] (planner.allocation).
    2. From there processors move from one operator to another while the slowest external tuples of a draw get faster on
       average. Tuples in the slowest part TAIL decide every quantile that contracts name. Large moves come first.
    3. All splits of the processors, where these are few.

Where key groups are dealt out whole, processors move from one useful number to the next.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

from planner.allocation.allocate import allocate_budget
from planner.queueing.instances.stair_curves import StairCurve
from planner.situations.situation import Situation

Counts = tuple[int, ...]
FEW_SPLITS = 60
FEW_OPERATORS = 3
"""Of so few operators every move is tried, of more those that promise most."""
TRIED = 4
FEW = 32
"""Up to twice so many processors move one by one."""


@dataclass(frozen=True)
class Splits:
    """The splits of the processors of one situation, and moves between them within the bounds of operators."""

    situation: Situation
    floors: Counts
    ceilings: Counts

    def allocate(self, total: int) -> Counts:
        """The split of at most `total` processors with the least E[T]."""
        return tuple(allocate_budget(self.situation.stations, total, self.situation.names).counts)

    def settle(self, counts: Counts) -> Counts:
        """The counts without processors that are of no use where key groups are dealt out whole."""
        stations = self.situation.stations
        return tuple(stations.settle_counts(counts)) if stations.grouped else counts

    def list_all(self, total: int) -> list[Counts] | None:
        """All splits of `total` processors, or None where they are many; useless processors are left out."""
        size, spare = len(self.floors), total - sum(self.floors)
        if spare < 0 or comb(spare + size - 1, size - 1) > FEW_SPLITS:
            return None
        return sorted({self.settle(counts) for counts in self.share_out((), spare)})

    def share_out(self, counts: Counts, spare: int) -> Iterator[Counts]:
        """All ways to go on from the counts of the first operators, with so many processors above the floors."""
        place = len(counts)
        floor, ceiling = self.floors[place], self.ceilings[place]
        if place == len(self.floors) - 1:
            yield (*counts, min(floor + spare, ceiling))
            return
        for more in range(min(spare, ceiling - floor) + 1):
            yield from self.share_out((*counts, floor + more), spare - more)

    def raise_one(self, counts: Counts, i: int, step: int) -> Counts | None:
        """The counts with `step` or more processors more at operator i, a useful number; None above its bound."""
        count, curve = counts[i] + step, self.find_stairs(i)
        if curve is not None:
            at = bisect_left(curve.useful.counts, count)
            count = curve.useful.counts[at] if at < len(curve.useful.counts) else self.ceilings[i] + 1
        return None if count > self.ceilings[i] else (*counts[:i], count, *counts[i + 1 :])

    def lower_one(self, counts: Counts, i: int, freed: int) -> Counts | None:
        """The counts with at least `freed` processors fewer at operator i, a useful number; None below its floor."""
        count, curve = counts[i] - freed, self.find_stairs(i)
        if count < self.floors[i]:
            return None
        if curve is not None:
            count = curve.useful.counts[bisect_right(curve.useful.counts, count) - 1]
        return (*counts[:i], count, *counts[i + 1 :])

    def find_stairs(self, i: int) -> StairCurve | None:
        """The useful numbers of processors of operator i; None where each is useful."""
        stations = self.situation.stations
        curve = stations.curves[i] if i in stations.grouped else None
        return curve if isinstance(curve, StairCurve) and curve.is_busy else None

    def improve(
        self, counts: Counts, total: int, rank: Callable[[Counts], float], most_ranked: int
    ) -> list[Counts]:
        """All splits of `total` processors that were ranked, the best first.

        From the given one, moves lower the rank until none does, or until about `most_ranked` splits were ranked.
        """
        known = {counts: rank(counts)}

        def look(one: Counts) -> float:
            if one not in known:
                known[one] = rank(one)
            return known[one]

        step = 1
        while FEW * 2 * step <= total:
            step *= 2
        while step and len(known) + 2 * len(counts) <= most_ranked:
            better = self.find_better(counts, total, step, look)
            if better is None:
                step //= 2
            else:
                counts = better
        return sorted([one for one in known if sum(one) <= total], key=lambda one: known[one])

    def find_better(
        self, counts: Counts, total: int, step: int, look: Callable[[Counts], float]
    ) -> Counts | None:
        """A split of lower rank, by `step` processors more at one operator and as many fewer at another."""
        size, here, spare = len(counts), look(counts), total - sum(counts)
        moves = []
        losses = [self.lower_one(counts, i, step) for i in range(size)]
        for taker in range(size):
            more = self.raise_one(counts, taker, step)
            if more is None:
                continue
            missing = sum(more) - sum(counts) - spare
            if missing <= 0:
                moves.append((look(more), more))
                continue
            for giver in range(size):
                given = self.lower_one(more, giver, missing) if giver != taker else None
                loss = losses[giver]
                if given is not None and loss is not None:
                    moves.append((look(more) + look(loss) - here, given))
        moves.sort()
        tried = moves if size <= FEW_OPERATORS else moves[:TRIED]
        return next((one for _, one in tried if look(one) < here), None)


def find_first(holds: Callable[[int], bool], least: int, most: int) -> int | None:
    """A number from `least` to about `most` for which `holds`, and whose predecessor does not; None if `most` fails.

    The numbers that are tried lie on one tree: the powers of two, and then the middles of halves. So where one question
    holds for every number for which another one does, it never gets a larger answer, even if `holds` comes and goes.
    """
    low, high = 0, 1
    while high < least or not holds(high):
        if high >= most:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if middle >= least and holds(middle):
            high = middle
        else:
            low = middle
    return high


def unite(*some: Sequence[Counts]) -> list[Counts]:
    """All different splits, in order."""
    return list(dict.fromkeys([counts for each in some for counts in each]))
