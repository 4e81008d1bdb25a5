"""What each topology of a fleet asks for: the least processors that it keeps, and the fewest that meet its target."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from planner.allocation.allocate import allocate_budget, check_bounds, check_budget, set_board
from planner.errors import TargetUnreachable
from planner.fleet.footprint import Footprint
from planner.situations.situation import Situation
from planner.targets.drawn_target import make_target
from planner.targets.target import allocate_fewest, find_nearest
from planner.values import TimeTarget


class Member(NamedTuple):
    """A topology of a fleet under its load.

    `priority`: the targets of higher numbers are met first. `weight` weighs its times against those of others.
    `floor` and `most` are the fewest and the most processors of the topology in all; `running` are those of its
    operators now, if they are known. `footprint`: how its threads share slots, where the budget is in slots; None: each
    processor counts one.
    """

    name: str
    situation: Situation
    t_max_seconds: float | None = None
    weight: float = 1.0
    priority: int = 0
    floor: int = 0
    most: int | None = None
    running: Sequence[int] | None = None
    footprint: Footprint | None = None

    def measure(self, counts: Sequence[int]) -> int:
        """What these processors take of the budget: their number, or the slots that they share."""
        return sum(counts) if self.footprint is None else self.footprint.count_slots(counts)


@dataclass(frozen=True)
class FleetClaim:
    """A topology's claim on the budget: `floors` keep it stable and within its bounds, `needs` meet its target.

    `limit_seconds` is the target; where it is out of reach, the time that `needs` come to instead. None: there is no
    target, or services alone take longer, and more than the floors are no claim.
    """

    member: Member
    floors: list[int]
    needs: list[int]
    limit_seconds: float | None

    @property
    def missing(self) -> int:
        """What the target takes of the budget beyond the floors."""
        return self.measure(self.needs) - self.measure(self.floors)

    def measure(self, counts: Sequence[int]) -> int:
        """What these processors of the topology take of the budget."""
        return self.member.measure(counts)

    @cached_property
    def rate(self) -> float:
        """The external rate, by which numbers of waiting tuples become seconds of E[T]; 1 where nothing arrives."""
        return self.member.situation.load.external_rate or 1.0

    def find_seconds(self, counts: Sequence[int]) -> float:
        """E[T] of the topology with these processors, which keep up."""
        situation = self.member.situation
        return situation.sum_sojourns(situation.wait_seconds(counts))


def make_claim(member: Member) -> FleetClaim:
    """The claim of a topology.

    Raises BoundTooSmall where bounds keep an operator from keeping up, and BudgetTooSmall where `most` does.
    """
    situation = member.situation
    stations, names = situation.stations, situation.names
    board = set_board(stations)
    check_bounds(stations, board.floors, names)
    if member.most is not None:
        check_budget(member.most, board.floors, names)
    floors = list(map(int, board.floors))
    floor = member.floor if member.most is None else min(member.floor, member.most)
    if floor > sum(floors):
        floors = allocate_budget(stations, floor, names).counts
    needs, limit = find_needs(situation, member.t_max_seconds)
    if limit is None or sum(needs) <= sum(floors):
        return FleetClaim(member, floors, floors, limit)
    if member.most is not None and sum(needs) > member.most:
        needs = allocate_budget(stations, member.most, names).counts
        limit = situation.sum_sojourns(situation.wait_seconds(needs))
    return FleetClaim(member, floors, needs, limit)


def find_needs(situation: Situation, t_max_seconds: float | None) -> tuple[list[int], float | None]:
    """The fewest processors for a target and the time that they keep to; none and None where there is no claim."""
    if t_max_seconds is None:
        return [], None
    try:
        return allocate_fewest(situation, t_max_seconds).counts, t_max_seconds
    except TargetUnreachable as error:
        nearest = find_nearest(situation, error)
    try:
        return allocate_fewest(situation, nearest).counts, nearest
    except TargetUnreachable:
        return [], None


def translate_target(situation: Situation, limit: TimeTarget) -> float:
    """The target of E[T] that stands for a limit on another time: E[T] of the fewest processors that keep the limit."""
    target = make_target(situation, limit)
    assert target is not None
    return situation.sum_sojourns(situation.wait_seconds(target.find_fewest(situation)))
