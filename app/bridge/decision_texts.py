"""Writes a decision for people: rows of operators, the times, the target, and one sentence."""

from typing import NamedTuple

from pydantic import JsonValue

from app.bridge.service_link import SeenDecision, SeenGoal
from app.bridge.states import Chosen, write_counts
from app.engines.answers import EngineReading
from app.load.bodies.load import LoadBody
from planner.decisions.wording import describe_overload
from planner.wording import UNBOUNDED, write_level, write_number, write_percent, write_rate, write_seconds


class OperatorRow(NamedTuple):
    """One operator in the bridge's table: rates per second, the busy share of its time, its processors now and
    wanted.
    """

    operator: str
    offered_rate: float | None
    served_rate: float | None
    utilisation: float | None
    processors: int
    wanted: int


def list_rows(load: LoadBody | None, decision: SeenDecision, chosen: Chosen) -> list[OperatorRow]:
    """The operators in the order of the topology."""
    served = {name: one.served_rate for name, one in load.operators.items()} if load else {}
    return [
        OperatorRow(
            one.name,
            one.arrival_rate,
            served.get(one.name),
            one.utilisation,
            one.processors,
            chosen.counts.get(one.name, one.processors),
        )
        for one in decision.current.operators
    ]


def describe_goal(goal: SeenGoal) -> str:
    """The target of a policy in words: `p99 of the completion time within 500 ms`."""
    if goal.target is not None:
        which = "mean" if goal.target.quantile is None else write_level(goal.target.quantile)
        return f"{which} of the {goal.target.of} time within {write_seconds(goal.target.seconds)}"
    if goal.utilisation is not None:
        return f"no instance above {write_percent(goal.utilisation)} of its capacity"
    if goal.backlog_seconds is not None:
        return f"what waits is worked off within {write_seconds(goal.backlog_seconds)}"
    return "no target" if goal.t_max_seconds is None else f"E[T] within {write_seconds(goal.t_max_seconds)}"


def find_sojourn_now(decision: SeenDecision) -> tuple[float | None, str]:
    """The total time E[T] of the running processors: measured, or else estimated; None if it is infinite."""
    if decision.measured_sojourn_seconds is not None:
        return decision.measured_sojourn_seconds, "measured"
    return decision.current.expected_sojourn_seconds, "estimated"


def describe_decision(decision: SeenDecision, chosen: Chosen) -> str:
    """A sentence with the decision and its reasons; `chosen` is what the bridge makes of the decision."""
    now, how = find_sojourn_now(decision)
    overload = describe_overload("E[T]", None).removesuffix(".")
    times = f"E[T] is {write_seconds(now)} ({how})" if now is not None else overload[0].lower() + overload[1:]
    if chosen.next in {"apply", "show"}:
        then = write_seconds(decision.expected_sojourn_seconds, UNBOUNDED)
        times += f" and would be {then}{' then' if now is None else ''}"
    what = decision.action.replace("_", " ")
    if chosen.next != "hold":
        what += f" to {write_counts(chosen.counts, decision.processors.current)}"
    details = [one.detail for one in (*decision.reasons, *decision.constraints)]
    reasons = " ".join([*details, *list_costs(decision)])
    rest = f" ({chosen.why})" if chosen.why else ""
    goal, rate = describe_goal(decision.policy.goal), write_rate(decision.external_rate)
    return f"{what}: {rate} arrive, {times}; target: {goal}. {reasons}{rest}"


def list_costs(decision: SeenDecision) -> list[str]:
    """Sentences about the tuples that wait and about the cost of the change; empty if both are unknown."""
    moving, backlog = decision.moving, decision.catching_up
    costs = [backlog.detail] if backlog is not None and backlog.backlog_tuples > 0 else []
    if moving.cost_tuple_seconds and moving.payback_seconds:
        cost, payback = write_number(moving.cost_tuple_seconds), write_seconds(moving.payback_seconds)
        costs.append(f"The move costs {cost} tuple-seconds of waiting, which pays back in {payback}.")
    return costs


def to_data(
    reading: EngineReading, load: LoadBody | None, decision: SeenDecision, chosen: Chosen
) -> dict[str, JsonValue]:
    """The decision as numbers for a JSON line: the load, the processors, the times and the reasons."""
    now, how = find_sojourn_now(decision)
    warnings = [(one.code, one.detail) for one in reading.diagnostics]
    warnings += [(one.code, one.detail) for one in decision.diagnostics]
    return {
        "decision": decision.id,
        "action": decision.action,
        "next": chosen.next,
        "external_rate": decision.external_rate,
        "expected_sojourn_seconds": decision.expected_sojourn_seconds,
        "sojourn_seconds": now,
        "sojourn_is": how,
        "target": describe_goal(decision.policy.goal),
        "operators": [row._asdict() for row in list_rows(load, decision, chosen)],
        "payback_seconds": decision.moving.payback_seconds,
        "backlog_tuples": decision.catching_up.backlog_tuples if decision.catching_up else None,
        "reasons": [one.code for one in decision.reasons],
        "warnings": [{"code": code, "detail": detail} for code, detail in dict.fromkeys(warnings)],
    }
