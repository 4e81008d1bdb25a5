"""Turns plans of a fleet into JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from app.deciding.fleet.schemas import (
    FleetAdmission,
    FleetCost,
    FleetPlanAnswer,
    FleetRequest,
    FleetTopology,
)
from planner.fleet.admission import Admission
from planner.fleet.claims import Member
from planner.fleet.plan import FleetPlan, Share
from planner.wording import write_counted

if TYPE_CHECKING:
    from app.deciding.fleet.service import HeldTopology
    from app.deciding.fleet_budgets import GatheredBudget


def to_fleet_answer(
    body: FleetRequest,
    budget: "GatheredBudget",
    found: Admission,
    held: "Sequence[HeldTopology]",
    notes: Mapping[str, str],
) -> FleetPlanAnswer:
    """A plan of a fleet as the answer to a request, the topologies by name."""
    plan = found.plan
    new = {one.name for one in body.new}
    rows = [
        to_row(share, notes.get(share.member.name), is_new=share.member.name in new) for share in plan.shares
    ]
    rows += [hold_member(member, str(error)) for member, error in plan.held if member.name not in new]
    rows += [hold_row(one, body) for one in held]
    fits = plan.fits and not held and found.admitted
    return FleetPlanAnswer(
        fits=fits,
        unit="slots" if budget.unit == "slot" else "processors",
        k_max=budget.total,
        needed=plan.needed,
        processors_total=sum(row.processors_total for row in rows),
        unused_processors=plan.unused,
        optimal=plan.optimal,
        detail=describe_plan(plan, budget.total, len(held) + len(plan.held), budget.unit),
        topologies=sorted(rows, key=lambda row: row.name),
        admission=to_admission(found) if new else None,
    )


def describe_plan(plan: FleetPlan, k_max: int, held: int, unit: str = "processor") -> str:
    """Whether the budget is enough, in a sentence or two."""
    budget = write_counted(k_max, unit)
    missed = sum(share.meets is False for share in plan.shares)
    if missed and plan.needed > k_max:
        said = (
            f"{budget} in all are {plan.needed - k_max:,} too few: {write_counted(missed, 'target is', 'targets are')} "
            f"missed. {plan.needed:,} would meet every target that can be met."
        )
    elif missed:
        said = f"{write_counted(missed, 'target')} cannot be met with any number of processors that bounds allow."
    else:
        said = f"{budget} in all meet every target; targets alone take {plan.needed:,}."
    if held:
        said += f" {write_counted(held, 'topology keeps', 'topologies keep')} what runs, without a plan."
    return said


def to_row(share: Share, note: str | None, *, is_new: bool) -> FleetTopology:
    """What a planned topology gets."""
    member = share.member
    return FleetTopology(
        name=member.name,
        state="new" if is_new else "planned",
        priority=member.priority,
        running=None if member.running is None else sum(member.running),
        processors=member.situation.name_counts(share.counts),
        processors_total=share.total,
        slots=share.slots if member.footprint is not None else None,
        needed=share.needed,
        expected_sojourn_seconds=share.seconds,
        target_seconds=member.t_max_seconds,
        meets=share.meets,
        one_more_seconds=share.one_more_seconds,
        next_operator=share.next_operator,
        lost=share.lost,
        detail=note or None,
    )


def hold_member(member: Member, detail: str) -> FleetTopology:
    """A topology that cannot keep up within its bounds and keeps what runs."""
    counts = member.running or []
    processors = member.situation.name_counts(counts) if counts else {}
    return hold(member.name, processors, detail, member.priority, is_known=bool(counts))


def hold_row(one: "HeldTopology", body: FleetRequest) -> FleetTopology:
    """A topology without recent measurements, which keeps what runs."""
    priority = body.priorities.get(one.name, 0)
    return hold(one.name, one.processors, one.detail, priority, is_known=bool(one.processors))


def hold(
    name: str, processors: dict[str, int], detail: str, priority: int, *, is_known: bool
) -> FleetTopology:
    """The row of a topology that keeps what runs."""
    total = sum(processors.values())
    if not is_known:
        detail += " What runs is not known, and counts as nothing."
    return FleetTopology(
        name=name,
        state="held",
        priority=priority,
        running=total if is_known else None,
        processors=processors,
        processors_total=total,
        needed=None,
        expected_sojourn_seconds=None,
        target_seconds=None,
        meets=None,
        one_more_seconds=None,
        next_operator=None,
        lost=None,
        detail=detail,
    )


def to_admission(found: Admission) -> FleetAdmission:
    """Whether the new jobs fit, and the topologies that wait longer, those of which the target breaks first."""
    costs = sorted(found.costs, key=lambda one: (not one.is_broken, one.before.seconds / one.after.seconds))
    return FleetAdmission(
        admitted=found.admitted,
        detail=found.detail,
        costs=[
            FleetCost(
                name=one.before.member.name,
                processors=one.after.total - one.before.total,
                before_seconds=one.before.seconds,
                after_seconds=one.after.seconds,
                meets=one.after.meets,
            )
            for one in costs
        ],
    )
