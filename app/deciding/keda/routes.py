"""/v1/topologies/{name}/keda/{operator}: the processors that one operator should have now, in the form that KEDA
reads.
"""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from app.database.transactions import SessionDep
from app.deciding.keda import service
from app.web.admission import computes
from app.web.fields import Answer, OperatorName, TopologyName
from app.web.routing import SettingsDep, StrictJsonRoute, declare
from app.web.security import may_read


class KedaValue(Answer):
    """The processors of one operator; KEDA's metrics-api scaler reads `value`."""

    value: Annotated[int, Field(ge=1)]


router = APIRouter(prefix="/v1/topologies/{name}/keda", tags=["decisions"], route_class=StrictJsonRoute)


@router.get(
    "/{operator:path}",
    **declare(
        may_read,
        "The processors of one operator, for KEDA",
        "unknown-topology",
        "unknown-operator",
        "stale-snapshots",
        "no-recommendation",
    ),
)
@computes
def get_processors(
    name: TopologyName, operator: OperatorName, session: SessionDep, settings: SettingsDep
) -> KedaValue:
    """The processors in the newest decision, or in a new one if newer snapshots came; 503 if none can be made."""
    return KedaValue(value=service.find_processors(session, name, operator, settings))
