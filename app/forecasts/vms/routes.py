"""/v1/forecasts/vms computes how many VMs the coming intervals need."""

from fastapi import APIRouter

from app.database.connections.transactions import SessionDep
from app.forecasts.vms import service
from app.forecasts.vms.schemas import StoredVmForecastRequest, VmForecastAnswer, VmForecastRequest
from app.load.bodies.series import SERIES_PROBLEMS
from app.web.callers.security import may_read
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.problems.documented_problems import BODY, STORED_CALL
from app.web.routing import StrictJsonRoute, declare

router = APIRouter(prefix="/v1", tags=["forecasts"], route_class=StrictJsonRoute)

ASKED = ("invalid-catalogue", "invalid-qos-target", "invalid-schedule", "unknown-vm-policy", *BODY)


@router.post("/forecasts/vms", **declare(may_read, "VMs for the coming intervals", *SERIES_PROBLEMS, *ASKED))
@computes
def forecast_vms(body: VmForecastRequest) -> VmForecastAnswer:
    """The fewest VMs whose throughput serves the coming workload; nothing is stored."""
    return service.forecast_described(body)


@router.post(
    "/topologies/{name}/forecasts/vms",
    **declare(
        may_read,
        "VMs for a stored topology",
        *STORED_CALL,
        *ASKED,
    ),
)
@computes
def forecast_stored_vms(
    name: TopologyName, session: SessionDep, body: StoredVmForecastRequest | None = None
) -> VmForecastAnswer:
    """The fewest VMs by the external rates of the topology's snapshots and by its throughput samples."""
    return service.forecast_stored(session, name, body or StoredVmForecastRequest())
