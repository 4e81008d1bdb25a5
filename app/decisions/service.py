"""Decides about a stored topology under its policy, and keeps every decision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.decisions.schemas import DecisionAnswer, DecisionRequest
from app.described.answers import to_estimate_answer
from app.http.error_pointers import blaming_what_is_stored
from app.measured.load import Gathered, gather
from app.measured.rate_ahead import (
    HISTORY,
    RateHistory,
    RateOutlook,
    gather_rates,
    look_for_changes,
    look_out,
)
from app.measured.request import Measured
from app.node_advice.gathering import advise_on_nodes, advise_on_streams, find_missing_nodes, read_resources
from app.policies.schemas import PolicyBody
from app.policies.service import check_policy
from app.serving.observability import time_planner
from app.settings import Settings
from app.storage.storage_errors import NoPolicy, StaleSnapshots, StoredDataUnusable
from app.storage.stored_topologies import StoredTopology, find_topology
from app.tables import DecisionRow, PolicyRow
from planner.decisions.change_horizon import ChangeHorizon, find_horizon
from planner.decisions.decide import Decision, decide
from planner.decisions.owner_terms import LastChange
from planner.decisions.payback import Moves, is_weighed, plan_moves, weigh_change
from planner.decisions.state_migration import State
from planner.errors import join_names
from planner.gates.counterfactuals import Counterfactuals, find_counterfactuals
from planner.gates.headroom import scale_load
from planner.values import Diagnostic, Estimate


@dataclass(frozen=True)
class Prepared:
    """All that a decision looks at, gathered; `decided_for` is where the newest interval ends."""

    stored: StoredTopology
    terms: PolicyBody
    found: Gathered
    decided_for: datetime
    last: DecisionRow | None
    history: RateHistory


def store_decision(session: Session, name: str, body: DecisionRequest, settings: Settings) -> DecisionAnswer:
    """The same stored data gives the same decision: time is that of the data, and the clock can only refuse."""
    prepared = prepare(session, name, body, settings)
    outlook = look_out_for(prepared)
    with time_planner("decide"), blaming_what_is_stored(name):
        answer = compose_answer(prepared, outlook)
    return keep(session, prepared.stored, answer)


def prepare(
    session: Session,
    name: str,
    body: DecisionRequest,
    settings: Settings,
    *,
    history: int | None = None,
) -> Prepared:
    """Gathers all that is stored, and refuses what is missing, contradicts itself, or is too old."""
    at, policy = body.at, body.policy
    stored = find_topology(session, name)
    terms = policy or find_terms(session, stored)
    check_policy(stored, terms, "#/policy")
    measured = Measured(model=terms.model, smoothing=terms.smoothing)
    found = gather(session, name, measured, settings, at)
    decided_for = find_end(found)
    refuse_stale(name, terms, decided_for, at or datetime.now(UTC))
    last = find_last_change(session, stored, decided_for)
    rates = RateHistory()
    if history is not None or is_looking_ahead(terms) or terms.states:
        rates = gather_rates(session, found, decided_for, history or HISTORY)
    return Prepared(stored, terms, found, decided_for, last, rates)


def is_looking_ahead(terms: PolicyBody) -> bool:
    """Only the number of processors for a target follows the rate to come."""
    return terms.look_ahead and terms.goal.t_max_seconds is not None


def look_out_for(prepared: Prepared) -> RateOutlook:
    """The rate of the coming cooldown, where the policy looks ahead."""
    return look_out(prepared.history, prepared.terms) if is_looking_ahead(prepared.terms) else RateOutlook()


def find_terms(session: Session, stored: StoredTopology) -> PolicyBody:
    """The stored policy."""
    row = session.get(PolicyRow, stored.id)
    if row is None:
        raise NoPolicy(stored.name)
    return PolicyBody.model_validate(row.policy)


def find_end(found: Gathered) -> datetime:
    """Where the newest interval ends."""
    try:
        return found.newest.observed_at + timedelta(seconds=found.newest.window_seconds)
    except OverflowError:
        why = f"its newest interval is {found.newest.window_seconds:g} s long, and ends beyond all calendars."
        raise StoredDataUnusable(found.stored.name, why) from None


def refuse_stale(name: str, policy: PolicyBody, decided_for: datetime, now: datetime) -> None:
    """No number rests on a measurement older than the policy trusts."""
    age = (now - decided_for).total_seconds()
    if age > policy.max_snapshot_age_seconds:
        raise StaleSnapshots(name, decided_for, age, policy.max_snapshot_age_seconds)


def find_last_change(session: Session, stored: StoredTopology, decided_for: datetime) -> DecisionRow | None:
    """The newest decision that changed something, on older data than this one's: asking twice changes nothing."""
    return session.scalar(
        select(DecisionRow)
        .where(
            DecisionRow.topology_id == stored.id,
            DecisionRow.action != "hold",
            DecisionRow.decided_for < decided_for,
        )
        .order_by(DecisionRow.decided_for.desc(), DecisionRow.created_at.desc(), DecisionRow.id)
        .limit(1)
    )


