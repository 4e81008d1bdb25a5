"""Reads the windows that the ingest wrote."""

from datetime import datetime

from sqlalchemy import ColumnElement, select, tuple_
from sqlalchemy.orm import Session

from app.http.pages import Page, bad_cursor
from app.storage.stored_topologies import find_topology
from app.summaries.schemas import (
    OperatorWindow,
    OperatorWindowPage,
    TopologyWindow,
    TopologyWindowPage,
)
from app.tables import OperatorSummaryRow, TopologySummaryRow


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
    order = (row.window_start, row.operator, row.window_seconds)
    query = select(row).where(row.topology_id == find_topology(session, name).id, *between(row, since, until))
    if operator is not None:
        query = query.where(row.operator == operator)
    if key := page.after_key(3):
        start, after, seconds = read_time(key[0]), key[1], read_whole(key[2])
        # The bare bound lets Postgres skip the days before; of the row comparison it knows no partition.
        query = query.where(row.window_start >= start, tuple_(*order) > tuple_(start, after, seconds))
    rows = session.scalars(query.order_by(*order).limit(page.limit + 1)).all()
    items = [OperatorWindow.model_validate(one) for one in rows[: page.limit]]
    if len(rows) <= page.limit:
        return OperatorWindowPage(items=items)
    last = items[-1]
    return OperatorWindowPage(
        items=items, next=page.next_url(last.window_start.isoformat(), last.operator, last.window_seconds)
    )


def list_topology_summaries(
    session: Session, name: str, page: Page, since: datetime | None, until: datetime | None
) -> TopologyWindowPage:
    """Windows that begin in [since, until), oldest first."""
    row = TopologySummaryRow
    order = (row.window_start, row.window_seconds)
    query = select(row).where(row.topology_id == find_topology(session, name).id, *between(row, since, until))
    if key := page.after_key(2):
        query = query.where(tuple_(*order) > tuple_(read_time(key[0]), read_whole(key[1])))
    rows = session.scalars(query.order_by(*order).limit(page.limit + 1)).all()
    items = [TopologyWindow.model_validate(one) for one in rows[: page.limit]]
    if len(rows) <= page.limit:
        return TopologyWindowPage(items=items)
    last = items[-1]
    return TopologyWindowPage(
        items=items, next=page.next_url(last.window_start.isoformat(), last.window_seconds)
    )


def between(
    row: type[OperatorSummaryRow | TopologySummaryRow], since: datetime | None, until: datetime | None
) -> list[ColumnElement[bool]]:
    bounds: list[ColumnElement[bool]] = []
    if since is not None:
        bounds.append(row.window_start >= since)
    if until is not None:
        bounds.append(row.window_start < until)
    return bounds


def read_time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise bad_cursor() from error
    if found.tzinfo is None:
        raise bad_cursor()
    return found


def read_whole(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise bad_cursor()
    return int(text)
