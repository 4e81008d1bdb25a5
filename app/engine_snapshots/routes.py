"""/v1/topologies/{name}/snapshots/from/{engine}: an engine's own JSON, stored as topology and measured load."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query

from app.engine_snapshots import service
from app.engine_snapshots.schemas import EngineName, EngineSnapshots, TopologyMode
from app.http.declarations import declare
from app.http.dependencies import SettingsDep
from app.http.documented_problems import BODY
from app.http.fields import TopologyName
from app.http.security import may_store
from app.http.strict_json import StrictJsonRoute
from app.storage.sessions import SessionDep

router = APIRouter(
    prefix="/v1/topologies/{name}/snapshots/from", tags=["snapshots"], route_class=StrictJsonRoute
)

EXAMPLES = {
    "answers": {
        "summary": "Several answers, each with the path that was asked and the time when it came",
        "value": {
            "answers": [
                {"path": "/jobs/137fb1ca", "at": "2026-11-18T00:00:00Z", "body": {"jid": "137fb1ca"}},
                {"path": "/jobs/137fb1ca", "at": "2026-11-18T00:00:15Z", "body": {"jid": "137fb1ca"}},
            ]
        },
    },
    "one": {"summary": "One answer, as the engine gave it", "value": {"jid": "137fb1ca", "vertices": []}},
}


@router.post(
    "/{engine}",
    status_code=201,
    **declare(
        may_store,
        "Store what an engine measured",
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
    topology: Annotated[
        TopologyMode,
        Query(
            description="What to do with a stored topology: keep it, or replace its graph by that of the engine "
            "(bounds, profiles and state stay). An unknown topology is always created."
        ),
    ] = "keep",
) -> EngineSnapshots:
    """Takes the JSON that the engine answers with: one answer, a list, or answers with paths and times.

    Two answers some time apart give the rates of the time between them; the service itself asks no engine.
    """
    return service.store_engine_answers(session, name, engine, body, mode=topology, settings=settings)
