"""/v1/topologies/{name}/snapshots/from/{engine}: an engine's own JSON, stored as topology and measured load."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Response

from app.database.connections.transactions import SessionDep
from app.engines.engine_snapshots import service
from app.engines.engine_snapshots.schemas import EngineName, EngineSnapshots, TopologyMode
from app.web.callers.security import may_store
from app.web.fields import TopologyName
from app.web.problems.documented_problems import BODY
from app.web.routing import SettingsDep, StrictJsonRoute, declare, tell_created

router = APIRouter(
    prefix="/v1/topologies/{name}/snapshots/from", tags=["snapshots"], route_class=StrictJsonRoute
)

BOLT_FIELDS = ("boltId", "executors", "executed", "executeLatency", "capacity")
BOLTS = (
    ("generator", 6, 192000, "12.5", "0.66"),
    ("detector", 13, 853000, "7.7", "0.84"),
    ("reporter", 3, 42600, "25.0", "0.59"),
)
STORM_PAGE: dict[str, Any] = {
    "id": "fpd-1-1763424000",
    "name": "fpd",
    "uptimeSeconds": 7200,
    "window": "600",
    "spouts": [{"spoutId": "frames", "executors": 1, "tasks": 1, "emitted": 192000, "transferred": 192000}],
    "bolts": [dict(zip(BOLT_FIELDS, bolt, strict=True)) for bolt in BOLTS],
}
PATH = "/api/v1/topology/fpd-1-1763424000?window=600"
ANSWER = {"path": PATH, "at": "2026-11-18T00:10:00Z", "body": STORM_PAGE}
EXAMPLES = {
    "answers": {"summary": "Answers of Storm with their paths and times", "value": {"answers": [ANSWER]}},
    "one": {
        "summary": "One answer, as Storm gave it",
        "value": STORM_PAGE | {"bolts": STORM_PAGE["bolts"][:1]},
    },
}


@router.post(
    "/{engine}",
    status_code=201,
    **declare(
        may_store,
        "Store an engine's measurements",
        "unknown-topology",
        "invalid-topology",
        "no-steady-state",
        "revision-conflict",
        *BODY,
    ),
)
def store_engine_answers(
    name: TopologyName,
    engine: EngineName,
    body: Annotated[Any, Body(openapi_examples=EXAMPLES)],
    settings: SettingsDep,
    session: SessionDep,
    response: Response,
    topology: Annotated[
        TopologyMode,
        Query(
            description="Keep a stored topology, or replace its graph by the engine's (bounds, profiles and state "
            "stay). An unknown topology is always created."
        ),
    ] = "keep",
) -> EngineSnapshots:
    """Stores the engine's own JSON: one answer, a list, or answers with paths and times.

    Two answers some time apart give the rates of the time between them; the service itself asks no engine.
    """
    tell_created(response, "topologies", name, "snapshots")
    return service.store_engine_answers(session, name, engine, body, mode=topology, settings=settings)
