"""Reads the inputs of a decision from the database: topology, policy, snapshots and earlier decisions."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import literal, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, PolicyRow, SnapshotRow
from app.deciding.advised import read_counts
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.documents import take_part, unfold_row
from app.deciding.economic_rule import choose_smoothing, gather_seen, leave_out_unasked, smooth_found
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import check_policy, limit_to_share
from app.deciding.standing import NEWEST_FIRST, UNDONE, find_last_change
from app.load.bodies.terms import Measured
from app.load.measurements.freshness import refuse_old
from app.load.measurements.load import Gathered, gather_load
from app.load.measurements.series import read_external_rates
from app.load.measurements.snapshots import IS_WHOLE, ended, find_end, find_newest
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.settings import Settings
from app.web.problems.error_pointers import STORED, Places
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import NoPolicy, StoredDataUnusable, find_address
from planner.decisions.case import DecisionQuestion
from planner.decisions.horizon import RateHistory
from planner.decisions.policy import LastChange
from planner.decisions.state_migration import OwnersLeft
from planner.nodes.usage import MeasuredInstance, Node, Usage
from planner.wording import join_names
from planner.workloads.weighed_forecast import LOOKED_BACK


@dataclass(frozen=True)
class GatheredDecision:
    """The question for the planner, with the stored data that the answer names. `decided_for` is the end of the newest
    of these data.
    """

    found: Gathered
    terms: PolicyBody
    places: Places
    decided_for: datetime
    question: DecisionQuestion


def gather_decision(
    session: Session,
    name: str,
    body: DecisionRequest,
    settings: Settings,
    *,
    history: int | None = None,
    is_shared: bool = False,
) -> GatheredDecision:
    """Reads all stored data of a decision; raises if they are missing, contradictory or too old.

    `history`: the number of snapshots that a forecast learns from, needed even if the policy itself asks for none.
    `is_shared`: the fleet's budget is shared anew; else the topology keeps to its share.
    """
    stored = find_topology(session, name)
    terms = body.policy or find_terms(session, stored)
    check_terms(stored, terms, is_sent=body.policy is not None)
    smoothing = choose_smoothing(terms, settings) if terms.rule == "economic" else terms.smoothing
    measured = Measured(model=terms.model, smoothing=smoothing, calibrate=terms.calibrate)
    found = gather_load(session, stored, measured, settings, body.at)
    if smoothing != terms.smoothing:
        found = leave_out_unasked(found)
    decided_for = find_end(found.newest)
    refuse_old(
        name,
        decided_for,
        terms.max_snapshot_age_seconds,
        body.at,
        ahead_until=found.ahead_until,
        takes_at=True,
    )
    places = STORED | {"states": "/policy/states" if body.policy else None}
    question = gather_question(session, found, terms, decided_for, history, is_shared=is_shared)
    if not is_shared and body.at is None and body.policy is None:
        policy, said = limit_to_share(session, stored, question.policy, sum(question.running))
        found = replace(found, diagnostics=(*found.diagnostics, *said))
        question = replace(question, policy=policy)
    return GatheredDecision(found, terms, places, decided_for, question)


def gather_question(
    session: Session,
    found: Gathered,
    terms: PolicyBody,
    decided_for: datetime,
    history: int | None,
    *,
    is_shared: bool,
) -> DecisionQuestion:
    """Returns the question for the planner; equal stored data give an equal question."""
    stored, policy, rates, left = found.stored, terms.to_value(decided_for), None, None
    last = find_last_change(session, stored, decided_for)
    in_force = last
    if last is not None and last.outcome is not None and last.outcome["state"] in UNDONE:
        in_force = find_last_change(session, stored, decided_for, UNDONE)
    if history is not None or policy.is_looking_ahead or policy.states:
        rates = gather_rates(session, found, decided_for, history or LOOKED_BACK)
    if policy.catch_up_seconds is not None:
        left = find_promise(session, stored, terms, decided_for, policy.catch_up_seconds)
    needed = find_wanted_before(session, stored, terms, decided_for)
    shown = (found, policy, decided_for)
    seen = gather_seen(session, *shown, is_shared=is_shared) if policy.is_economic else None
    return DecisionQuestion(
        topology=found.topology,
        load=found.load if seen is None else smooth_found(found, seen),
        running=find_running(found, last),
        policy=policy,
        last=read_change(last, decided_for),
        newest_rate=found.newest.external_rate,
        intervals=found.intervals,
        history=rates,
        owners_left=read_owners(in_force),
        nodes=read_nodes(found.newest),
        instances=read_instances(found.newest),
        catch_up_left_seconds=left,
        wanted_before=None if needed is None else needed.needed,
        wanted_seconds_ago=None if needed is None else (decided_for - needed.decided_for).total_seconds(),
        wanted_rate=None if needed is None else find_sized_rate(session, needed),
        seen=seen,
    )


def read_change(last: DecisionRow | None, decided_for: datetime) -> LastChange | None:
    """Returns the last change as the planner sees it."""
    if last is None:
        return None
    return LastChange((decided_for - last.decided_for).total_seconds(), last.external_rate)


def find_terms(session: Session, stored: StoredTopology) -> PolicyBody:
    """Returns the stored policy of a topology; raises if the topology has none."""
    row = session.get(PolicyRow, stored.id)
    if row is None:
        raise NoPolicy(stored.name)
    return PolicyBody.model_validate(row.policy)


def check_terms(stored: StoredTopology, terms: PolicyBody, *, is_sent: bool) -> None:
    """Refuses a policy that contradicts the topology. A stored policy may contradict it because it was written for an
    earlier revision.
    """
    try:
        check_policy(stored, terms, "#/policy")
    except InvalidRequest as error:
        if is_sent:
            raise
        why = f"its policy does not fit this revision. {error}"
        remedy = f"PUT a policy that fits to {find_address(stored.name)}/policy, or send a policy with the request."
        raise StoredDataUnusable(stored.name, why, remedy) from error


def gather_rates(session: Session, found: Gathered, decided_for: datetime, count: int) -> RateHistory:
    """Returns the external rates of the newest `count` snapshots, without snapshots of another length than the newest
    one.
    """
    window = found.newest.window_seconds
    own = SnapshotRow.topology_id == found.stored.id
    chosen = [own, IS_WHOLE, SnapshotRow.window_seconds == window, *ended(session, decided_for)]
    return RateHistory(read_external_rates(session, chosen, count)[0], window)


def find_running(found: Gathered, last: DecisionRow | None) -> list[int]:
    """Returns the processors of each operator as measured, or as last recommended where they are not measured."""
    recommended = read_counts(last)
    names = [operator.name for operator in found.topology.operators]
    measured = {name: one.processors for name, one in found.load.operators.items()}
    counts = {name: measured.get(name) or recommended.get(name) for name in names}
    missing = [name for name in names if counts.get(name) is None]
    if missing:
        why = f"it does not give the number of running processors of {join_names(missing)}."
        raise StoredDataUnusable(found.stored.name, why)
    return [int(counts[name] or 0) for name in names]


def read_owners(last: DecisionRow | None) -> dict[str, OwnersLeft]:
    """Returns, by operator, which instance owns each key group since the last change."""
    migrated = last.answer["moving"]["migrations"] if last and last.answer else {}
    return {name: OwnersLeft(one["after"], tuple(one["owners"])) for name, one in migrated.items()}


def read_nodes(newest: SnapshotRow) -> list[Node]:
    """Returns the nodes of a snapshot, each with the parts of its resources that are in use."""
    return [Node(name, Usage(**used)) for name, used in (newest.nodes or {}).items()]


def read_instances(newest: SnapshotRow) -> dict[str, list[MeasuredInstance]]:
    """Returns the measured instances of a snapshot by the name of their operator."""
    return {
        operator: [MeasuredInstance(**one) for one in listed]
        for operator, listed in (newest.instances or {}).items()
    }


def find_wanted_before(
    session: Session, stored: StoredTopology, terms: PolicyBody, decided_for: datetime
) -> DecisionRow | None:
    """Returns the newest of the earlier decisions with an equal goal and equal bounds that asked for the most
    processors in the policy's window.

    Only decisions on data older than `decided_for` count. Trials do not count. Decisions under a policy without a
    window do not count, because such a decision may have held for another reason than the goal.
    """
    if not terms.scale_down_window_seconds:
        return None
    needed = DecisionRow.needed
    sent = terms.model_dump(mode="json", include={"goal", "bounds"})
    most = (
        select(DecisionRow)
        .where(
            needed.is_not(None),
            DecisionRow.topology_id == stored.id,
            DecisionRow.is_trial.is_(False),
            DecisionRow.decided_for >= decided_for - timedelta(seconds=terms.scale_down_window_seconds),
            DecisionRow.decided_for < decided_for,
            # Decisions of earlier versions have no null for each kind of goal that came later.
            take_part("policy", "goal").contained_by(literal(sent["goal"], JSONB)),
            take_part("policy", "bounds") == literal(sent["bounds"], JSONB),
        )
        .order_by(needed.desc(), DecisionRow.decided_for.desc())
        .limit(1)
    )
    return session.scalars(most).one_or_none()


def find_sized_rate(session: Session, row: DecisionRow) -> float | None:
    """Returns the rate for which a decision chose its number of processors; None: stored before this was stored."""
    sized = unfold_row(session, row).get("sized_for")
    return None if sized is None else float(sized["external_rate"])


def find_promise(
    session: Session, stored: StoredTopology, terms: PolicyBody, decided_for: datetime, within_seconds: float
) -> float | None:
    """Returns the seconds that remain until the backlog should be gone, by the promise of the newest earlier decision.

    Trials promise nothing, and a decision that had another time for backlogs promised another time. A promise whose
    time has passed is left out.
    """
    if terms.goal.backlog_seconds is None:
        is_alike = take_part("policy", "catch_up_seconds") == literal(within_seconds, JSONB)
    else:
        is_alike = take_part("policy", "goal") == literal(terms.goal.model_dump(mode="json"), JSONB)
    promised = session.scalar(
        select(DecisionRow.finished_by)
        .where(
            is_alike,
            DecisionRow.topology_id == stored.id,
            DecisionRow.is_trial.is_(False),
            DecisionRow.decided_for >= decided_for - timedelta(seconds=within_seconds),
            DecisionRow.decided_for < decided_for,
        )
        .order_by(*NEWEST_FIRST)
        .limit(1)
    )
    return None if promised is None else (promised - decided_for).total_seconds()


class Origin(NamedTuple):
    """The policy of a new decision, and whether the decision is a trial."""

    policy: dict[str, Any]
    is_trial: bool


def describe_origin(
    session: Session,
    stored: StoredTopology,
    decided_for: datetime,
    *,
    at: datetime | None,
    sent: PolicyBody | None,
) -> Origin:
    """The origin of a new decision; `at` and `sent` (the policy) are those of the request.

    A decision is a trial if `at` left out newer snapshots that are stored, or if the policy that was sent is not the
    stored one. Without a stored policy the one that was sent is the only one, and no trial.
    """
    row = session.get(PolicyRow, stored.id)
    policy, is_other = ({} if row is None else row.policy), False
    if sent is not None and (row is None or PolicyBody.model_validate(row.policy) != sent):
        policy, is_other = sent.model_dump(mode="json"), row is not None
    newest = [] if at is None else find_newest(session, stored, 1)
    return Origin(policy, is_other or any(find_end(one) > decided_for for one in newest))
