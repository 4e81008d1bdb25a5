"""Reads the overview and describes each topology in a sentence."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.deciding.advised import UNSEEN, read_waited_for
from app.deciding.fleet_turns import say_turn
from app.load.measurements.freshness import describe_data, withhold
from app.pages.overview.gathering import gather_page
from app.pages.overview.schemas import STATUSES, Overview, OverviewFilter, OverviewRow
from app.web.paging import Page
from app.web.problems.stored_data_errors import AHEAD_OF_CLOCK
from planner.targets.target import SojournTarget
from planner.values import TimeTarget
from planner.wording import write_count, write_numbers_apart, write_seconds, write_seconds_apart


def to_row(row: Row[Any], now: datetime) -> OverviewRow:
    """One topology; of a decision that is withheld no number is shown."""
    data = describe_data(row.until, row.limit_seconds, row.ahead_until, now, has_policy=row.has_policy)
    withheld = withhold(row.name, data, row.decided_for, now)
    shown = None if withheld else row
    change = read_waited_for(row) if shown else None
    judged, kept = row.kept or (0.0, 0.0)
    found = OverviewRow(
        name=row.name,
        revision=row.revision,
        status=STATUSES[row.severity],
        detail="",
        decision_id=row.id,
        data=data,
        withheld=withheld,
        action=None if withheld else row.action,
        decided_for=row.decided_for,
        processors_running=shown and shown.running,
        processors_recommended=change.total if change else shown and shown.recommended,
        expected_sojourn_seconds=shown and shown.current_seconds,
        recommended_sojourn_seconds=change.seconds if change else shown and shown.recommended_seconds,
        measured_sojourn_seconds=row.measured,
        target_seconds=row.target,
        target_of=name_target(row),
        external_rate=row.external_rate,
        holds_up_to_rate=change.holds_up_to_rate if change else shown and shown.holds_up_to_rate,
        measured_until=row.until,
        outcome=row.outcome,
        rates=row.rates or [],
        day=row.day or [],
        judged_minutes=judged,
        kept_minutes=kept,
        processor_hour_price=row.processor_hour_price,
        labels=row.labels or [],
    )
    grows = (found.processors_recommended or 0) > (found.processors_running or 0)
    said = f" It waits {say_turn(row.after)}." if row.after and grows else ""
    return found.model_copy(update={"detail": describe(found, waits=change is not None) + said})


def name_target(row: Row[Any]) -> str | None:
    """What the target of the policy limits; None: there is no target."""
    if row.target is None or not row.other_target:
        return None if row.target is None else SojournTarget.title
    target = TimeTarget(**row.other_target)
    return SojournTarget.title if target.is_expected_sojourn else target.measured.removeprefix("the ")


def describe(row: OverviewRow, *, waits: bool) -> str:
    """The status in a sentence; `waits`: for a change that measurements do not show yet."""
    change = describe_processors(row, waits=waits)
    target, of = write_seconds(row.target_seconds), row.target_of or "E[T]"
    if row.status == "target-missed":
        measured, target = write_seconds_apart(row.measured_sojourn_seconds or 0.0, row.target_seconds or 0.0)
        decided = "" if row.processors_recommended is None else f" {change}"
        return f"The newest snapshot measured {measured}, above the target of {target}.{decided}"
    if row.status == AHEAD_OF_CLOCK:
        return row.data.detail
    if row.withheld is not None and row.decision_id is not None:
        return f"{row.withheld.detail} {row.withheld.remedy}"
    return {
        "overloaded": f"An operator cannot keep up. {change}",
        "target-missed-estimated": f"By the estimate {of} is above the target of {target}. {change}",
        "stale": f"{row.data.detail} Nothing is decided until a newer snapshot is sent.",
        "change-wanted": change,
        "rate-above-reach": f"{change} {describe_beyond(row)}",
        "undecided": "No decision was made for the present topology and policy: ask for one.",
        "no-policy": "The topology has no policy: say how long a tuple may take.",
        "no-measurements": "Nothing was measured yet: send a snapshot.",
        "fine": change,
    }[row.status]


def describe_processors(row: OverviewRow, *, waits: bool) -> str:
    """The processors that run and those that should, in a sentence or two."""
    runs, wanted = row.processors_running, row.processors_recommended
    count = "1 processor runs" if runs == 1 else f"{write_count(runs)} processors run"
    if not waits and row.action == "hold":
        return f"{count}, and no change is recommended."
    if runs == wanted:
        said = f"{count}, and another split of them is recommended."
    else:
        said = f"{count}, {write_count(wanted)} {'is' if wanted == 1 else 'are'} recommended."
    return f"{said} {UNSEEN}" if waits else said


def describe_beyond(row: OverviewRow) -> str:
    """A sentence on a rate above the one up to which the processors are enough, and on why nothing changes."""
    newest, enough = write_numbers_apart(row.external_rate or 0.0, row.holds_up_to_rate or 0.0)
    said = f"The newest rate, {newest}/s, is above the {enough}/s up to which they are enough"
    if row.decided_for is not None and row.decided_for != row.measured_until:
        return f"{said}: ask for a decision on it."
    return f"{said}; no change is decided for one interval alone."


def read_overview(session: Session, page: Page, wanted: OverviewFilter) -> Overview:
    """A page of topologies, the most urgent first, and the number of topologies in each status."""
    now = datetime.now(UTC)
    rows, following, counts = gather_page(session, now, page, wanted)
    items = [to_row(row, now) for row in rows]
    return Overview.model_validate({"counts": counts, "items": items, "next": following})
