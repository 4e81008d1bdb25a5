"""Reads the promise of a decision from its stored answer: E[T], and the limit of E[T] over a horizon.

A decision that was just made is also observed here: it has no interval that was measured after its data.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from app.deciding.outcomes.schemas import ObservedAnswer
from app.load.bodies.terms import Goal
from app.web.fields import move_time
from planner.outcomes.observed import Promised
from planner.outcomes.wording import NOTHING_SINCE

LONGEST_HORIZON_SECONDS = 21_600.0
"""The longest horizon in seconds: after a longer time, other causes change E[T] more than the decision does."""


class StoredDecision(NamedTuple):
    """A stored decision; `answer` holds at least the parts that this module reads."""

    action: str
    decided_for: datetime
    answer: Mapping[str, Any]
    outcome: Mapping[str, Any] | None


def read_promise(decision: StoredDecision) -> Promised:
    """Returns the promise that the stored answer of a decision makes."""
    answer, policy = decision.answer, decision.answer["policy"]
    newest = datetime.fromisoformat(answer["basis"]["last_observed_at"])
    length = (decision.decided_for - newest).total_seconds()
    until_change = (answer["moving"].get("horizon") or {}).get("seconds")
    wanted = until_change or policy.get("horizon_seconds") or policy["cooldown_seconds"]
    evidence = answer["current"].get("evidence") or {}
    return Promised(
        is_change=decision.action != "hold",
        horizon_seconds=max(length, min(wanted, LONGEST_HORIZON_SECONDS)),
        interval_seconds=length,
        expected_seconds=find_promised_seconds(answer),
        target_seconds=Goal.model_validate(policy["goal"]).find_t_max_seconds(),
        known_error=evidence.get("known_error"),
        holds_up_to_rate=answer["counterfactuals"]["holds_up_to_rate"],
    )


def find_before(answer: Mapping[str, Any]) -> float | None:
    """Returns E[T] before a decision: the measured E[T] that the decision itself states; None: not measured."""
    found: float | None = answer["measured_sojourn_seconds"]
    return found


def observe_fresh(decision: StoredDecision) -> ObservedAnswer:
    """Returns the observed outcome of a decision that was just made: it still waits for intervals."""
    promised = read_promise(decision)
    return ObservedAnswer(
        state="waiting",
        applied_at=None,
        superseded_at=None,
        expected_seconds=promised.expected_seconds,
        before_seconds=find_before(decision.answer),
        measured_seconds=None,
        relative_error=None,
        worst_seconds=None,
        limit_seconds=promised.limit_seconds,
        limit_source=promised.limit_source,
        horizon_seconds=promised.horizon_seconds,
        judged_until=None if promised.is_change else move_time(decision.decided_for, promised.find_end(0.0)),
        intervals=0,
        missed_intervals=0,
        missed_beyond_rate=None,
        is_complete=False,
        kept=None,
        detail=NOTHING_SINCE,
    )


def find_promised_seconds(answer: Mapping[str, Any]) -> float | None:
    """Returns the E[T] that a decision promises, corrected by measured waits where these are known; None: unbounded."""
    return choose_promise(answer["expected_sojourn_seconds"], answer.get("corrected_sojourn_seconds"))


def choose_promise(expected: float | None, corrected: float | None) -> float | None:
    """Returns the E[T] corrected by measured waits if it is known, else the expected E[T]."""
    return expected if corrected is None else corrected
