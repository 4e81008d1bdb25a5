"""Computes one long simulation, and stores its answer."""

from app.jobs.simulations.schemas import SimulationJob
from app.jobs.workers.claims import SIMULATIONS, Claim
from app.jobs.workers.simulation_run import run_simulation
from app.jobs.workers.worker import run_worker, tell_now_and_then


def compute_simulation(claim: Claim) -> None:
    """Runs the simulation from its beginning, also after an earlier worker ended: the seed gives an equal answer."""
    answer = run_simulation(SimulationJob.model_validate(claim.request), tell_now_and_then(claim))
    claim.succeed(answer=answer.model_dump(mode="json"))


if __name__ == "__main__":
    run_worker(SIMULATIONS, compute_simulation)
