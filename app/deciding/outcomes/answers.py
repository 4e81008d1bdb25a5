"""Turns the reported and the observed outcome of a decision into JSON."""

from collections.abc import Mapping
from datetime import datetime
from math import isfinite
from typing import Any, NamedTuple

from app.deciding.outcomes.gathering import AskedDecision, SeenAround
from app.deciding.outcomes.schemas import ObservedAnswer, OutcomeAnswer
from app.load.bodies.answers import DiagnosticAnswer
from app.web.fields import move_time
from planner.outcomes.causes import Compared
from planner.outcomes.observed import ObservedOutcome, Promised
from planner.outcomes.wording import ReportedOutcome, describe_outcome, find_disagreements


class Became(NamedTuple):
    """The outcome of a decision: first as reported, or as observed where there is no report; then as observed."""

    outcome: OutcomeAnswer | None
    observed: ObservedAnswer


def to_reported(stored: Mapping[str, Any] | None) -> OutcomeAnswer | None:
    """Returns the stored report on a decision's outcome as an answer; None if nothing was reported."""
    return OutcomeAnswer.model_validate(stored) if stored else None


def to_became(
    promised: Promised,
    asked: AskedDecision,
    around: SeenAround,
    found: ObservedOutcome,
    compared: Compared | None,
    reported: OutcomeAnswer | None,
) -> Became:
    """Returns the reported and the observed outcome of a decision, and by how much they differ."""
    observed = to_observed(promised, asked, around, found, compared)
    if reported is None:
        return Became(stand_in(observed, asked), observed)
    disagreements = find_disagreements(promised, found, to_values(reported, asked))
    observed.diagnostics = [DiagnosticAnswer.model_validate(one) for one in disagreements]
    return Became(reported, observed)


def to_values(reported: OutcomeAnswer, asked: AskedDecision) -> ReportedOutcome:
    """Turns a report on an outcome into the value that the planner compares with the observed outcome."""
    at = reported.applied_at
    ran_others = reported.state == "applied" and asked.recommended != {
        **asked.recommended,
        **(reported.processors or {}),
    }
    return ReportedOutcome(
        reported.state,
        (at - asked.decided_for).total_seconds() if at else None,
        ran_others,
        reported.measured_seconds,
        reported.kept,
    )


def to_observed(
    promised: Promised,
    asked: AskedDecision,
    around: SeenAround,
    found: ObservedOutcome,
    compared: Compared | None = None,
) -> ObservedAnswer:
    """Returns the outcome that the snapshots around a decision show, as an answer."""
    expected = promised.expected_seconds
    return ObservedAnswer(
        state=found.state,
        applied_at=date(asked, found.begin_seconds) if found.state == "applied" else None,
        superseded_at=around.superseded_at,
        expected_seconds=expected,
        before_seconds=asked.before_seconds,
        measured_seconds=found.measured_seconds,
        relative_error=find_error(expected, found.measured_seconds),
        worst_seconds=found.worst_seconds,
        limit_seconds=promised.limit_seconds,
        limit_source=promised.limit_source,
        horizon_seconds=promised.horizon_seconds,
        judged_until=date(asked, found.end_seconds),
        intervals=found.intervals,
        missed_intervals=found.missed,
        missed_beyond_rate=found.missed_beyond_rate,
        is_complete=found.is_complete,
        kept=found.kept,
        detail=describe_outcome(promised, around.observations, found, compared),
    )


def find_error(expected: float | None, measured: float | None) -> float | None:
    """Returns how far the measured time is off: (measured - expected) / expected; None where that is not finite."""
    if not expected or measured is None:
        return None
    error = (measured - expected) / expected
    return error if isfinite(error) else None


def date(asked: AskedDecision, seconds: float | None) -> datetime | None:
    """Returns the time `seconds` after the end of the decision's data; None if unknown, or beyond the calendar."""
    return None if seconds is None else move_time(asked.decided_for, seconds)


def stand_in(observed: ObservedAnswer, asked: AskedDecision) -> OutcomeAnswer | None:
    """Returns the observed outcome in the place of a missing report; None if the change was not seen as applied."""
    if observed.applied_at is None:
        return None
    return OutcomeAnswer(
        state="applied",
        source="snapshots",
        applied_at=observed.applied_at,
        expected_seconds=observed.expected_seconds,
        measured_seconds=observed.measured_seconds,
        kept=observed.kept,
        processors=dict(asked.recommended),
        detail=observed.detail,
    )
