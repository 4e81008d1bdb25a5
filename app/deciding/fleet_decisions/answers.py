"""Turns the decisions of a fleet into JSON."""

from collections.abc import Mapping
from datetime import datetime

from app.deciding.decisions.schemas import DecisionAnswer
from app.deciding.fleet.answers import describe_plan, hold, to_row
from app.deciding.fleet_decisions.gathering import GatheredFleet
from app.deciding.fleet_decisions.schemas import FleetChange, FleetDecisionAnswer
from planner.decisions.shared_budget import SharedDecisions
from planner.fleet.plan import Share
from planner.wording import write_counted


def to_fleet_decision(
    k_max: int, found: GatheredFleet, shared: SharedDecisions, decided: Mapping[str, DecisionAnswer]
) -> FleetDecisionAnswer:
    """The decisions of a fleet as an answer, the topologies by name."""
    shares = {share.member.name: share for share in shared.plan.shares}
    rows = [
        to_change(name, answer, shares.get(name), shared, found.classes[name].priority)
        for name, answer in decided.items()
    ]
    kept = [
        (
            part.name,
            dict(zip(found.gathered[part.name].question.load.operators, part.question.running, strict=False)),
        )
        for part in found.parts
        if part.name in shared.held
    ]
    reasons = {one.name: one.detail for one in found.held} | {
        name: str(why) for name, why in shared.held.items()
    }
    for name, processors in [*kept, *((one.name, one.processors) for one in found.held)]:
        row = hold(name, processors, reasons[name], found.classes[name].priority, is_known=bool(processors))
        rows.append(FleetChange(**dict(row), decision_id=None, action=None, turn=None, after=[]))
    held = sum(row.state == "held" for row in rows)
    total = sum(row.processors_total for row in rows)
    said = describe_plan(shared.plan, k_max, held), describe_peak(k_max, shared), describe_turns(rows)
    ends: list[datetime] = [one.decided_for for one in decided.values()]
    return FleetDecisionAnswer(
        fits=all(row.meets is not False for row in rows) and not held,
        k_max=k_max,
        needed=shared.plan.needed,
        processors_total=total,
        unused_processors=max(k_max - total, 0),
        optimal=shared.plan.optimal,
        detail=" ".join(filter(None, said)),
        reserve=shared.peak,
        decided_for=max(ends, default=None),
        running_total=sum(row.running or 0 for row in rows),
        topologies=sorted(rows, key=lambda row: row.name),
    )


def to_change(
    name: str, answer: DecisionAnswer, share: Share | None, shared: SharedDecisions, priority: int
) -> FleetChange:
    """A topology by its decision, which rules may have kept from its share."""
    counts, turn = answer.processors, shared.turns[name]
    is_changed = answer.action != "hold"
    note = " ".join(one.detail for one in answer.reasons)
    if share is None:  # it cannot keep up within its bounds
        row = hold(name, counts.recommended, note, priority, is_known=True)
    else:
        row = to_row(share, f"{note} {shared.notes[name]}".strip(), is_new=False)
        if row.processors != counts.recommended:
            seconds, target = answer.expected_sojourn_seconds, row.target_seconds
            row.processors, row.processors_total = counts.recommended, counts.recommended_total
            row.expected_sojourn_seconds = seconds
            row.meets = None if target is None else seconds is not None and seconds <= target
            row.one_more_seconds = row.next_operator = None
    row.running = counts.current_total
    return FleetChange(
        **dict(row),
        decision_id=answer.id,
        action=answer.action,
        turn=turn.number if is_changed else None,
        after=list(turn.after) if is_changed else [],
    )


def describe_peak(k_max: int, shared: SharedDecisions) -> str:
    """What is kept for the common peak, and whether the budget is enough for it; empty without a reserve."""
    peak = shared.peak
    if peak is None:
        return ""
    short = shared.plan.needed + peak.processors - k_max
    return f"{peak.detail} The budget is {short:,} too small for that." if short > 0 else peak.detail


def describe_turns(rows: list[FleetChange]) -> str:
    """How many topologies change, and how many wait for others, in a sentence."""
    changed = [row for row in rows if row.turn is not None]
    if not changed:
        return "Nothing changes."
    said = write_counted(len(changed), "topology changes", "topologies change")
    waiting = sum(bool(row.after) for row in changed)
    return f"{said}, {waiting:,} of them after others gave processors up." if waiting else f"{said} at once."