def compose_answer(prepared: Prepared, outlook: RateOutlook) -> DecisionAnswer:
    """Decide, weigh what moving costs, and say what else would be; each coming step only where that can matter."""
    found, terms, last = prepared.found, prepared.terms, prepared.last
    policy = terms.to_value()
    running = find_running(found, last)
    since = None
    if last is not None:
        since = LastChange((prepared.decided_for - last.decided_for).total_seconds(), last.external_rate)
    wanted = decide(
        found.topology,
        found.load,
        running,
        policy,
        since,
        newest_rate=found.newest.external_rate,
        rate_ahead=outlook.rate.upper_rate if outlook.rate else None,
        intervals=found.intervals,
    )
    moves = plan_moves(wanted, find_states(policy.states, running, found, last))
    horizon = None
    if is_weighed(wanted, moves):
        coming = look_for_changes(prepared.history, terms, len(found.topology.operators))
        horizon = find_horizon(wanted, policy, coming)
    decision = weigh_change(wanted, moves, horizon)
    counts = [one.processors for one in decision.recommended.operators]
    around = find_counterfactuals(
        scale_load(decision.situation, decision.sized_rate),
        counts,
        policy.t_max_seconds,
        policy.t_min_seconds,
        wait_factor=decision.correction.least_shared,
        own_factor=decision.correction.own if decision.correction.is_own else None,
    )
    return to_answer(decision, moves, horizon, around, prepared, outlook)


def find_running(found: Gathered, last: DecisionRow | None) -> list[int]:
    """Processors as measured, else as last recommended."""
    recommended: Mapping[str, int] = last.answer["processors"]["recommended"] if last else {}
    names = [operator.name for operator in found.topology.operators]
    measured = {name: one.processors for name, one in found.load.operators.items()}
    counts = {name: measured.get(name) or recommended.get(name) for name in names}
    missing = [name for name in names if counts.get(name) is None]
    if missing:
        why = f"it does not say how many processors run at {join_names(missing)}."
        raise StoredDataUnusable(found.stored.name, why)
    return [int(counts[name] or 0) for name in names]


def find_states(
    states: Mapping[str, State], running: list[int], found: Gathered, last: DecisionRow | None
) -> Mapping[str, State]:
    """The policy's states, with the owners that the last change left, where as many instances still run."""
    migrated = last.answer["moving"]["migrations"] if last else {}
    known = dict(states)
    for operator, count in zip(found.topology.operators, running, strict=True):
        state, left = states.get(operator.name), migrated.get(operator.name)
        if state and left and left["after"] == count and len(left["owners"]) == state.key_groups:
            known[operator.name] = replace(state, owners=tuple(left["owners"]))
    return known


