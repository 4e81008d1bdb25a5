"""How many VMs, ahead of time."""

from fastapi import APIRouter, Depends

from app.forecasts import service
from app.forecasts.schemas import VmForecastAnswer, VmForecastRequest
from app.problems import BODY, document_problems
from app.security import may_read
from app.strict_json import StrictJsonRoute

router = APIRouter(prefix="/v1", tags=["forecasts"], route_class=StrictJsonRoute)

PROBLEMS = (
    "invalid-mst-samples",
    "too-few-mst-samples",
    "invalid-workload",
    "workload-too-short",
    "workload-too-sparse",
    "constant-workload",
    "invalid-qos-target",
    "invalid-schedule",
    "unknown-policy",
)


@router.post(
    "/forecasts/vms",
    dependencies=[Depends(may_read)],
    summary="VMs for the coming intervals",
    responses=document_problems(*PROBLEMS, *BODY),
)
def forecast_vms(body: VmForecastRequest) -> VmForecastAnswer:
    """The fewest VMs whose throughput holds against the workload to come; nothing is stored."""
    return service.forecast_described(body)
