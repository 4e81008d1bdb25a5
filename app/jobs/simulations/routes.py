"""/v1/simulations simulates a topology tuple by tuple, at once or as a job."""

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy.orm import Session

from app.database.connections.transactions import SessionDep, store_alone
from app.jobs.simulations import gathering, service
from app.jobs.simulations.schemas import (
    SimulationAnswer,
    SimulationJobAnswer,
    SimulationPage,
    SimulationRequest,
    StoredSimulationRequest,
)
from app.jobs.states import StateFilter
from app.web.callers.keys import ApiKey
from app.web.callers.security import may_read, may_store
from app.web.fields import TopologyName
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY, DESCRIBED_CALL, STORED_CALL
from app.web.repeats import note_repeat
from app.web.routing import StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1", tags=["simulations"], route_class=StrictJsonRoute)

REFUSED = ("invalid-allocation", "simulation-too-large", "simulation-stuck")
QUEUED: dict[int | str, dict[str, Any]] = {
    202: {
        "model": SimulationJobAnswer,
        "description": "The simulation is long and was queued: GET its `Location`.",
    }
}
DELETED: dict[int | str, dict[str, Any]] = {
    204: {"description": "The simulation was finished and is deleted."}
}


def find_simulating(
    request: Request,
    key: Annotated[ApiKey | None, Depends(may_read)],
    _: Annotated[None, Depends(note_repeat)],
) -> service.Simulating:
    """Returns the means to answer or queue a simulation, and whether this caller may store a job."""

    def store_job(make: Callable[[Session], SimulationJobAnswer]) -> SimulationJobAnswer:
        return store_alone(request, make, answer)

    state = request.app.state
    return service.Simulating(state.settings, state.ready_process, store_job, key is None or key.may_store)


SimulatingDep = Annotated[service.Simulating, Depends(find_simulating)]


def answer(found: bytes | SimulationJobAnswer) -> Response:
    """Answers 200 with the simulation, or 202 with the queued job and its address."""
    if isinstance(found, bytes):
        return Response(found, media_type="application/json")
    queued = Response(found.model_dump_json(), 202, media_type="application/json")
    tell_created(queued, "simulations", found.id)
    return queued


@router.post(
    "/simulations",
    response_model=SimulationAnswer,
    **declare(may_read, "Simulate", *DESCRIBED_CALL, *REFUSED, also=QUEUED),
)
def simulate(body: SimulationRequest, simulating: SimulatingDep) -> Response:
    """Simulates the topology in the body tuple by tuple: the means and quantiles that the model approximates."""
    return answer(service.simulate_described(body, simulating))


@router.post(
    "/topologies/{name}/simulations",
    response_model=SimulationAnswer,
    **declare(may_read, "Simulate a stored topology", *STORED_CALL, *BODY, *REFUSED, also=QUEUED),
)
def simulate_stored_topology(
    name: TopologyName, body: StoredSimulationRequest, simulating: SimulatingDep, session: SessionDep
) -> Response:
    """Simulates the current revision under its measured load; without `processors`, with those that run now."""
    return answer(service.simulate_stored(session, name, body, simulating))


@router.get("/simulations", **declare(may_read, "List queued simulations"))
def list_simulations(
    page: PageDep,
    session: SessionDep,
    state: StateFilter = None,
) -> SimulationPage:
    """Queued simulations, newest first, without answers. Simulations that were answered at once are not stored."""
    return gathering.list_simulations(session, page, state)


@router.get(
    "/simulations/{simulation_id:uuid}", **declare(may_read, "Read a simulation", "unknown-simulation")
)
def get_simulation(simulation_id: UUID, session: SessionDep) -> SimulationJobAnswer:
    """The state of a queued simulation, and its answer when it is done."""
    return gathering.find_simulation(session, simulation_id)


@router.delete(
    "/simulations/{simulation_id:uuid}",
    response_model=SimulationJobAnswer,
    **declare(may_store, "Cancel or delete a simulation", "unknown-simulation", also=DELETED),
)
def cancel_or_delete_simulation(simulation_id: UUID, session: SessionDep) -> SimulationJobAnswer | Response:
    """Cancels a queued or running simulation (200); deletes a finished one (204)."""
    return service.end_simulation(session, simulation_id) or Response(status_code=204)
