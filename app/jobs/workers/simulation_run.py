"""Runs one simulation in this process; the module imports only what a simulation needs."""

from collections.abc import Callable
from time import perf_counter

from app.jobs.simulations.answers import to_answer
from app.jobs.simulations.schemas import SimulationAnswer, SimulationJob
from planner.quantiles.spread import add_spread
from planner.simulation.simulate import simulate
from planner.situations.situation import estimate
from planner.values import Estimate


def run_simulation(job: SimulationJob, report: Callable[[float], None] | None = None) -> SimulationAnswer:
    """Simulates the job in this process. The service never calls this function: it holds the interpreter's lock."""
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
        report=report,
    )
    seconds = perf_counter() - began
    return to_answer(job, found, model_input(job), seconds)


def model_input(job: SimulationJob) -> Estimate:
    """Returns the model's estimate for the input of the simulation."""
    modelled = estimate(job.topology, job.load, job.parameters.processors, job.model)
    levels = job.parameters.quantiles
    return add_spread(job.topology, job.load, modelled, levels) if levels else modelled
