"""/v1/decisions/{id}/patch: the request, command or documents that make the recommended processors run."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response

from app.database.connections.transactions import SessionDep
from app.deciding.patches import service
from app.deciding.patches.service import YAML, PatchAnswer, PatchFormat, write_yaml
from app.engines.kubernetes import IN_CLUSTER
from app.web.callers.security import may_read
from app.web.negotiation import JSON, Accept, choose_form
from app.web.routing import SettingsDep, StrictJsonRoute, declare

router = APIRouter(prefix="/v1", tags=["decisions"], route_class=StrictJsonRoute)


@router.get(
    "/decisions/{decision_id:uuid}/patch",
    response_model=PatchAnswer,
    **declare(
        may_read,
        "Make a patch of a decision",
        "unknown-decision",
        "stale-snapshots",
        "not-acceptable",
        also={200: {"content": {YAML: {"schema": {"type": "string"}}}}},
    ),
)
def get_patch(
    decision_id: UUID,
    session: SessionDep,
    settings: SettingsDep,
    form: Annotated[
        PatchFormat, Query(alias="format", description="The receiver; json: the processors alone.")
    ],
    written_as: Annotated[
        Literal["json", "yaml"] | None,
        Query(alias="as", description="yaml: the documents alone, for kubectl. Left out: by Accept."),
    ] = None,
    service_url: Annotated[
        str | None,
        Query(
            max_length=2000,
            pattern=r"^https?://[^\s/?#]+(/[^\s?#]*)?$",
            description=f"The address at which KEDA finds this service. Left out: {IN_CLUSTER}.",
        ),
    ] = None,
    accept: Accept = None,
) -> PatchAnswer | Response:
    """The request, command or documents, ready to send, with the needs and costs of the change. Nothing is sent."""
    kind = choose_form(accept, (JSON, YAML)) if written_as is None else written_as
    answer = service.find_patch(session, decision_id, form, service_url, settings)
    if kind in {YAML, "yaml"}:
        return Response(write_yaml(answer), media_type=YAML, headers={"Vary": "Accept"})
    return answer
