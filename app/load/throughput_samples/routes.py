"""/v1/topologies/{name}/mst-samples and mst-model: measured throughputs and the model fitted to them."""

from typing import Annotated

from fastapi import APIRouter, Body, Query, Response

from app.database.connections.transactions import SessionDep
from app.load.bodies.series import MOST_VMS
from app.load.throughput_samples import service
from app.load.throughput_samples.schemas import (
    SAMPLES,
    SETTLING,
    OneOrMoreSamples,
    StoredSamplesAnswer,
    ThroughputModelAnswer,
    ThroughputSamplePage,
)
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName
from app.web.overload.admission import computes
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY
from app.web.routing import StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1/topologies/{name}", tags=["forecasts"], route_class=StrictJsonRoute)

EXAMPLES = {
    "one": {"summary": "One sample", "value": SAMPLES[0]},
    "several": {"summary": "A list of them", "value": SAMPLES},
    "readings": {"summary": "The readings while it settled", "value": SETTLING},
}


@router.post(
    "/mst-samples",
    status_code=201,
    **declare(may_store, "Store throughput samples", "unknown-topology", "throughput-not-converged", *BODY),
)
def store_throughput_samples(
    name: TopologyName,
    body: Annotated[OneOrMoreSamples, Body(openapi_examples=EXAMPLES)],
    session: SessionDep,
    response: Response,
) -> StoredSamplesAnswer:
    """Stores one sample or a list, all or none; a sample with the same time and VMs replaces the stored one.

    From `readings` instead of `throughput`, the throughput is found where they settle: k of n within a tolerance.
    """
    tell_created(response, "topologies", name, "mst-samples")
    return service.store_samples(session, name, body)


@router.get("/mst-samples", **declare(may_read, "Read throughput samples", "unknown-topology"))
def list_throughput_samples(name: TopologyName, page: PageDep, session: SessionDep) -> ThroughputSamplePage:
    """The stored throughput samples of a topology, oldest first."""
    return service.list_samples(session, name, page)


@router.get(
    "/mst-model",
    **declare(may_read, "The model of a topology's throughput", "unknown-topology", "stored-data-unusable"),
)
@computes
def get_throughput_model(
    name: TopologyName,
    session: SessionDep,
    max_vms: Annotated[
        int, Query(ge=1, le=MOST_VMS, description="The last number of VMs of the curve.")
    ] = 128,
) -> ThroughputModelAnswer:
    """The fit to the stored samples, its residuals, and the numbers of VMs for which it is trusted."""
    return service.fit_stored(session, name, max_vms)
