"""Runs one simulation in this process; it imports no more than that needs."""

from time import perf_counter

from app.simulations.answers import to_answer
from app.simulations.schemas import SimulationAnswer, SimulationJob
from planner.simulation.simulate import simulate


def run_simulation(job: SimulationJob) -> SimulationAnswer:
    """Runs the job in this process, which holds the interpreter's lock: the service itself never does."""
    asked = job.parameters
    began = perf_counter()
    found = simulate(
        job.topology,
        job.load,
        asked.processors,
        roots=asked.roots,
        seed=asked.seed,
        arrivals=job.arrivals,
        services=job.services,
        capacities=job.capacities,
        levels=asked.quantiles,
        warm_up_share=asked.warm_up_share,
    )
    return to_answer(job, found, perf_counter() - began)
