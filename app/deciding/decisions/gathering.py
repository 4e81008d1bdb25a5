"""Everything that a decision is computed from, read from the database."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy.orm import Session

from app.database.stored_topologies import StoredTopology, find_topology
from app.database.tables import DecisionRow, PolicyRow, SnapshotRow
from app.deciding.decisions.history import find_promise, find_wanted_before
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.policies.schemas import PolicyBody
from app.deciding.policies.service import check_policy
from app.deciding.standing import UNDONE, find_change_in_force, find_last_change, read_counts
from app.load.bodies.answers import Basis, CalibrationAnswer
from app.load.bodies.terms import Measured
from app.load.measurements.load import Gathered, gather_load
from app.load.measurements.snapshots import find_newest_rates
from app.settings import Settings
from app.web.error_pointers import STORED, Places
from app.web.errors import InvalidRequest
from app.web.stored_data_errors import NoPolicy, StaleSnapshots, StoredDataUnusable, find_address
from planner.decisions.case import DecisionQuestion
from planner.decisions.horizon import RateHistory
from planner.decisions.policy import LastChange, Policy
from planner.decisions.state_migration import OwnersLeft
from planner.nodes.usage import MeasuredInstance, Node, Usage
from planner.values import Diagnostic
from planner.wording import join_names
from planner.workloads.line_forecasts import HISTORY
from planner.workloads.series import Measurement


@dataclass(frozen=True)
class GatheredDecision:
    """The question for the planner, and the stored data that the answer names; `decided_for`: see `find_end`."""

    stored: StoredTopology
    terms: PolicyBody
    places: Places
    basis: Basis
    decided_for: datetime
    diagnostics: tuple[Diagnostic, ...]
    calibration: tuple[CalibrationAnswer, ...]
    question: DecisionQuestion


def gather_decision(
    session: Session,
    name: str,
    body: DecisionRequest,
    settings: Settings,
    *,
    history: int | None = None,
) -> GatheredDecision:
    """Reads all stored data of a decision; raises where they are missing, contradictory or too old.

    `history`: the snapshots that a forecast learns from, also where the policy itself asks for none.
    """
    stored = find_topology(session, name)
    terms = body.policy or find_terms(session, stored)
    check_terms(stored, terms, is_sent=body.policy is not None)
    measured = Measured(model=terms.model, smoothing=terms.smoothing, calibrate=terms.calibrate)
    found = gather_load(session, stored, measured, settings, body.at)
    decided_for = find_end(found)
    refuse_stale(name, terms, decided_for, body.at or datetime.now(UTC))
    changes = find_changes(session, stored, decided_for)
    policy = terms.to_value()
    rates = None
    if history is not None or policy.is_looking_ahead or policy.states:
        rates = gather_rates(session, found, decided_for, history or HISTORY)
    question = to_question(found, policy, decided_for, changes, rates)
    question = replace(question, wanted_before=find_wanted_before(session, stored, terms, decided_for))
    if policy.catch_up_seconds is not None:
        left = find_promise(session, stored, decided_for, policy.catch_up_seconds)
        question = replace(question, catch_up_left_seconds=left)
    places = STORED | {"states": "/policy/states" if body.policy else None}
    return GatheredDecision(
        stored, terms, places, found.basis, decided_for, found.diagnostics, found.calibration, question
    )


def find_terms(session: Session, stored: StoredTopology) -> PolicyBody:
    """The stored policy."""
    row = session.get(PolicyRow, stored.id)
    if row is None:
        raise NoPolicy(stored.name)
    return PolicyBody.model_validate(row.policy)


def check_terms(stored: StoredTopology, terms: PolicyBody, *, is_sent: bool) -> None:
    """Refuses a policy that the topology contradicts; one that is stored was written for an earlier revision."""
    try:
        check_policy(stored, terms, "#/policy")
    except InvalidRequest as error:
        if is_sent:
            raise
        why = f"its policy does not fit this revision. {error}"
        remedy = (
            f"PUT a policy that fits to {find_address(stored.name)}/policy, or send one with the request."
        )
        raise StoredDataUnusable(stored.name, why, remedy) from error


def find_end(found: Gathered) -> datetime:
    """The time that is decided for: where the newest interval ends."""
    try:
        return found.newest.observed_at + timedelta(seconds=found.newest.window_seconds)
    except OverflowError:
        why = f"its newest interval is {found.newest.window_seconds:g} s long, and ends beyond all calendars."
        raise StoredDataUnusable(found.stored.name, why) from None


def refuse_stale(name: str, terms: PolicyBody, decided_for: datetime, now: datetime) -> None:
    """Refuses measurements that are older than the policy allows."""
    age = (now - decided_for).total_seconds()
    if age > terms.max_snapshot_age_seconds:
        raise StaleSnapshots(name, decided_for, age, terms.max_snapshot_age_seconds)


class Changes(NamedTuple):
    """The change that began the cooldown, and the newest change that was not undone; they are mostly the same."""

    last: DecisionRow | None
    in_force: DecisionRow | None


def find_changes(session: Session, stored: StoredTopology, decided_for: datetime) -> Changes:
    """The newest changes on older data than this decision; deciding twice on the same data gives the same."""
    last = find_last_change(session, stored, decided_for)
    if last is None or last.outcome is None or last.outcome["state"] not in UNDONE:
        return Changes(last, last)
    return Changes(last, find_change_in_force(session, stored, decided_for))


def gather_rates(session: Session, found: Gathered, decided_for: datetime, count: int) -> RateHistory:
    """The external rates of those of the newest `count` snapshots that are as long as the newest one."""
    window = found.newest.window_seconds
    rows = find_newest_rates(session, found.stored, count, decided_for)
    measured = [Measurement(at.timestamp(), rate) for at, seconds, rate in rows if seconds == window]
    return RateHistory(measured, window)


def to_question(
    found: Gathered,
    policy: Policy,
    decided_for: datetime,
    changes: Changes,
    rates: RateHistory | None,
) -> DecisionQuestion:
    """What the planner is asked, in its own values."""
    last, since = changes.last, None
    if last is not None:
        since = LastChange((decided_for - last.decided_for).total_seconds(), last.external_rate)
    return DecisionQuestion(
        topology=found.topology,
        load=found.load,
        running=find_running(found, changes.last),
        policy=policy,
        last=since,
        newest_rate=found.newest.external_rate,
        intervals=found.intervals,
        history=rates,
        owners_left=read_owners(changes.in_force),
        nodes=read_nodes(found.newest),
        instances=read_instances(found.newest),
    )


def find_running(found: Gathered, last: DecisionRow | None) -> list[int]:
    """Processors of each operator as measured, else as last recommended."""
    recommended = read_counts(last)
    names = [operator.name for operator in found.topology.operators]
    measured = {name: one.processors for name, one in found.load.operators.items()}
    counts = {name: measured.get(name) or recommended.get(name) for name in names}
    missing = [name for name in names if counts.get(name) is None]
    if missing:
        why = f"it does not say how many processors run at {join_names(missing)}."
        raise StoredDataUnusable(found.stored.name, why)
    return [int(counts[name] or 0) for name in names]


def read_owners(last: DecisionRow | None) -> dict[str, OwnersLeft]:
    """Which instance has which key group since the last change, by operator."""
    migrated = last.answer["moving"]["migrations"] if last else {}
    return {name: OwnersLeft(one["after"], tuple(one["owners"])) for name, one in migrated.items()}


def read_nodes(newest: SnapshotRow) -> list[Node]:
    """The nodes of a snapshot with what of them is in use."""
    return [Node(name, Usage(**used)) for name, used in (newest.nodes or {}).items()]


def read_instances(newest: SnapshotRow) -> dict[str, list[MeasuredInstance]]:
    """The instances of a snapshot, by operator."""
    return {
        operator: [MeasuredInstance(**one) for one in listed]
        for operator, listed in (newest.instances or {}).items()
    }
