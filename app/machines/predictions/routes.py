"""/v1/predictions: the rate that a mapping of threads to slots sustains."""

from fastapi import APIRouter

from app.database.transactions import SessionDep
from app.machines.predictions import service
from app.machines.predictions.schemas import PredictionAnswer, PredictionRequest
from app.web.admission import computes
from app.web.documented_problems import DESCRIBED_CALL
from app.web.routing import SettingsDep, StrictJsonRoute, declare
from app.web.security import may_read

router = APIRouter(prefix="/v1", tags=["placements"], route_class=StrictJsonRoute)


@router.post(
    "/predictions",
    **declare(
        may_read,
        "Predict the rate that a mapping sustains",
        *DESCRIBED_CALL,
        "invalid-profile",
        "missing-profile",
        "idle-task",
        "invalid-mapping",
    ),
)
@computes
def predict_rate(body: PredictionRequest, session: SessionDep, settings: SettingsDep) -> PredictionAnswer:
    """The sustained rate of any mapping, the task that limits it, and the cpu and memory of every slot."""
    return service.predict_described(session, body, settings)
