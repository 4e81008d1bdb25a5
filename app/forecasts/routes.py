"""How many VMs, ahead of time."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query

from app.forecasts import service, stored
from app.forecasts.schemas import (
    MOST_VMS,
    SAMPLES,
    SETTLING,
    MstModelPage,
    MstSamplePage,
    OneOrMoreSamples,
    StoredMstSamples,
    StoredVmForecastRequest,
    VmForecastAnswer,
    VmForecastRequest,
)
from app.http.admission import computes
from app.http.documented_problems import BODY, document_problems
from app.http.fields import TopologyName
from app.http.pages import PageDep
from app.http.security import may_read, may_store
from app.http.strict_json import StrictJsonRoute
from app.storage.sessions import SessionDep
from app.throughput_samples import service as samples

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
    "unknown-vm-policy",
)


@router.post(
    "/forecasts/vms",
    dependencies=[Depends(may_read)],
    summary="VMs for the coming intervals",
    responses=document_problems(*PROBLEMS, *BODY),
)
@computes
def forecast_vms(body: VmForecastRequest) -> VmForecastAnswer:
    """The fewest VMs whose throughput holds against the workload to come; nothing is stored."""
    return service.forecast_described(body)


EXAMPLES = {
    "one": {"summary": "One sample", "value": SAMPLES[0]},
    "several": {"summary": "A list of them", "value": SAMPLES},
    "readings": {"summary": "What was read while it settled", "value": SETTLING},
}


@router.post(
    "/topologies/{name}/mst-samples",
    status_code=201,
    dependencies=[Depends(may_store)],
    summary="Store throughput samples",
    responses=document_problems("unknown-topology", "throughput-not-converged", *BODY),
)
def store_samples(
    name: TopologyName,
    body: Annotated[OneOrMoreSamples, Body(openapi_examples=EXAMPLES)],
    session: SessionDep,
) -> StoredMstSamples:
    """One sample or a list: all are stored or none; the same time and VMs again replace, never double.

    With `readings` in place of `throughput`, it is found where they settle: k of n within a tolerance.
    """
    return samples.store_samples(session, name, body)


@router.get(
    "/topologies/{name}/mst-samples",
    dependencies=[Depends(may_read)],
    summary="Read throughput samples",
    responses=document_problems("unknown-topology"),
)
def list_samples(name: TopologyName, page: PageDep, session: SessionDep) -> MstSamplePage:
    """Oldest first."""
    return samples.list_samples(session, name, page)


@router.get(
    "/topologies/{name}/mst-model",
    dependencies=[Depends(may_read)],
    summary="The model of a topology's throughput",
    responses=document_problems("unknown-topology", "stored-data-unusable"),
)
@computes
def show_model(
    name: TopologyName,
    session: SessionDep,
    max_vms: Annotated[int, Query(ge=1, le=MOST_VMS, description="Up to where the curve is drawn.")] = 128,
) -> MstModelPage:
    """Its fit, its samples, its residuals and where it is trusted."""
    return stored.show_model(session, name, max_vms)


@router.post(
    "/topologies/{name}/forecasts/vms",
    dependencies=[Depends(may_read)],
    summary="VMs for a stored topology",
    responses=document_problems(
        "unknown-topology",
        "no-snapshot",
        "stored-data-unusable",
        "invalid-qos-target",
        "invalid-schedule",
        "unknown-vm-policy",
        *BODY,
    ),
)
@computes
def forecast_stored(
    name: TopologyName, session: SessionDep, body: StoredVmForecastRequest | None = None
) -> VmForecastAnswer:
    """By its snapshots' external rates and its throughput samples."""
    return stored.forecast_stored(session, name, body or StoredVmForecastRequest())