def to_answer(  # noqa: PLR0917 - the stages of a decision
    decision: Decision,
    moves: Moves,
    horizon: ChangeHorizon | None,
    around: Counterfactuals,
    prepared: Prepared,
    outlook: RateOutlook,
) -> DecisionAnswer:
    """From the planner's values to JSON's types."""
    found, terms = prepared.found, prepared.terms
    current, recommended, optimum = decision.current, decision.recommended, decision.optimum
    resources, thresholds = read_resources(found.newest, decision), terms.nodes.to_value()
    return DecisionAnswer.model_validate(
        {
            "decided_for": prepared.decided_for,
            "action": decision.action,
            "goal": decision.goal,
            "processors": {
                "current": name_counts(current),
                "recommended": name_counts(recommended),
                "current_total": current.processors_total,
                "recommended_total": recommended.processors_total,
            },
            "reasons": decision.reasons,
            "constraints": decision.constraints,
            "external_rate": current.external_rate,
            "rate_change": decision.rate_change,
            "cooldown_left_seconds": decision.cooldown_left_seconds,
            "measured_sojourn_seconds": decision.measured_sojourn_seconds,
            "current": to_estimate_answer(replace(current, diagnostics=())),
            "sized_for": describe_sizing(decision, outlook),
            "look_ahead": outlook.rate,
            "correction": decision.correction if decision.correction.intervals else None,
            "expected_sojourn_seconds": recommended.expected_sojourn_seconds,
            "optimum": optimum
            and {
                "processors": name_counts(optimum),
                "processors_total": optimum.processors_total,
                "expected_sojourn_seconds": optimum.expected_sojourn_seconds,
            },
            "counterfactuals": around,
            "moving": {
                "migrations": moves.migrations,
                "cost_tuple_seconds": moves.cost_tuple_seconds,
                "payback_seconds": moves.payback_seconds,
                "horizon": horizon,
            },
            "nodes": advise_on_nodes(resources, thresholds, decision),
            "streams": advise_on_streams(resources, thresholds, decision, terms.most_deviation),
            "diagnostics": found.diagnostics
            + current.diagnostics
            + find_missing_nodes(resources)
            + describe_outlook(outlook),
            "policy": terms,
            "basis": found.basis,
        }
    )


def describe_sizing(decision: Decision, outlook: RateOutlook) -> dict[str, object]:
    """Which external rate the number of processors is for, and why that one."""
    ahead = outlook.rate
    said = {
        "smoothed": "The external rate of the snapshots, as the policy smooths them.",
        "newest": "The external rate of the newest snapshot, which is higher than the smoothed one.",
        "forecast": "The upper rate of the coming cooldown, which is higher than any measured now.",
    }[decision.sized_by]
    if decision.sized_by == "forecast" and ahead is not None:
        said += (
            f" With probability {ahead.quantile:g} no more comes in {ahead.steps} intervals, by the {ahead.model} "
            f"of {ahead.history} intervals."
        )
    return {"external_rate": decision.sized_rate, "source": decision.sized_by, "detail": said}


def describe_outlook(outlook: RateOutlook) -> tuple[Diagnostic, ...]:
    """What the forecast assumed; or why it is not looked ahead although the policy wants it."""
    if outlook.rate is not None:
        return outlook.rate.diagnostics
    if not outlook.missing:
        return ()
    return (Diagnostic("no-look-ahead", f"It was not looked ahead: {outlook.missing}"),)


def name_counts(estimate: Estimate) -> dict[str, int]:
    """Processors by operator."""
    return {one.name: one.processors for one in estimate.operators}


def keep(session: Session, stored: StoredTopology, answer: DecisionAnswer) -> DecisionAnswer:
    """Stores the decision as it is answered."""
    answer.id = uuid4()
    document: dict[str, Any] = answer.model_dump(mode="json", exclude={"id", "created_at"})
    row = DecisionRow(
        id=answer.id,
        topology_id=stored.id,
        revision=stored.revision,
        decided_for=answer.decided_for,
        action=answer.action,
        external_rate=answer.external_rate,
        answer=document,
    )
    session.add(row)
    session.flush()
    session.refresh(row, ["created_at"])
    answer.created_at = row.created_at
    return answer
