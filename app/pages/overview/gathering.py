"""The newest snapshot, decision and policy of all topologies, in two queries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Subquery, case, func, literal, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session
from sqlalchemy.sql.selectable import LateralFromClause

from app.database.tables import DecisionRow, PolicyRow, SnapshotRow, TopologyRow
from app.deciding.policies.service import TARGET_SECONDS
from app.deciding.standing import select_standing
from app.load.measurements.freshness import LIMIT_SECONDS
from app.load.measurements.snapshots import ENDED_AT, select_newest
from app.pages.overview.schemas import STATUSES, OverviewFilter
from app.web.paging import Page

SHOWN_RATES = 30


def find_lines(now: datetime, contains: str) -> Subquery:
    """A row for each topology whose name contains the text; `severity` is the place of its status in STATUSES."""
    newest = select_newest(SnapshotRow.external_rate, SnapshotRow.measured_sojourn_seconds, ENDED_AT).lateral(
        "newest"
    )
    decided = find_decided()
    is_stale = func.extract("epoch", literal(now) - newest.c.ended_at) > LIMIT_SECONDS
    severity = rank(newest.c, decided.c, PolicyRow.topology_id.is_(None), is_stale)
    return (
        select(
            TopologyRow.id.label("topology_id"),
            TopologyRow.name,
            TopologyRow.revision,
            newest.c.external_rate,
            newest.c.measured_sojourn_seconds.label("measured"),
            newest.c.ended_at.label("until"),
            decided.c.id.label("decision_id"),
            decided.c.action,
            decided.c.decided_for,
            decided.c.digest,
            decided.c.outcome,
            TARGET_SECONDS.label("target"),
            severity.label("severity"),
        )
        .outerjoin(PolicyRow, PolicyRow.topology_id == TopologyRow.id)
        .outerjoin(newest, true())
        .outerjoin(decided, true())
        .where(func.strpos(func.lower(TopologyRow.name), func.lower(contains)) > 0 if contains else true())
        .subquery("lines")
    )


def find_decided() -> LateralFromClause:
    """The standing decision of a topology."""
    outcome = DecisionRow.outcome["state"].astext.label("outcome")
    columns = (DecisionRow.id, DecisionRow.action, DecisionRow.decided_for, DecisionRow.digest)
    return select_standing(*columns, outcome).lateral("decided")


def rank(
    newest: Any,
    decided: Any,
    has_no_policy: ColumnElement[bool],
    is_stale: ColumnElement[bool],
) -> ColumnElement[int]:
    """The place of a topology's status in STATUSES: the first status that applies."""
    at = {status: place for place, status in enumerate(STATUSES)}
    is_missed = func.coalesce(newest.measured_sojourn_seconds > TARGET_SECONDS, False)
    return case(
        (newest.ended_at.is_(None), at["no-measurements"]),
        (is_stale, at["stale"]),
        (decided.digest["stable"].astext == "false", at["overloaded"]),
        (is_missed, at["target-missed"]),
        (has_no_policy, at["no-policy"]),
        (decided.id.is_(None), at["undecided"]),
        (decided.action != "hold", at["change-wanted"]),
        else_=at["fine"],
    )


def gather_page(
    session: Session, now: datetime, page: Page, wanted: OverviewFilter
) -> tuple[Sequence[Row[Any]], str | None]:
    """The rows of a page, the most urgent first; each has its newest rates, oldest first."""
    lines = find_lines(now, wanted.contains)
    newest = (
        select(SnapshotRow.external_rate.label("rate"), SnapshotRow.observed_at.label("at"))
        .where(SnapshotRow.topology_id == lines.c.topology_id)
        .order_by(SnapshotRow.observed_at.desc(), SnapshotRow.window_seconds.desc())
        .limit(SHOWN_RATES)
        .correlate(lines)
        .subquery("rates")
    )
    rates = select(func.array_agg(aggregate_order_by(newest.c.rate, newest.c.at))).scalar_subquery()
    query = select(lines, rates.label("rates"))
    if wanted.statuses:
        query = query.where(lines.c.severity.in_([STATUSES.index(one) for one in wanted.statuses]))
    return page.read_rows(session.execute, query, lines.c.severity, lines.c.name)


def count_statuses(session: Session, now: datetime, wanted: OverviewFilter) -> dict[str, int]:
    """The number of topologies in each status, among those whose name contains the text."""
    lines = find_lines(now, wanted.contains)
    rows = session.execute(select(lines.c.severity, func.count()).group_by(lines.c.severity)).all()
    return {STATUSES[severity]: count for severity, count in sorted((row[0], row[1]) for row in rows)}
