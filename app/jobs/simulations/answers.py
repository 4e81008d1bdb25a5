"""Turns simulations into JSON: the simulated numbers beside the modelled ones."""

from typing import Any

from app.jobs.simulations.schemas import (
    SimulatedOperatorAnswer,
    SimulatedQuantileAnswer,
    SimulatedTimeAnswer,
    SimulationAnswer,
    SimulationJob,
    SimulationJobAnswer,
    SimulationParametersAnswer,
    SimulationSummaryAnswer,
)
from app.jobs.states import read_state
from app.load.bodies.answers import DiagnosticAnswer
from planner.simulation.results import MeasuredTime, SimulatedOperator, Simulation
from planner.values import Estimate, OperatorEstimate, Spread
from planner.wording import write_seconds

POISSON = "poisson"
LEAST_COMPLETIONS = 50.0  # the stream should last at least this many times as long as a root takes


def to_answer(job: SimulationJob, found: Simulation, modelled: Estimate, seconds: float) -> SimulationAnswer:
    """Returns the answer of a simulation that took `seconds` to compute, beside the numbers of the model."""
    mean = modelled.expected_sojourn_seconds
    simulated = [DiagnosticAnswer.model_validate(one) for one in found.diagnostics]
    said = [*job.diagnostics, *simulated, *compare_arrivals(job), *tell_of_shortness(found)]
    known = {one.code for one in said}
    of_model = [DiagnosticAnswer.model_validate(one) for one in modelled.diagnostics if one.code not in known]
    completion = modelled.completion.mean_seconds if modelled.completion else None
    return SimulationAnswer(
        total=to_time(found.total, mean, modelled.total),
        completion=to_time(found.completion, completion, modelled.completion),
        operators=[to_operator(*both) for both in zip(found.operators, modelled.operators, strict=True)],
        events=found.events,
        seconds=seconds,
        simulated_seconds=found.simulated_seconds,
        roots=found.roots,
        warm_up_roots=found.warm_up_roots,
        seed=found.seed,
        model=modelled.model,
        diagnostics=said + of_model,
        basis=job.basis,
    )


def compare_arrivals(job: SimulationJob) -> list[DiagnosticAnswer]:
    """Returns a diagnostic if the model assumes other arrivals than were simulated, which adds to its error."""
    simulated = job.arrivals.kind
    measured = [
        name
        for name, one in job.load.operators.items()
        if one.arrival_idc or one.arrival_scv not in {None, 1.0}
    ]
    if simulated == POISSON and not measured:
        return []
    taken = (
        "arrival_scv and arrival_idc of the load"
        if measured
        else "Poisson arrivals, as the load has no arrival_scv"
    )
    detail = f"Simulated arrivals are {simulated}; the model assumes {taken}. This difference is a part of model_error."
    return [DiagnosticAnswer(code="arrivals-differ", detail=detail, operators=measured)]


def tell_of_shortness(found: Simulation) -> list[DiagnosticAnswer]:
    """Returns a diagnostic if the simulated stream is so short that queues may not reach their usual length."""
    stream, root = found.simulated_seconds, found.completion.mean_seconds
    is_unstable = any(one.code == "unstable" for one in found.diagnostics)
    if is_unstable or stream >= LEAST_COMPLETIONS * root:
        return []
    detail = (
        f"The simulated stream lasts {write_seconds(stream)}, and one root takes {write_seconds(root)}. Queues may not "
        "have reached their usual length: simulate more roots before you compare with the model."
    )
    return [DiagnosticAnswer(code="short-simulation", detail=detail)]


def to_time(
    measured: MeasuredTime, modelled_mean: float | None, spread: Spread | None
) -> SimulatedTimeAnswer:
    """Returns a simulated time as an answer; `spread` has the quantiles of the model at the same levels."""
    modelled = [one.seconds for one in spread.quantiles] if spread else [None] * len(measured.quantiles)
    return SimulatedTimeAnswer(
        mean_seconds=measured.mean_seconds,
        half_width_seconds=measured.half_width_seconds,
        modelled_mean_seconds=modelled_mean,
        model_error=compare(modelled_mean, measured.mean_seconds),
        quantiles=[
            SimulatedQuantileAnswer(
                quantile=one.quantile,
                seconds=one.seconds,
                modelled_seconds=seconds,
                model_error=compare(seconds, one.seconds),
            )
            for one, seconds in zip(measured.quantiles, modelled, strict=True)
        ],
    )


def to_operator(found: SimulatedOperator, modelled: OperatorEstimate) -> SimulatedOperatorAnswer:
    """Returns a simulated operator as an answer; an operator that no tuple reached has no times."""
    reached = found.visits > 0
    return SimulatedOperatorAnswer(
        name=found.name,
        processors=found.processors,
        queueing=modelled.queueing,
        visits=found.visits,
        arrival_rate=found.arrival_rate,
        wait_seconds=found.wait_seconds if reached else None,
        half_width_seconds=found.half_width_seconds,
        sojourn_seconds=found.sojourn_seconds if reached else None,
        utilisation=found.utilisation,
        blocked_share=found.blocked_share,
        modelled_wait_seconds=modelled.wait_seconds,
        model_error=compare(modelled.wait_seconds, found.wait_seconds) if reached else None,
    )


def compare(modelled: float | None, simulated: float) -> float | None:
    """Returns (modelled - simulated) / simulated; None if the modelled number is infinite or the simulated one is 0."""
    return None if modelled is None or simulated <= 0.0 else (modelled - simulated) / simulated


def to_summary(row: Any) -> SimulationSummaryAnswer:
    """Returns the state of a queued simulation, from a database row without topology and load."""
    parameters = SimulationParametersAnswer.model_validate(row.parameters)
    return SimulationSummaryAnswer(
        **read_state(row),
        activity=describe_activity(row.state, parameters),
        parameters=parameters,
    )


def to_job_answer(row: Any) -> SimulationJobAnswer:
    """Returns the state of a queued simulation, with its answer when it is done."""
    answer = SimulationAnswer.model_validate(row.answer) if row.answer else None
    return SimulationJobAnswer(**to_summary(row).model_dump(), answer=answer)


def describe_activity(state: str, parameters: SimulationParametersAnswer) -> str:
    """Says in a sentence what a queued simulation does."""
    size = f"{parameters.roots:,} roots, about {parameters.expected_events:,.0f} events"
    return {
        "queued": f"Waiting for its turn: {size}.",
        "running": f"Simulating {size}.",
        "succeeded": f"Done: {size}.",
        "failed": f"Failed: {size}.",
        "cancelled": f"Cancelled: {size}.",
    }[state]
