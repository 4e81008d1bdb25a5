"""Is there room for new jobs in a fleet, and at whose cost?"""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.errors import BudgetTooSmall
from planner.fleet.claims import Member
from planner.fleet.plan import FleetPlan, Share, plan_fleet
from planner.wording import join_names, write_counted, write_seconds_change

LONGER = 1e-9
"""E[T] that is longer by a smaller part is longer by rounding."""
NAMED = 5


@dataclass(frozen=True)
class Cost:
    """A topology that waits longer with the new jobs: its share without them, and with them."""

    before: Share
    after: Share

    @property
    def is_broken(self) -> bool:
        """Whether its target was met without the new jobs, and is not with them."""
        return bool(self.before.meets) and self.after.meets is False

    def describe(self) -> str:
        """The change in a clause: `clicks from 180 to 208 ms`."""
        return f"{self.before.member.name} {write_seconds_change(self.before.seconds, self.after.seconds)}"


@dataclass(frozen=True)
class Admission:
    """Whether new jobs fit, in a sentence too, and the plan with them; without them where there is no room."""

    plan: FleetPlan
    admitted: bool = True
    detail: str = ""
    costs: Sequence[Cost] = ()


def admit(
    members: Sequence[Member],
    new: Sequence[Member],
    k_max: int,
    price: float = 0.0,
    taken: int = 0,
    *,
    unit: str = "processor",
) -> Admission:
    """Plans a fleet without and with new jobs, and compares.

    They are admitted where they meet their targets and every target that is met without them is still met.
    """
    before = plan_fleet(members, k_max, price, taken, unit=unit)
    names = join_names([one.name for one in new], NAMED)
    try:
        after = plan_fleet([*members, *new], k_max, price, taken, unit=unit)
    except BudgetTooSmall as error:
        return Admission(before, admitted=False, detail=f"There is no room for {names}: {error}")
    known = {share.member.name: share for share in before.shares}
    pairs = [(known[one.member.name], one) for one in after.shares if one.member.name in known]
    costs = [Cost(one, other) for one, other in pairs if other.seconds > one.seconds * (1.0 + LONGER)]
    missed = [one for one in after.shares if one.member.name not in known and one.meets is False]
    stuck = [(member, error) for member, error in after.held if member.name in {one.name for one in new}]
    broken = [one for one in costs if one.is_broken]
    if stuck:
        detail = f"There is no room for {stuck[0][0].name}: {stuck[0][1]}"
    elif missed:
        detail = f"There is no room for {missed[0].member.name}: {missed[0].lost}"
    elif broken:
        missing = write_counted(len(broken), "target")
        detail = (
            f"There is room for {names} only at the cost of {missing} no longer met: "
            f"{join_names([one.describe() for one in broken], NAMED)}."
        )
    else:
        detail = (
            f"There is room for {names}: every target that is met without is met with it.{say_costs(costs)}"
        )
    return Admission(after, not (stuck or missed or broken), detail, costs)


def say_costs(costs: Sequence[Cost]) -> str:
    """A sentence on the topologies that wait longer, those that wait longest first; empty if there are none."""
    if not costs:
        return ""
    longest = sorted(costs, key=lambda one: one.before.seconds / one.after.seconds)
    who = write_counted(len(costs), "topology waits", "topologies wait")
    return f" {who} longer: {join_names([one.describe() for one in longest], NAMED)}."
