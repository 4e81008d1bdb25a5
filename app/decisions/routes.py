"""/v1/topologies/{name}/decisions: what to do now, and why."""

from fastapi import APIRouter, Depends

from app.database import SessionDep
from app.decisions import history, service
from app.decisions.schemas import DecisionAnswer, DecisionPage, DecisionRequest
from app.fields import TopologyName
from app.pages import PageDep
from app.problems import BODY, document_problems
from app.security import may_read, may_store
from app.settings import SettingsDep
from app.strict_json import StrictJsonRoute

router = APIRouter(prefix="/v1/topologies/{name}/decisions", tags=["decisions"], route_class=StrictJsonRoute)


@router.post(
    "",
    status_code=201,
    dependencies=[Depends(may_store)],
    summary="Decide and store",
    responses=document_problems(
        "unknown-topology", "no-policy", "no-snapshot", "stale-snapshots", "stored-data-unusable", *BODY
    ),
)
def store_decision(
    name: TopologyName, session: SessionDep, settings: SettingsDep, body: DecisionRequest | None = None
) -> DecisionAnswer:
    """Hold, scale up, scale down or rebalance, by the policy and the newest snapshots; nothing is actuated."""
    return service.store_decision(session, name, body or DecisionRequest(), settings)


@router.get(
    "",
    dependencies=[Depends(may_read)],
    summary="List decisions",
    responses=document_problems("unknown-topology"),
)
def list_decisions(name: TopologyName, page: PageDep, session: SessionDep) -> DecisionPage:
    """Newest first."""
    return history.list_decisions(session, name, page)


@router.get(
    "/latest",
    dependencies=[Depends(may_read)],
    summary="Read the newest decision",
    responses=document_problems("unknown-topology", "unknown-decision"),
)
def read_latest(name: TopologyName, session: SessionDep) -> DecisionAnswer:
    """As it was answered when it was made."""
    return history.find_latest(session, name)
