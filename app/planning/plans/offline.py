"""Estimates and plans from files, without a server or a database; checks and answers equal those of the service."""

from collections.abc import Mapping
from typing import Any

from app.load.bodies.answers import EstimateAnswer, to_estimate_answer
from app.load.bodies.calibrating import add_calibration, calibrate_body
from app.planning.objectives.objective import EstimateRequest, PlanObjective, compute_estimate, compute_plan
from app.planning.plans.answers import to_plan_answer
from app.planning.plans.schemas import PlanAnswer
from app.terminal.commands import compute_answer
from app.terminal.files import check_body, open_documents
from app.terminal.options import fold_target
from app.terminal.outputs import write_model
from app.terminal.tables import print_lines, print_table
from planner.wording import (
    UNBOUNDED,
    write_change,
    write_level,
    write_number,
    write_percent,
    write_seconds,
    write_signed_seconds,
)

Running = Mapping[str, int | None]
"""The processors of each operator that run by the load; a plan's table shows what it changes of them."""


def run_estimate(**inputs: Any) -> tuple[EstimateAnswer, Running]:
    """Returns the estimate for the topology and the load in files; an estimate changes nothing that runs."""
    documents = open_documents(inputs)
    body = check_body(EstimateRequest, documents)

    def answer() -> EstimateAnswer:
        topology = body.topology.to_values()
        calibrated = calibrate_body(body, topology)
        estimated = compute_estimate(topology, calibrated.load, body)
        return add_calibration(to_estimate_answer(estimated), calibrated)

    return compute_answer(answer, documents), {}


def run_plan(objective: PlanObjective, **inputs: Any) -> tuple[PlanAnswer, Running]:
    """Returns the objective's plan for the topology and the load in files, and what runs by the load."""
    documents = open_documents(fold_target(inputs))
    body = check_body(objective.request, documents)

    def answer() -> PlanAnswer:
        topology = body.topology.to_values()
        calibrated = calibrate_body(body, topology)
        return add_calibration(
            to_plan_answer(compute_plan(objective, topology, calibrated.load, body)), calibrated
        )

    return compute_answer(answer, documents), {
        name: one.processors for name, one in body.load.operators.items()
    }


def print_answer(answer: EstimateAnswer, running: Running, output: str) -> None:
    """Prints an estimate or a plan: as tables for people, or in the form that --output names."""
    if output != "table":
        write_model(answer, output, "operators")
        return
    print_lines([_summarise(answer)])
    _print_operators(answer, running)
    print_lines(_list_spreads(answer))
    print_lines(f"note: {said.detail}" for said in answer.diagnostics)


def _summarise(answer: EstimateAnswer) -> str:
    sojourn = answer.expected_sojourn_seconds
    latency = write_seconds(sojourn, UNBOUNDED)
    text = f"E[T] {latency} with {answer.processors_total} processors at {write_number(answer.external_rate)} tuples/s"
    text += f" ({answer.model})"
    if answer.unstable_operators:
        text += f"; cannot keep up: {', '.join(answer.unstable_operators)}"
    if isinstance(answer, PlanAnswer) and answer.unused_processors:
        text += f"; {answer.unused_processors} of the budget would change nothing"
    return text


def _list_spreads(answer: EstimateAnswer) -> list[str]:
    """Returns a line with the quantiles of total time and a line for completion time, if the answer has quantiles."""
    lines = []
    for name, spread in (("total", answer.total), ("completion", answer.completion)):
        if spread is not None:
            found = ", ".join(
                f"{write_level(one.quantile)} {write_seconds(one.seconds)}" for one in spread.quantiles
            )
            known = "" if spread.known_error is None else f", known error {write_percent(spread.known_error)}"
            lines.append(
                f"{name}: mean {write_seconds(spread.mean_seconds)}, {found} ({spread.roots:,} drawn{known})"
            )
    return lines


def _print_operators(answer: EstimateAnswer, running: Running) -> None:
    """Prints a row for each operator; a plan shows `running → planned`, and what one processor more or fewer does."""
    effects = (
        {effect.operator: effect for effect in answer.explanation} if isinstance(answer, PlanAnswer) else {}
    )
    columns = ["operator", "processors", "busy", "arrivals/s", "one serves/s", "wait", "sojourn", "visits"]
    rows = []
    for one in answer.operators:
        row = [
            one.name,
            write_change(running.get(one.name) or one.processors, one.processors),
            write_percent(one.utilisation),
            write_number(one.arrival_rate),
            write_number(one.service_rate),
            write_seconds(one.wait_seconds, UNBOUNDED),
            write_seconds(one.sojourn_seconds, UNBOUNDED),
            write_number(one.visits),
        ]
        if effect := effects.get(one.name):
            row += [
                _change(effect.one_more_seconds, effect.one_more_limit),
                _change(effect.one_fewer_seconds, effect.one_fewer_limit),
            ]
        rows.append(row)
    print_table(columns + (["one more", "one fewer"] if effects else []), rows)


def _change(seconds: float | None, limit: str | None) -> str:
    return limit or "" if seconds is None else write_signed_seconds(seconds)
