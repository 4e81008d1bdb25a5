"""/v1/topologies/{name}/summaries and /windows: the measurements of the nightly ingest."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from app.database.transactions import SessionDep
from app.load.summaries import service
from app.load.summaries.schemas import OperatorWindowPage, TopologyWindowPage
from app.web.documented_problems import document_problems
from app.web.fields import OperatorName, TopologyName, UtcTime
from app.web.paging import PageDep, ask_from, ask_to
from app.web.routing import StrictJsonRoute
from app.web.security import may_read

router = APIRouter(
    prefix="/v1/topologies/{name}",
    tags=["ingest"],
    route_class=StrictJsonRoute,
    dependencies=[Depends(may_read)],
    responses=document_problems("unknown-topology"),
)
Since = Annotated[UtcTime | None, ask_from("Windows that begin at this time or later.")]
Until = Annotated[UtcTime | None, ask_to("Windows that begin before this time.")]


@router.get("/summaries", summary="Read the measured windows of operators")
def list_operator_summaries(
    name: TopologyName,
    page: PageDep,
    session: SessionDep,
    operator: Annotated[OperatorName | None, Query(description="Only this operator.")] = None,
    since: Since = None,
    until: Until = None,
) -> OperatorWindowPage:
    """One item per operator and window, oldest first."""
    return service.list_operator_summaries(session, name, page, operator=operator, since=since, until=until)


@router.get("/windows", summary="Read the measured windows of a topology")
def list_topology_summaries(
    name: TopologyName, page: PageDep, session: SessionDep, since: Since = None, until: Until = None
) -> TopologyWindowPage:
    """One item per window, oldest first: external tuples, and their total times."""
    return service.list_topology_summaries(session, name, page, since, until)
