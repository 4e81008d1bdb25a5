"""Stores reports on outcomes of decisions, and finds the reported and observed outcomes of decisions.

A report that is sent twice changes nothing, and an earlier report never undoes a later one.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.database.tables import DecisionRow, Document
from app.deciding.documents import keep_whole, unfold_row
from app.deciding.outcomes.answers import Became, to_became, to_reported
from app.deciding.outcomes.gathering import AskedDecision, find_periods, gather_compared, gather_outcomes
from app.deciding.outcomes.schemas import OutcomeAnswer, OutcomeBody
from app.deciding.promises import StoredDecision, find_before, find_promised_seconds, read_promise
from app.deciding.rates_around import AppliedChange, list_futile
from app.settings import Settings
from app.web.fields import move_time
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import OutcomeConflict, UnknownDecision
from planner.errors import escape_pointer, suggest_name
from planner.outcomes.observed import USUAL_ERROR, ObservedOutcome, Promised, observe_outcome

FOLLOWING = {
    "refused": {"refused", "failed", "applied"},
    "failed": {"failed", "refused", "applied", "rolled-back"},
    "applied": {"applied", "failed", "rolled-back"},
    "rolled-back": {"rolled-back"},
}
"""The states that may be reported after each state."""
OF_ONE_STATE = {"processors", "detail"}
"""Fields of a report that do not apply to another state."""


def store_outcome(
    session: Session, decision_id: UUID, body: OutcomeBody, settings: Settings
) -> OutcomeAnswer:
    """Joins a report on a decision's outcome with the earlier reports, and stores the result with the decision."""
    row = session.get(DecisionRow, decision_id, with_for_update=True)
    if row is None:
        raise UnknownDecision(decision_id)
    now = datetime.now(UTC)
    document = unfold_row(session, row)
    refuse_impossible(document, body, now + timedelta(seconds=settings.max_snapshot_lead_seconds))
    before = OutcomeAnswer.model_validate(row.outcome) if row.outcome else None
    if before is not None:
        refuse_backwards(decision_id, before, body)
    found = join_reports(document, before, body, now)
    if before is not None and found == before.model_copy(update={"reported_at": now}):
        return before
    keep_whole(row, document)
    row.outcome = found.model_dump(mode="json")
    session.flush()
    return found


def refuse_impossible(decision: Document, body: OutcomeBody, latest: datetime) -> None:
    """Refuses a report that names operators which the decision does not have, or times in the future."""
    known = decision["processors"]["recommended"]
    errors = [
        (
            f"#/processors/{escape_pointer(name)}",
            f"The decision has no operator {name!r}: use its operators' names.{suggest_name(name, known)}",
        )
        for name in (body.processors or {})
        if name not in known
    ]
    if body.applied_at is not None and body.applied_at > latest:
        errors.append(("#/applied_at", "This time is in the future: send the time of the change in UTC."))
    if errors:
        raise InvalidRequest(tuple(errors))


def refuse_backwards(decision_id: UUID, before: OutcomeAnswer, body: OutcomeBody) -> None:
    """Refuses a report whose state cannot follow the stored state, or whose time is before the stored time."""
    if body.state not in FOLLOWING[before.state]:
        remedy = "decide again, and report the outcome of the new decision."
        raise OutcomeConflict(decision_id, before.state, body.state, remedy)
    if before.applied_at and body.applied_at and body.applied_at < before.applied_at:
        why = (
            f"it was applied at {before.applied_at.isoformat()}, and this report has an earlier time. Leave "
            "applied_at out."
        )
        raise OutcomeConflict(decision_id, before.state, body.state, why)


def join_reports(
    decision: Document, before: OutcomeAnswer | None, body: OutcomeBody, now: datetime
) -> OutcomeAnswer:
    """Returns the outcome after a report: its fields, and the fields of earlier reports where it leaves some out."""
    sent = body.model_dump(exclude_none=True)
    fields = set(OutcomeBody.model_fields)
    if before is not None and before.state != body.state:
        fields -= OF_ONE_STATE
    joined = sent if before is None else before.model_dump(include=fields) | sent
    if body.state == "applied" and joined.get("applied_at") is None:
        joined["applied_at"] = now
    expected, measured = find_promised_seconds(decision), joined.get("measured_seconds")
    recommended = decision["processors"]["recommended"]
    runs_others = recommended != recommended | (joined.get("processors") or {})
    is_judged = body.state == "rolled-back" or (body.state == "applied" and not runs_others)
    return OutcomeAnswer(
        state=body.state,
        applied_at=joined.get("applied_at"),
        expected_seconds=expected,
        measured_seconds=measured,
        kept=judge(decision, expected, measured) if is_judged else None,
        processors=joined.get("processors"),
        detail=joined.get("detail"),
        reported_at=now,
    )


def judge(decision: Document, expected: float | None, measured: float | None) -> bool | None:
    """Tells whether the measured E[T] is at most the expected one times (1 + known error); None if a number is not
    known.
    """
    if expected is None or measured is None:
        return None
    evidence = decision["current"].get("evidence") or {}
    error = evidence.get("known_error")
    return measured <= expected * (1.0 + (USUAL_ERROR if error is None else float(error)))


def find_outcomes(session: Session, topology_id: int, decisions: Sequence[StoredDecision]) -> list[Became]:
    """Finds the outcomes of decisions about one topology by a fixed number of queries, however many decisions there
    are.
    """
    promised = [read_promise(one) for one in decisions]
    asked = [to_asked(one, promise) for one, promise in zip(decisions, promised, strict=True)]
    seen = gather_outcomes(session, topology_id, asked)
    found = [observe_outcome(one, around.observations) for one, around in zip(promised, seen, strict=True)]
    changes = [to_change(*one) for one in zip(asked, found, strict=True)]
    futile = list_futile(session, topology_id, changes)
    found = [replace(one, futile=said) for one, said in zip(found, futile, strict=True)]
    periods = [find_periods(*one) for one in zip(asked, promised, found, strict=True)]
    compared = gather_compared(session, topology_id, periods)
    reported = [to_reported(one.outcome) for one in decisions]
    return [to_became(*one) for one in zip(promised, asked, seen, found, compared, reported, strict=True)]


def to_change(asked: AskedDecision, found: ObservedOutcome) -> AppliedChange | None:
    """Returns the change of a decision that ran, and from when until when it did; None if it did not run."""
    ends = [one for one in (found.end_seconds, found.cut_seconds) if one is not None]
    if found.state != "applied" or found.begin_seconds is None or not ends:
        return None
    applied_at, until = (move_time(asked.decided_for, one) for one in (found.begin_seconds, min(ends)))
    if applied_at is None or until is None:
        return None
    return AppliedChange(asked.current, asked.recommended, asked.decided_for, applied_at, until)


def to_asked(decision: StoredDecision, promised: Promised) -> AskedDecision:
    """Returns the times before and after a decision to search for its outcome, and the processors before and after."""
    counts = decision.answer["processors"]
    return AskedDecision(
        promised.is_change,
        decision.decided_for,
        find_before(decision.answer),
        promised.horizon_seconds,
        counts["current"],
        counts["recommended"],
        datetime.fromisoformat(decision.answer["basis"]["first_observed_at"]),
    )
