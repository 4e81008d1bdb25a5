"""A decision as its owner sees it: rows of operators, the times, the target, and one sentence; pure."""

from typing import NamedTuple

from pydantic import JsonValue

from app.bridge.samples import Sighting
from app.bridge.seen_answers import SeenDecision, SeenGoal
from app.bridge.states import Chosen
from app.bridge.wording import say_counts
from planner.wording import UNBOUNDED, write_number, write_seconds


class Row(NamedTuple):
    """One operator: rates per second, the part of its time that it works, processors now and as wanted."""

    operator: str
    offered_rate: float | None
    served_rate: float | None
    utilisation: float | None
    processors: int
    wanted: int


def list_rows(seen: Sighting, decision: SeenDecision, chosen: Chosen) -> list[Row]:
    """The operators in the order of the topology."""
    loads = seen.load.operators if seen.load else {}
    rows = []
    for one in decision.current.operators:
        load = loads.get(one.name)
        served = load.served_rate if load else None
        wanted = chosen.counts.get(one.name, one.processors)
        rows.append(Row(one.name, one.arrival_rate, served, one.utilisation, one.processors, wanted))
    return rows


def describe_goal(goal: SeenGoal) -> str:
    """The target in words."""
    if goal.target is not None:
        which = "mean" if goal.target.quantile is None else f"p{100 * goal.target.quantile:g}"
        return f"{which} of {goal.target.of} within {write_seconds(goal.target.seconds)}"
    return "no target" if goal.t_max_seconds is None else f"E[T] within {write_seconds(goal.t_max_seconds)}"


def find_sojourn_now(decision: SeenDecision) -> tuple[float | None, str]:
    """E[T] now: measured if it was, else estimated; None: infinite."""
    if decision.measured_sojourn_seconds is not None:
        return decision.measured_sojourn_seconds, "measured"
    return decision.current.expected_sojourn_seconds, "estimated"


def describe_decision(decision: SeenDecision, chosen: Chosen) -> str:
    """The decision in a sentence, with its reasons."""
    now, how = find_sojourn_now(decision)
    promised = decision.expected_sojourn_seconds
    times = f"E[T] {write_seconds(now, UNBOUNDED)} ({how})"
    if chosen.next in {"apply", "show"}:
        times += f", then {write_seconds(promised, UNBOUNDED)}"
    what = decision.action
    if chosen.next != "hold":
        what += f" to {say_counts(chosen.counts, decision.processors.current)}"
    reasons = " ".join(
        [*(one.detail for one in (*decision.reasons, *decision.constraints)), *list_costs(decision)]
    )
    rest = f" ({chosen.why})" if chosen.why else ""
    goal = describe_goal(decision.policy.goal)
    return f"{what}: {write_number(decision.external_rate)} tuples/s, {times}, {goal}. {reasons}{rest}"


def list_costs(decision: SeenDecision) -> list[str]:
    """What waits, and what the change costs, in sentences; nothing where it is not known."""
    moving, backlog, said = decision.moving, decision.catching_up, list[str]()
    if backlog is not None and backlog.backlog_tuples > 0:
        said.append(backlog.detail)
    if moving.cost_tuple_seconds and moving.payback_seconds:
        cost, payback = moving.cost_tuple_seconds, write_seconds(moving.payback_seconds)
        said.append(
            f"The move costs {write_number(cost)} tuple-seconds of waiting, which pays back in {payback}."
        )
    return said


def to_data(seen: Sighting, decision: SeenDecision, chosen: Chosen) -> dict[str, JsonValue]:
    """The same as numbers."""
    now, how = find_sojourn_now(decision)
    return {
        "decision": decision.id,
        "action": decision.action,
        "next": chosen.next,
        "external_rate": decision.external_rate,
        "expected_sojourn_seconds": decision.expected_sojourn_seconds,
        "sojourn_seconds": now,
        "sojourn_is": how,
        "target": describe_goal(decision.policy.goal),
        "operators": [row._asdict() for row in list_rows(seen, decision, chosen)],
        "payback_seconds": decision.moving.payback_seconds,
        "backlog_tuples": decision.catching_up.backlog_tuples if decision.catching_up else None,
        "reasons": [one.code for one in decision.reasons],
        "warnings": list_warnings(seen, decision),
    }


def list_warnings(seen: Sighting, decision: SeenDecision) -> list[JsonValue]:
    """What the reader and the service say of the data, each once."""
    said = [(one.code, one.detail) for one in seen.reading.diagnostics]
    said += [(one.code, one.detail) for one in decision.diagnostics]
    return [{"code": code, "detail": detail} for code, detail in dict.fromkeys(said)]
