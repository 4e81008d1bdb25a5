"""Answers short simulations at once, and queues long ones for a process of app/jobs/workers."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from app.database.tables import SimulationRow
from app.jobs.simulations import gathering
from app.jobs.simulations.gathering import describe_job, prepare_job
from app.jobs.simulations.schemas import (
    SimulationJob,
    SimulationJobAnswer,
    SimulationRequest,
    StoredSimulationRequest,
)
from app.jobs.states import cancel_or_delete
from app.jobs.workers.ready_process import ReadyProcess
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.topology import check_size
from app.load.measurements.freshness import describe_age
from app.load.measurements.load import gather
from app.settings import Settings
from app.web.problems.error_pointers import blaming_what_is_stored, pointing_into_body
from app.web.problems.errors import Forbidden
from app.web.problems.stored_data_errors import UnknownSimulation

MAY_NOT_QUEUE = (
    "This simulation is too long to be answered at once, so it would be stored, and this key may read and compute but "
    "not store: ask for fewer roots, or use a key without the :read suffix."
)


@dataclass(frozen=True)
class Simulating:
    """The means to answer a simulation at once or to queue it, and whether the caller may store a job."""

    settings: Settings
    ready: ReadyProcess
    store_job: Callable[[Callable[[Session], SimulationJobAnswer]], SimulationJobAnswer]
    may_store: bool


def simulate_described(body: SimulationRequest, simulating: Simulating) -> bytes | SimulationJobAnswer:
    """Simulates the body's topology under its load; returns the answer as JSON, or the queued job."""
    check_size(body.topology, simulating.settings, "#/topology")
    with pointing_into_body():
        return answer_or_queue(describe_job(body, simulating.settings.max_simulation_events), simulating)


def simulate_stored(
    session: Session, name: str, body: StoredSimulationRequest, simulating: Simulating
) -> bytes | SimulationJobAnswer:
    """Simulates a stored topology under its measured load; returns the answer as JSON, or the queued job."""
    found = gather(session, name, body, simulating.settings)
    aged = describe_age(session, found)
    session.commit()  # returns the connection: the simulation reads nothing while it waits and runs
    with blaming_what_is_stored(name):
        job = prepare_job(body, found.topology, found.load, simulating.settings.max_simulation_events)
        said = [*map(DiagnosticAnswer.model_validate, found.diagnostics), *aged]
        based = job.model_copy(update={"diagnostics": said, "basis": found.basis})
        return answer_or_queue(based, simulating)


def answer_or_queue(job: SimulationJob, simulating: Simulating) -> bytes | SimulationJobAnswer:
    """Returns the answer of a short simulation as JSON; queues a long simulation and returns its job."""
    if job.parameters.expected_events <= simulating.settings.simulation_events_at_once:
        return simulating.ready.compute(job)
    if not simulating.may_store:
        raise Forbidden(MAY_NOT_QUEUE)
    return simulating.store_job(lambda session: queue_job(session, job))


def queue_job(session: Session, job: SimulationJob) -> SimulationJobAnswer:
    """Stores a simulation that is to be computed, and returns its state."""
    row = SimulationRow(id=uuid4(), request=job.model_dump(mode="json"))
    session.add(row)
    session.flush()
    return gathering.find_simulation(session, row.id)


def end_simulation(session: Session, simulation_id: UUID) -> SimulationJobAnswer | None:
    """Cancels an unfinished simulation and returns it; deletes a finished one and returns None."""
    if cancel_or_delete(session, SimulationRow, simulation_id, UnknownSimulation):
        return gathering.find_simulation(session, simulation_id)
    return None
