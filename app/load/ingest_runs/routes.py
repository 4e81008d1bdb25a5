"""/v1/ingest-runs: the runs of the nightly ingest, and the lines that they could not use."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from app.database.transactions import SessionDep
from app.load.ingest_runs import service
from app.load.ingest_runs.schemas import IngestRun, IngestRunPage, RejectedLinePage
from app.web.documented_problems import document_problems
from app.web.paging import PageDep
from app.web.routing import StrictJsonRoute
from app.web.security import may_read

router = APIRouter(
    prefix="/v1/ingest-runs", tags=["ingest"], route_class=StrictJsonRoute, dependencies=[Depends(may_read)]
)
RunId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("", summary="List ingest runs", responses=document_problems())
def list_ingest_runs(page: PageDep, session: SessionDep) -> IngestRunPage:
    """Newest first."""
    return service.list_runs(session, page)


@router.get("/{run_id:int}", summary="Read an ingest run", responses=document_problems("unknown-ingest-run"))
def get_ingest_run(run_id: RunId, session: SessionDep) -> IngestRun:
    """The records that the run read, and their results."""
    return service.read_run(session, run_id)


@router.get(
    "/{run_id:int}/rejects",
    summary="Read the lines that a run could not use",
    responses=document_problems("unknown-ingest-run"),
)
def list_rejected_lines(run_id: RunId, page: PageDep, session: SessionDep) -> RejectedLinePage:
    """File, line, reason and the beginning of each; at most 100,000 are kept, while `reasons` counts all."""
    return service.list_rejects(session, run_id, page)
