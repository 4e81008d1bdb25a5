"""/v1/audit: who changed what, and when."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy import select

from app.database.connections.transactions import SessionDep
from app.database.tables import AuditRow
from app.web.callers.security import may_read
from app.web.fields import Answer, NextPage, UtcTime, show_example
from app.web.paging import PageDep, ask_from, ask_to, lie_between
from app.web.routing import StrictJsonRoute, declare

router = APIRouter(prefix="/v1/audit", tags=["health"], route_class=StrictJsonRoute)
EXAMPLE = {
    "at": "2026-11-18T09:00:00Z",
    "key": "ci",
    "client": None,
    "method": "PUT",
    "address": "/v1/topologies/fpd/policy",
    "name": "fpd",
    "status": 200,
    "count": 1,
}


class AuditedChange(Answer):
    """A change, or all posts of measurements or decisions to one address in an hour."""

    at: Annotated[datetime, Field(description="When; the beginning of the hour if changes are counted.")]
    key: Annotated[str | None, Field(description="The name of the key; null: the service had no keys.")]
    client: Annotated[str | None, Field(description="The caller's address, with HEADGATE_AUDIT_CLIENTS.")]
    method: str
    address: Annotated[str, Field(description="The path; of what was created if that has an own one.")]
    name: Annotated[str | None, Field(description="The name or id in the address.")]
    status: int
    count: int


class AuditPage(Answer):
    """Changes, newest first."""

    model_config = show_example({"items": [EXAMPLE], "next": None})

    items: list[AuditedChange]
    next: NextPage = None


@router.get("", **declare(may_read, "Read who changed what"))
def list_changes(
    page: PageDep,
    session: SessionDep,
    since: Annotated[UtcTime | None, ask_from("Changes at this time or later.")] = None,
    until: Annotated[UtcTime | None, ask_to("Changes before this time.")] = None,
    key: Annotated[str | None, Query(max_length=100, description="Only with the key of this name.")] = None,
    name: Annotated[
        str | None, Query(max_length=500, description="Only of this topology, name or id.")
    ] = None,
) -> AuditPage:
    """Every change that was answered with a success, newest first; posts of measurements and decisions are counted
    by the hour.
    """
    query = select(AuditRow).where(*lie_between(AuditRow.at, since, until))
    of_names = {"key": key, "name": name}
    query = query.filter_by(**{column: asked for column, asked in of_names.items() if asked is not None})
    return page.answer(AuditPage, session.scalars, query, AuditRow.at, AuditRow.id, newest_first=True)
