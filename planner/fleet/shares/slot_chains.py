"""The chain of a topology whose threads share slots: its least E[T] found with each number of slots.

A processor of one operator takes another part of a slot than one of another. With one slot more, processors are added
as long as they fit, packed: those first whose step along the hull of their operator's waiting tuples gains most for its
part of a slot. That another split is better is not excluded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple, Self

import numpy as np

from planner.arrays import Floats
from planner.fleet.claims import FleetClaim
from planner.fleet.shares.chains import list_hull_steps, list_options

MOST_EACH = 500
"""Processors of an operator beyond its floor."""


@dataclass(frozen=True)
class SlotChain:
    """The least E[T] found with the slots of the floors and each number of slots more, and the processors with it."""

    seconds: Floats
    counts: Sequence[list[int]]
    is_whole: bool = False

    @property
    def most(self) -> int:
        """The most slots more than those of the floors on the chain."""
        return len(self.seconds) - 1

    def split(self, more: int) -> list[int]:
        """The processors with so many slots more."""
        return self.counts[min(more, self.most)]

    @classmethod
    def draw(cls, claim: FleetClaim, most_more: int) -> Self:
        """The chain up to `most_more` slots more than the floors take."""
        first, steps, counts = claim.measure(claim.floors), list_steps(claim, most_more), list(claim.floors)
        found: list[list[int]] = []
        for more in range(most_more + 1):
            fill_slots(claim, counts, steps, first + more)
            found.append(list(counts))
        seconds = np.minimum.accumulate([claim.find_seconds(one) for one in found])
        return cls(seconds, found)


class Step(NamedTuple):
    """So many processors more at an operator, and what they gain for each part of a slot."""

    gain: float
    operator: int
    processors: int


def list_steps(claim: FleetClaim, most_more: int) -> list[Step]:
    """The steps along the hull of each operator from the floors on, the best first."""
    footprint, stations = claim.member.footprint, claim.member.situation.stations
    assert footprint is not None
    steps: list[Step] = []
    for i, curve in enumerate(stations.curves):
        each, before = footprint.slots_each[i], claim.floors[i] - curve.floor
        most = min(int(most_more / each) + round(1.0 / each), MOST_EACH) + before
        options = list_options(curve, int(stations.max_processors[i]), most)
        values = np.full(options.more[-1] + 1, inf)
        values[options.more] = options.change
        hull = list_hull_steps(i, np.minimum.accumulate(values)[before:])
        steps += [Step(gain / each, i, length) for gain, _, length in hull]
    return sorted(steps, key=lambda step: -step.gain)


def fill_slots(claim: FleetClaim, counts: list[int], steps: list[Step], slots: int) -> None:
    """Takes the steps that fit into so many slots, in their order; those that are taken leave the list."""
    full, place = set[int](), 0
    most = inf if claim.member.most is None else claim.member.most
    while place < len(steps) and len(full) < len(counts):
        step = steps[place]
        if step.operator in full:
            place += 1
            continue
        counts[step.operator] += step.processors
        if claim.measure(counts) <= slots and sum(counts) <= most:
            del steps[place]
        else:
            counts[step.operator] -= step.processors
            full.add(step.operator)


def settle_needs(claim: FleetClaim) -> FleetClaim:
    """The claim with the fewest slots found that meet the target, where threads share slots."""
    if claim.member.footprint is None or claim.limit_seconds is None or not claim.missing:
        return claim
    chain = SlotChain.draw(claim, claim.missing)
    met = np.flatnonzero(chain.seconds <= claim.limit_seconds)
    return replace(claim, needs=chain.split(int(met[0]))) if met.size else claim
