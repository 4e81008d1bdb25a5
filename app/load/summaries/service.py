"""Reads the windows that the ingest wrote."""

from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from app.database.tables import OperatorSummaryRow, TopologySummaryRow
from app.load.measurements.stored_topologies import find_topology
from app.load.summaries.schemas import OperatorWindow, OperatorWindowPage, TopologyWindow, TopologyWindowPage
from app.web.paging import Page


def list_operator_summaries(
    session: Session,
    name: str,
    page: Page,
    *,
    operator: str | None,
    since: datetime | None,
    until: datetime | None,
) -> OperatorWindowPage:
    """Windows that begin in [since, until), oldest first, and in a window by operator."""
    row = OperatorSummaryRow
    query = select(row).where(row.topology_id == find_topology(session, name).id, *between(row, since, until))
    if operator is not None:
        query = query.where(row.operator == operator)
    rows, following = page.read_rows(
        session.scalars, query, row.window_start, row.operator, row.window_seconds
    )
    return OperatorWindowPage(items=[OperatorWindow.model_validate(one) for one in rows], next=following)


def list_topology_summaries(
    session: Session, name: str, page: Page, since: datetime | None, until: datetime | None
) -> TopologyWindowPage:
    """Windows that begin in [since, until), oldest first."""
    row = TopologySummaryRow
    query = select(row).where(row.topology_id == find_topology(session, name).id, *between(row, since, until))
    rows, following = page.read_rows(session.scalars, query, row.window_start, row.window_seconds)
    return TopologyWindowPage(items=[TopologyWindow.model_validate(one) for one in rows], next=following)


def between(
    row: type[OperatorSummaryRow | TopologySummaryRow], since: datetime | None, until: datetime | None
) -> list[ColumnElement[bool]]:
    bounds: list[ColumnElement[bool]] = []
    if since is not None:
        bounds.append(row.window_start >= since)
    if until is not None:
        bounds.append(row.window_start < until)
    return bounds
