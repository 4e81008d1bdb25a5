"""Writes a row about each change in the transaction of the change, so that no acknowledged change is missing."""

import random
from datetime import timedelta
from typing import Any
from urllib.parse import quote, unquote

from fastapi import Request, Response
from sqlalchemy import ColumnElement, delete, func, literal, select, true
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.tables import AuditRow
from app.settings import Settings

COUNTED = {"snapshots", "engine-snapshots", "mst-samples", "decisions", "recommendation", "outcome"}
"""The last parts of the addresses of calls that machines repeat: one row counts those of an hour."""
MOST_CHARACTERS = 1000
PRUNED_SHARE, MOST_PRUNED = 0.02, 1000
"""One request in 50 deletes old rows, at most so many."""
WROTE = func.pg_current_xact_id_if_assigned().is_not(None)
"""Whether the transaction has changed anything: Postgres gives a transaction its id at its first change."""


def audit_change(session: Session, request: Request, answer: Response) -> None:
    """Adds a row about a request, or counts it, if its transaction changed anything."""
    settings: Settings = request.app.state.settings
    key = request.state.caller
    path = quote(request.scope["path"], errors="replace")
    is_counted = request.method == "POST" and path.rpartition("/")[2] in COUNTED
    created = None if is_counted else answer.headers.get("location")
    row = {
        "at": func.date_trunc("hour", func.now()) if is_counted else func.now(),
        "key": key.name if key else None,
        "client": request.client.host if settings.audit_clients and request.client else None,
        "method": request.method,
        "address": (created or path)[:MOST_CHARACTERS],
        "name": request.path_params.get("name") or (unquote(created.rpartition("/")[2]) if created else None),
        "status": answer.status_code,
        "is_counted": is_counted,
    }
    values: list[ColumnElement[Any]] = [
        value if isinstance(value, ColumnElement) else literal(value, AuditRow.__table__.c[name].type)
        for name, value in row.items()
    ]
    statement = insert(AuditRow).from_select(list(row), select(*values).where(WROTE))
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["at", "address", "key", "client", "status"],
            index_where=AuditRow.is_counted == true(),
            set_={"count": AuditRow.count + 1},
        )
    )
    if random.random() < PRUNED_SHARE:  # noqa: S311  # no secret
        prune_audit(session, timedelta(days=settings.audit_days))


def prune_audit(session: Session, age: timedelta) -> None:
    """Deletes the rows that are older, except those that another request deletes just now."""
    old = select(AuditRow.id).where(AuditRow.at < func.now() - age)
    some = old.limit(MOST_PRUNED).with_for_update(skip_locked=True)
    session.execute(delete(AuditRow).where(AuditRow.id.in_(some)))
