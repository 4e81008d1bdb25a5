"""What became of stored decisions: what was reported, and what the snapshots show."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from app.deciding.outcomes.answers import Became, find_promised_seconds, to_became, to_reported
from app.deciding.outcomes.gathering import AskedDecision, gather_outcomes
from app.deciding.policies.schemas import Goal
from planner.outcomes.observed import Promised, observe_outcome

LONGEST_HORIZON_SECONDS = 21_600.0
"""Later, other causes than the decision count for more."""


class StoredDecision(NamedTuple):
    """What is stored of a decision; of `answer` at least what this module reads."""

    action: str
    decided_for: datetime
    answer: Mapping[str, Any]
    outcome: Mapping[str, Any] | None


def find_outcomes(session: Session, topology_id: int, decisions: Sequence[StoredDecision]) -> list[Became]:
    """What became of each of these decisions about one topology; the number of queries is the same for any number."""
    promised = [read_promise(one) for one in decisions]
    asked = [to_asked(one, promise) for one, promise in zip(decisions, promised, strict=True)]
    seen = gather_outcomes(session, topology_id, asked)
    return [
        to_became(promise, one, around, observe_outcome(promise, around.sight), to_reported(decision.outcome))
        for decision, promise, one, around in zip(decisions, promised, asked, seen, strict=True)
    ]


def read_promise(decision: StoredDecision) -> Promised:
    """What the decision said of the time after it."""
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


def to_asked(decision: StoredDecision, promised: Promised) -> AskedDecision:
    """Which intervals are looked for."""
    first = datetime.fromisoformat(decision.answer["basis"]["first_observed_at"])
    horizon = timedelta(seconds=promised.horizon_seconds)
    is_long = decision.decided_for - first > horizon
    counts = decision.answer["processors"]
    return AskedDecision(
        promised.is_change,
        decision.decided_for,
        decision.decided_for - horizon if is_long else first,
        promised.horizon_seconds,
        counts["current"],
        counts["recommended"],
    )
