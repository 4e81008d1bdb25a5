"""What became of a decision, as the body of PUT /v1/decisions/{id}/outcome, and what such a body says of a change."""

from datetime import UTC, datetime
from math import inf, isinf
from typing import Any

from app.bridge.choosing import limit_step
from app.bridge.seen_answers import SeenDecision
from app.bridge.states import (
    AFTER_A_ROLL_BACK,
    AFTER_GIVING_UP,
    USUAL_ERROR,
    Change,
    Distrust,
    Proof,
    Sojourn,
)
from app.engines.patches import Counts

MOST_DETAIL = 2000
DISTRUSTED = {"rolled-back": AFTER_A_ROLL_BACK, "failed": AFTER_GIVING_UP}


def plan_change(decision: SeenDecision, asked: Counts, asked_at: float) -> Change:
    """The change that a decision becomes."""
    return Change(
        decision.id,
        decision.action,
        dict(decision.processors.current),
        dict(asked),
        decision.external_rate,
        find_sojourn(decision),
        decision.expected_sojourn_seconds if asked == decision.processors.recommended else None,
        asked_at,
        decision.policy.model,
        find_error(decision),
    )


def find_sojourn(decision: SeenDecision) -> Sojourn:
    """E[T] when it was decided."""
    estimated = decision.current.expected_sojourn_seconds
    return Sojourn(decision.measured_sojourn_seconds, inf if estimated is None else estimated)


def find_error(decision: SeenDecision) -> float:
    """By which part E[T] may differ from its estimate."""
    known = decision.current.evidence.known_error if decision.current.evidence else None
    return max(USUAL_ERROR, known or 0.0)


def find_unproved(decision: SeenDecision | None, max_step: float) -> Change | None:
    """The change of a decision that may have been applied and was never proved; a bridge was killed in between."""
    if decision is None or decision.action == "hold":
        return None
    outcome = decision.report
    if outcome is not None and (
        outcome.state != "applied" or outcome.measured_seconds is not None or outcome.detail
    ):
        return None
    return _plan_again(decision, max_step)


def find_distrusted(decision: SeenDecision | None, max_step: float) -> Distrust | None:
    """What a bridge before this one rolled back or could not make run."""
    outcome = decision.report if decision else None
    if decision is None or outcome is None or outcome.state not in DISTRUSTED:
        return None
    change = _plan_again(decision, max_step)
    why = outcome.detail or outcome.state
    return Distrust(change.action, change.asked, change.rate, change.asked_at, why, DISTRUSTED[outcome.state])


def _plan_again(decision: SeenDecision, max_step: float) -> Change:
    """The change that a bridge made of a decision: it follows from the decision alone."""
    asked = limit_step(decision.processors.current, decision.processors.recommended, max_step)
    outcome = decision.report
    applied_at = outcome.applied_at if outcome and outcome.applied_at else decision.created_at
    return plan_change(decision, asked, applied_at.timestamp())


def say_applied(change: Change, detail: str | None = None) -> dict[str, Any]:
    """The engine has taken the change on."""
    return _say("applied", change, change.asked, detail)


def say_proved(change: Change, proof: Proof, after: Sojourn) -> dict[str, Any]:
    """What it brought."""
    return _say("applied", change, change.asked, proof.why, after)


def say_rolled_back(change: Change, why: str, after: Sojourn) -> dict[str, Any]:
    """It was undone."""
    return _say("rolled-back", change, change.before, why, after)


def say_failed(change: Change, running: Counts, why: str) -> dict[str, Any]:
    """The engine does not run what was asked: nothing of it, or a part."""
    state = "failed" if running == change.before else "applied"
    return _say(state, change, running, why)


def say_refused(why: str) -> dict[str, Any]:
    """The bridge did not ask the engine for it."""
    return {"state": "refused", "detail": why[:MOST_DETAIL]}


def _say(
    state: str, change: Change, processors: Counts, detail: str | None, after: Sojourn | None = None
) -> dict[str, Any]:
    body: dict[str, Any] = {
        "state": state,
        "applied_at": datetime.fromtimestamp(change.asked_at, UTC).isoformat(),
        "processors": dict(processors),
    }
    if detail:
        body["detail"] = detail[:MOST_DETAIL]
    if after is not None and after.measured is not None and not isinf(after.measured):
        body["measured_seconds"] = after.measured
    return body
