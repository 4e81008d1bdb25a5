"""Reads the overview and describes each topology in a sentence."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.pages.overview.gathering import count_statuses, gather_page
from app.pages.overview.schemas import STATUSES, Overview, OverviewFilter, OverviewRow
from app.web.paging import Page
from planner.wording import write_seconds_apart

Digest = Mapping[str, Any]


def to_overview(rows: Sequence[Row[Any]], counts: dict[str, int], following: str | None) -> Overview:
    """The rows of the database as a page of the overview."""
    return Overview.model_validate(
        {"counts": counts, "items": [to_row(row) for row in rows], "next": following}
    )


def to_row(row: Row[Any]) -> OverviewRow:
    """One topology."""
    digest: Digest = row.digest or {}
    status = STATUSES[row.severity]
    return OverviewRow(
        name=row.name,
        revision=row.revision,
        status=status,
        detail=describe(status, row, digest),
        decision_id=row.decision_id,
        action=row.action,
        decided_for=row.decided_for,
        processors_running=digest.get("running"),
        processors_recommended=digest.get("recommended"),
        expected_sojourn_seconds=digest.get("current_seconds"),
        recommended_sojourn_seconds=digest.get("recommended_seconds"),
        measured_sojourn_seconds=row.measured,
        target_seconds=row.target,
        external_rate=row.external_rate,
        holds_up_to_rate=digest.get("holds_up_to_rate"),
        measured_until=row.until,
        outcome=row.outcome,
        rates=row.rates or [],
    )


def describe(status: str, row: Row[Any], digest: Digest) -> str:
    """The status in a sentence."""
    change = f"{digest.get('running')} processors run, {digest.get('recommended')} are recommended"
    if status == "target-missed":
        measured, target = write_seconds_apart(row.measured, row.target)
        return f"The newest snapshot measured {measured}, above the target of {target}."
    return {
        "overloaded": f"An operator cannot keep up: {change}.",
        "stale": "The newest snapshot is older than the policy allows, so no decision is made: send a newer snapshot.",
        "change-wanted": f"{row.action}: {change}.",
        "undecided": "The topology has a policy and no decision yet: ask for one.",
        "no-policy": "The topology has no policy: set a goal, such as t_max_seconds.",
        "no-measurements": "Nothing was measured yet: send a snapshot.",
        "fine": f"The newest decision holds: {digest.get('running')} processors run.",
    }[status]


def read_overview(session: Session, page: Page, wanted: OverviewFilter) -> Overview:
    """A page of topologies, the most urgent first, and the number of topologies in each status."""
    now = datetime.now(UTC)
    rows, following = gather_page(session, now, page, wanted)
    return to_overview(rows, count_statuses(session, now, wanted), following)
