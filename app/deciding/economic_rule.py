"""What the economic rule reads of stored snapshots, and what it weighed as JSON in the answer of a decision."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy.orm import Session

from app.deciding.policies.schemas import PolicyBody
from app.load.bodies.terms import Smoothing, WindowSmoothing
from app.load.measurements.load import Gathered
from app.load.measurements.snapshots import NewestCounts, find_newest_counts
from app.settings import Settings
from app.web.fields import Answer, UtcTime
from planner.decisions.compose import Decision
from planner.decisions.policy import Policy
from planner.economics.history import History, Kept, SeenInterval
from planner.economics.steady import smooth_seen
from planner.values import Load
from planner.workloads.line_forecasts import HISTORY

MOST_ALTERNATIVES = 2
STEADY = 40
"""The number of newest snapshots that the economic rule smooths, of which only steady ones count."""

NO_COUNTS = "The rule drs decides now, since snapshots do not give the processors of all operators."
OF_A_SHARE = "The share of a budget decides, as the policy of the fleet says."
OUT_OF_REACH = "The rule drs decides now, since no processors within the bounds meet the target."


class KeptSoFar(Answer):
    """The share of the measured minutes within the target, and its 95% interval; null: none was measured."""

    share: float | None
    minutes: float
    least: float | None = None
    most: float | None = None
    since: UtcTime | None = None


class Alternative(Answer):
    """Processors that were weighed, with their cost: processor-minutes of the next hour, and late minutes."""

    processors: dict[str, int]
    processors_total: int
    cost: float


class EconomicAnswer(Answer):
    """What the economic rule weighed; null under other rules."""

    rule_detail: Annotated[str | None, Field(description="Which rule decided, and why.")] = None
    price: Annotated[float | None, Field(description="Processor-minutes that a late minute counts for.")] = (
        None
    )
    kept_so_far: KeptSoFar | None = None
    change_pause_seconds: float | None = None
    changes_seen: Annotated[int | None, Field(description="The changes behind change_pause_seconds.")] = None
    alternatives: Annotated[
        list[Alternative] | None, Field(description="What runs, and then the cheapest others.")
    ] = None


def weigh_choice(decision: Decision, decided_for: datetime) -> dict[str, object]:
    """Returns what the economic rule weighed under a policy with this rule, or why another rule decided."""
    choice = decision.choice
    if choice is None:
        question = decision.case.question
        is_known = question.seen is not None
        return {"rule_detail": OF_A_SHARE if question.share else OUT_OF_REACH if is_known else NO_COUNTS}
    names = [one.name for one in decision.current.operators]
    others = [one for one in choice.offers if one.counts != choice.running.counts]
    return {
        "price": choice.price,
        "kept_so_far": tell_kept(choice.kept, decided_for),
        "change_pause_seconds": choice.change.pause_seconds,
        "changes_seen": choice.change.changes,
        "alternatives": [
            {
                "processors": dict(zip(names, one.counts, strict=True)),
                "processors_total": one.total,
                "cost": one.cost,
            }
            for one in [choice.running, *others[:MOST_ALTERNATIVES]]
        ],
    }


def tell_kept(kept: Kept, decided_for: datetime) -> dict[str, object]:
    """Returns how much of the promise was kept, its interval, and since when minutes were judged."""
    least, most = kept.bounds or (None, None)
    since = decided_for - timedelta(minutes=kept.ago) if kept.minutes else None
    return {"share": kept.share, "minutes": kept.minutes, "least": least, "most": most, "since": since}


def choose_smoothing(terms: PolicyBody, settings: Settings) -> Smoothing | None:
    """Returns the smoothing of a policy with the economic rule, which has one of its own."""
    if terms.smoothing is not None:
        return terms.smoothing
    return WindowSmoothing(kind="window", size=min(STEADY, settings.max_smoothing_snapshots))


def leave_out_unasked(found: Gathered) -> Gathered:
    """Returns what was gathered without the note that fewer intervals than wanted are smoothed: nobody asked for 40."""
    kept = [one for one in found.diagnostics if one.code != "fewer-intervals"]
    return replace(found, diagnostics=tuple(kept))


def gather_seen(
    session: Session, found: Gathered, policy: Policy, decided_for: datetime, *, is_shared: bool
) -> History | None:
    """Returns the newest intervals with their processors and times; None if the newest one does not give all
    processors.

    `is_shared`: a share of a budget decides, so only the intervals that are smoothed are needed.
    """
    if is_shared:
        return see_intervals(
            found,
            policy,
            [
                (one.window_seconds, one.external_rate, one.measured_sojourn_seconds, one.operators)
                for one in found.snapshots
            ],
        )
    return see_intervals(found, policy, find_newest_counts(session, found.stored, HISTORY, decided_for))


def see_intervals(found: Gathered, policy: Policy, rows: Iterable[NewestCounts]) -> History | None:
    """Returns these intervals, oldest first, from the last one on that is of another length or lacks processors."""
    names, window = [one.name for one in found.topology.operators], found.newest.window_seconds
    seen: list[SeenInterval] = []
    for seconds, rate, sojourn, operators in rows:
        measured = [operators.get(name, {}) for name in names]
        counts: list[Any] = [one.get("processors") for one in measured]
        if seconds != window or None in counts:
            seen.clear()
            continue
        waiting: list[Any] = [one.get("backlog_tuples") for one in measured]
        seen.append(SeenInterval(rate, tuple(counts), sojourn, None if None in waiting else tuple(waiting)))
    target, end = policy.t_max_seconds or 0.0, found.newest.observed_at.timestamp() + window
    return History.gather(seen, window, target, end, policy.change_pause_seconds) if seen else None


def smooth_found(found: Gathered, seen: History) -> Load:
    """Returns the load of the steady intervals, with the factors of waits that calibration found."""
    return smooth_seen(found.topology, found.load, found.intervals, found.newest.window_seconds, seen)
