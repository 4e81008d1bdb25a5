"""/v1/topologies/{name}/summaries and /windows: the windows that the nightly ingest measured, read and as JSON."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from sqlalchemy import select

from app.database.connections.transactions import SessionDep
from app.database.tables import OperatorSummaryRow, TopologySummaryRow
from app.load.measurements.stored_topologies import find_topology
from app.web.callers.security import may_read
from app.web.fields import Answer, NextPage, OperatorName, ProcessorsBasis, TopologyName, UtcTime
from app.web.paging import PageDep, ask_from, ask_to, lie_between
from app.web.problems.documented_problems import document_problems
from app.web.routing import StrictJsonRoute

Measured = Annotated[float | None, Field(description="Null if there were fewer than two values.")]


Covered = Annotated[
    float | None,
    Field(
        description="The part of the window that the log covers, to which rates refer; null: not known, and rates "
        "are per second of the whole window."
    ),
]


class InstanceSummary(Answer):
    """The load of one instance: service time of its arrivals, per second covered (may exceed 1)."""

    instance: str
    busy: float


class UpstreamTuples(Answer):
    """The number of tuples from one upstream operator; null stands for outside."""

    from_operator: str | None
    tuples: int


class DispersionAtScale(Answer):
    """Bursts at one time scale: variance over mean of the number of arrivals in this time (Poisson: 1)."""

    window_seconds: float
    idc: float


class ServiceTimeBucket(Answer):
    """The number of services that took less than `upper_seconds`, but no less than that of the bucket before; 0:
    no time.
    """

    upper_seconds: float
    count: int


class InstanceShare(Answer):
    """The part of the operator's tuples that one instance got, and the variation of their arrivals."""

    instance: str
    share: float
    arrival_scv: Measured


class OperatorWindow(Answer):
    """The measurements of one operator in one window of the ingest."""

    operator: str
    window_start: datetime
    window_seconds: int
    run_id: Annotated[int, Field(description="The ingest run that wrote the window.")]
    covered_seconds: Covered
    tuples: Annotated[int, Field(description="Logged tuples, each counted once.")]
    arrival_rate: Annotated[float, Field(description="Per second covered, scaled by sample_every.")]
    arrival_scv: Measured
    service_rate: Annotated[float | None, Field(description="Per second and processor: 1 / mean service.")]
    service_scv: Measured
    mean_wait_seconds: float
    mean_sojourn_seconds: float
    wait_p50_seconds: float
    wait_p95_seconds: float
    wait_p99_seconds: float
    sojourn_p50_seconds: float
    sojourn_p95_seconds: float
    sojourn_p99_seconds: float
    instances: Annotated[int, Field(description="The number of instance names in this window.")]
    instances_present: Annotated[
        float | None, Field(description="Instances that could serve: mean over the time covered.")
    ]
    most_busy: Annotated[int | None, Field(description="The most services at the same time.")]
    mean_busy: Annotated[
        float | None,
        Field(description="Services at the same time: mean over the time covered, scaled by sample_every."),
    ]
    processors: Annotated[int | None, Field(description="The processors in the snapshot.")]
    processors_basis: ProcessorsBasis | None
    busy_fractions: list[InstanceSummary]
    busy_spread: Annotated[float, Field(description="The busiest instance minus the idlest.")]
    busy_skew: Annotated[float | None, Field(description="The busiest instance divided by the mean.")]
    upstream: list[UpstreamTuples]
    waits_beside_idle: Annotated[
        float | None,
        Field(
            description="The part of waiting tuples that arrived while another instance was idle: 0 with a shared "
            "queue. Null: not measured, or not clear."
        ),
    ] = None
    arrival_idc: Annotated[
        list[DispersionAtScale] | None,
        Field(description="At times above half a mean service that fit 100 times into the time covered."),
    ] = None
    service_histogram: list[ServiceTimeBucket] | None = None
    instance_shares: list[InstanceShare] | None = None


class OperatorWindowPage(Answer):
    """Windows, oldest first."""

    items: list[OperatorWindow]
    next: NextPage = None


class TopologyWindow(Answer):
    """The measurements of one topology in one window of the ingest."""

    window_start: datetime
    window_seconds: int
    run_id: int
    covered_seconds: Covered
    external_rate: Annotated[float, Field(description="Tuples per second covered, from outside.")]
    root_tuples: Annotated[int, Field(description="Root tuples that began in this window.")]
    mean_total_sojourn_seconds: Annotated[
        float | None,
        Field(description="Per root tuple, over all derived tuples; estimated by E[T]."),
    ]
    mean_completion_seconds: Annotated[
        float | None, Field(description="Per root tuple, last finish − first arrival.")
    ]
    total_p50_seconds: Annotated[
        float | None, Field(description="Quantiles of the totals of these root tuples, within 3.2%.")
    ] = None
    total_p95_seconds: float | None = None
    total_p99_seconds: float | None = None
    completion_p50_seconds: Annotated[
        float | None, Field(description="Quantiles of the completion times, within 3.2%.")
    ] = None
    completion_p95_seconds: float | None = None
    completion_p99_seconds: float | None = None


class TopologyWindowPage(Answer):
    """Windows, oldest first."""

    items: list[TopologyWindow]
    next: NextPage = None


router = APIRouter(
    prefix="/v1/topologies/{name}",
    tags=["ingest"],
    route_class=StrictJsonRoute,
    dependencies=[Depends(may_read)],
    responses=document_problems("unknown-topology"),
)
Since = Annotated[UtcTime | None, ask_from("Windows that begin at this time or later.")]
Until = Annotated[UtcTime | None, ask_to("Windows that begin before this time.")]


@router.get("/summaries", summary="Read the measured windows of operators")
def list_operator_summaries(
    name: TopologyName,
    page: PageDep,
    session: SessionDep,
    operator: Annotated[OperatorName | None, Query(description="Only this operator.")] = None,
    since: Since = None,
    until: Until = None,
) -> OperatorWindowPage:
    """The measurements of each operator in each window, oldest window first."""
    row, begun = OperatorSummaryRow, OperatorSummaryRow.window_start
    query = select(row).where(row.topology_id == find_topology(session, name).id)
    query = query.where(*lie_between(begun, since, until))
    if operator is not None:
        query = query.where(row.operator == operator)
    return page.answer(OperatorWindowPage, session.scalars, query, begun, row.operator, row.window_seconds)


@router.get("/windows", summary="Read the measured windows of a topology")
def list_topology_summaries(
    name: TopologyName, page: PageDep, session: SessionDep, since: Since = None, until: Until = None
) -> TopologyWindowPage:
    """One item per window, oldest first: external tuples, and their total times."""
    row, begun = TopologySummaryRow, TopologySummaryRow.window_start
    query = select(row).where(row.topology_id == find_topology(session, name).id)
    query = query.where(*lie_between(begun, since, until))
    return page.answer(TopologyWindowPage, session.scalars, query, begun, row.window_seconds)
