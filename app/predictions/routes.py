"""/v1/predictions: what a mapping of threads to slots sustains."""

from fastapi import APIRouter

from app.http.admission import computes
from app.http.declarations import declare
from app.http.dependencies import SettingsDep
from app.http.documented_problems import DESCRIBED_CALL
from app.http.security import may_read
from app.http.strict_json import StrictJsonRoute
from app.predictions import service
from app.predictions.schemas import PredictionAnswer, PredictionRequest
from app.storage.sessions import SessionDep

router = APIRouter(prefix="/v1", tags=["placements"], route_class=StrictJsonRoute)


@router.post(
    "/predictions",
    **declare(
        may_read,
        "Predict what a mapping sustains",
        *DESCRIBED_CALL,
        "invalid-profile",
        "missing-profile",
        "idle-task",
        "invalid-mapping",
    ),
)
@computes
def predict_rate(body: PredictionRequest, session: SessionDep, settings: SettingsDep) -> PredictionAnswer:
    """The rate of any mapping, the task that limits it, and the cpu and memory of every slot."""
    return service.predict_described(session, body, settings)
