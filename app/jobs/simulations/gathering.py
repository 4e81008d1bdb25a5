"""Makes the job of a simulation from a request with its topology and load, and reads queued simulations."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.orm import Session

from app.database.tables import SimulationRow
from app.jobs.simulations.answers import to_job_answer, to_summary
from app.jobs.simulations.schemas import (
    ArrivalsBody,
    BurstyArrivalsBody,
    HistogramServiceBody,
    SeriesArrivalsBody,
    ServiceBody,
    SimulationJob,
    SimulationJobAnswer,
    SimulationPage,
    SimulationParametersAnswer,
    SimulationRequest,
    StoredSimulationRequest,
)
from app.jobs.states import State, list_jobs, select_states
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.calibrating import calibrate_body
from app.web.paging import Page
from app.web.problems.stored_data_errors import UnknownSimulation
from planner.simulation import simulate as simulator
from planner.simulation.arrivals import ArrivalLaw, check_arrivals
from planner.simulation.laws import ServiceLaw, find_mean, find_scv
from planner.simulation.system import build_system
from planner.values import Load, OperatorLoad, ServiceBucket, Topology

Terms = SimulationRequest | StoredSimulationRequest


def prepare_job(body: Terms, topology: Topology, load: Load, most_events: int) -> SimulationJob:
    """Makes the job of a simulation request; refuses a simulation that would certainly fail."""
    services = to_service_laws(body.services, load)
    load = take_services(load, services)
    arrivals = to_arrival_law(body.arrivals)
    system = build_system(topology, load, body.processors, services, body.capacities)
    simulator.check_size(system, body.roots, most_events)
    check_arrivals(arrivals, system.rate, body.roots)
    parameters = SimulationParametersAnswer(
        roots=body.roots,
        seed=body.seed,
        processors={station.name: station.instances for station in system.stations},
        arrivals=body.arrivals.kind,
        quantiles=body.quantiles,
        warm_up_share=body.warm_up_share,
        expected_events=simulator.count_events(topology, body.roots),
    )
    return SimulationJob(
        parameters=parameters,
        topology=topology,
        load=load,
        arrivals=arrivals,
        services=services,
        capacities=body.capacities,
        model=body.model,
        diagnostics=[],
        basis=None,
    )


def describe_job(body: SimulationRequest, most_events: int) -> SimulationJob:
    """Makes the job of a request that holds its topology and its load."""
    topology = body.topology.to_values()
    calibrated = calibrate_body(body, topology)
    job = prepare_job(body, topology, calibrated.load, most_events)
    said = list(map(DiagnosticAnswer.model_validate, calibrated.diagnostics))
    return job.model_copy(update={"diagnostics": said})


def take_services(load: Load, services: Mapping[str, ServiceLaw]) -> Load:
    """Returns the load with the simulated service times in place of the measured ones, for the model to use."""
    simulated = {
        name: take_service(measured, services[name])
        for name, measured in load.operators.items()
        if name in services
    }
    return replace(load, operators={**load.operators, **simulated})


def take_service(measured: OperatorLoad, law: ServiceLaw) -> OperatorLoad:
    """Returns the load of an operator with service times of this law."""
    mean = find_mean(law)
    rate = 1.0 / mean if mean > 0.0 else None
    return measured._replace(
        service_rate=rate,
        service_scv=find_scv(law),
        service_histogram=law.buckets,
        wait_factor=None,
        is_scv_configured=False,
        scv_estimate=None,
    )


def to_arrival_law(body: ArrivalsBody) -> ArrivalLaw:
    """Returns the planner's law of arrivals for the one in the request."""
    if isinstance(body, BurstyArrivalsBody):
        return ArrivalLaw("mmpp", body.burst_ratio, body.burst_share, body.mean_burst_seconds)
    if isinstance(body, SeriesArrivalsBody):
        return ArrivalLaw("series", counts=tuple(body.counts), interval_seconds=body.interval_seconds)
    return ArrivalLaw(body.kind)


def to_service_laws(bodies: Mapping[str, ServiceBody], load: Load) -> dict[str, ServiceLaw]:
    """Returns the law of service times of each operator; fields that are left out have the measured values."""
    return {
        name: to_service_law(body, load.operators.get(name, OperatorLoad())) for name, body in bodies.items()
    }


def to_service_law(body: ServiceBody, measured: OperatorLoad) -> ServiceLaw:
    """Returns the law of service times of an operator; without any mean, it has 0, which the planner refuses."""
    if isinstance(body, HistogramServiceBody):
        buckets = tuple(ServiceBucket(one.upper_seconds, one.count) for one in body.buckets)
        return ServiceLaw("histogram", buckets=buckets)
    mean = body.mean_seconds
    if mean is None:
        mean = 1.0 / measured.service_rate if measured.service_rate else 0.0
    given = getattr(body, "scv", None)  # exponential and deterministic laws have a fixed SCV
    assumed = 1.0 if measured.service_scv is None else measured.service_scv
    return ServiceLaw(body.kind, mean, assumed if given is None else given)


def find_simulation(session: Session, simulation_id: UUID) -> SimulationJobAnswer:
    """Returns the state of a queued simulation, with its answer if it has succeeded."""
    query = _without_input().add_columns(SimulationRow.answer).where(SimulationRow.id == simulation_id)
    row = session.execute(query).one_or_none()
    if row is None:
        raise UnknownSimulation(simulation_id)
    return to_job_answer(row)


def list_simulations(session: Session, page: Page, state: State | None) -> SimulationPage:
    """Returns a page of queued simulations, newest first."""
    rows, following = list_jobs(session, _without_input(), SimulationRow, page, state)
    return SimulationPage(items=[to_summary(row) for row in rows], next=following)


def _without_input() -> Select[Any]:
    """Returns the query for simulations with their parameters only, because topology and load may be large."""
    return select_states(SimulationRow, SimulationRow.request["parameters"].label("parameters"))
