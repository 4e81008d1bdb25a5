"""The exact chain of one topology: its least E[T] with each number of processors, where greedy alone does not find it.

Greedy's order is the chain of a topology whose gains fall. Where key groups are dealt out whole or capacity bends,
waits are stairs, and dynamic programming over the sum of processors finds the best split of each number.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.allocation.whole_groups import Options, Sums
from planner.arrays import Floats
from planner.fleet.claims import FleetClaim
from planner.queueing.gain_curves import Curve
from planner.queueing.instances.stair_curves import StairCurve


@dataclass(frozen=True)
class Chain:
    """The least E[T] of a topology with its floors and each number of processors more.

    `is_whole`: the chain ends where no further processor is allowed or helps, not only where its search was cut.
    """

    claim: FleetClaim
    base: list[int]
    seconds: Floats
    sums: Sums
    is_whole: bool

    @property
    def most(self) -> int:
        """The most processors more than the floors on the chain."""
        return len(self.seconds) - 1

    def split(self, more: int) -> list[int]:
        """The best split of so many processors more than the floors; those that bring nothing stay unused."""
        beyond = more + sum(self.claim.floors) - sum(self.base)
        chosen = self.sums.choose(int(np.argmin(self.sums.change[: beyond + 1])))
        pairs = zip(self.base, self.sums.items, chosen, strict=True)
        return [count + item.more[at] for count, item, at in pairs]


def draw_chain(claim: FleetClaim, most_more: int) -> Chain:
    """The chain of a topology from its floors to `most_more` processors more, within its own bounds."""
    member = claim.member
    stations = member.situation.stations
    curves = stations.curves
    base = [curve.floor for curve in curves]
    before = sum(claim.floors) - sum(base)
    if member.most is not None:
        most_more = min(most_more, member.most - sum(claim.floors))
    wanted = before + most_more
    items = [
        list_options(curve, int(most), wanted)
        for curve, most in zip(curves, stations.max_processors, strict=True)
    ]
    sums = Sums.add_up(items)
    first = claim.find_seconds(base)
    seconds = first + np.minimum.accumulate(sums.change[: wanted + 1]) / claim.rate
    reached = len(seconds) - 1
    is_whole = reached < wanted or (member.most is not None and wanted == member.most - sum(base))
    return Chain(claim, base, seconds[min(before, reached) :], sums, is_whole)


def list_options(curve: Curve, ceiling: int, most_more: int) -> Options:
    """The numbers of processors more than the floor that an operator may get, with the change of its waiting tuples."""
    if not curve.is_busy:
        return Options([0], [0.0], [])
    floor = curve.floor
    rate = curve.high * curve.service_rate
    if isinstance(curve, StairCurve):
        counts = [k for k in curve.useful.counts if k <= floor + most_more]
    else:
        counts = list(range(floor, min(ceiling, floor + most_more) + 1))
    first = rate * curve.wait_seconds(floor)
    return Options([k - floor for k in counts], [rate * curve.wait_seconds(k) - first for k in counts], [])


def list_hull_steps(place: int, values: Floats) -> list[tuple[float, int, int]]:
    """The steps along the lower convex hull of values: gain for each processor, the part's place, and processors."""
    hull = [0]
    for k in range(1, len(values)):
        while len(hull) > 1 and (values[hull[-2]] - values[hull[-1]]) * (k - hull[-1]) <= (
            values[hull[-1]] - values[k]
        ) * (hull[-1] - hull[-2]):
            hull.pop()
        hull.append(k)
    steps = [
        (float(values[one] - values[two]) / (two - one), place, two - one) for one, two in pairwise(hull)
    ]
    return [step for step in steps if step[0] > 0.0]
