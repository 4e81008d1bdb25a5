"""The same estimates and plans from files: no server, no database, the same checks and answers."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.http.problems import describe_problem
from app.http.validation import list_validation_errors
from app.plans.answers import to_estimate_answer, to_plan_answer
from app.plans.schemas import (
    EstimateAnswer,
    EstimateRequest,
    MinLatencyRequest,
    MinProcessorsRequest,
    PlanAnswer,
    ProportionalRequest,
    TradeoffRequest,
)
from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, TargetUnreachable
from planner.placements.errors import NotEnoughSlots
from planner.plans.estimation import estimate
from planner.plans.optimal import min_latency, min_processors
from planner.plans.proportional import proportional
from planner.plans.tradeoff import tradeoff

A = TypeVar("A")
B = TypeVar("B")

CAPACITY = (BudgetTooSmall, TargetUnreachable, BoundTooSmall, NotEnoughSlots)


class Refused(Exception):
    """No answer, and why; `is_capacity`: the input was fine, the processors are not enough."""

    def __init__(self, why: str, *, is_capacity: bool = False) -> None:
        super().__init__(why)
        self.is_capacity = is_capacity


def run_estimate(**inputs: Any) -> EstimateAnswer:
    """E[T] of the files' topology under the files' load."""
    body = read_body(EstimateRequest, inputs)
    return compute_answer(
        lambda: to_estimate_answer(
            estimate(body.topology.to_values(), body.load.to_values(), body.processors, body.model)
        )
    )


def run_min_latency(**inputs: Any) -> PlanAnswer:
    """The best split of `k_max`."""
    body = read_body(MinLatencyRequest, inputs)
    return compute_answer(
        lambda: to_plan_answer(
            min_latency(body.topology.to_values(), body.load.to_values(), body.k_max, body.model)
        )
    )


def run_min_processors(**inputs: Any) -> PlanAnswer:
    """The fewest processors under `t_max_seconds`."""
    body = read_body(MinProcessorsRequest, inputs)
    return compute_answer(
        lambda: to_plan_answer(
            min_processors(body.topology.to_values(), body.load.to_values(), body.t_max_seconds, body.model)
        )
    )


def run_tradeoff(**inputs: Any) -> PlanAnswer:
    """Processors weighed against waiting tuples."""
    body = read_body(TradeoffRequest, inputs)
    return compute_answer(
        lambda: to_plan_answer(
            tradeoff(body.topology.to_values(), body.load.to_values(), body.beta, body.model)
        )
    )


def run_proportional(**inputs: Any) -> PlanAnswer:
    """Processors in proportion to work."""
    body = read_body(ProportionalRequest, inputs)
    return compute_answer(
        lambda: to_plan_answer(
            proportional(
                body.topology.to_values(), body.load.to_values(), body.tolerance, body.capacities, body.model
            )
        )
    )


def compute_answer(compute: Callable[[], A]) -> A:
    """What the planner answers; what it refuses, in the words that HTTP has for it."""
    try:
        return compute()
    except PlannerError as error:
        problem = describe_problem(error) or {}
        raise Refused(f"{problem.get('type')}: {error}", is_capacity=isinstance(error, CAPACITY)) from error


def read_body(body_type: type[B], inputs: dict[str, Any]) -> B:
    """The body that the same call over HTTP would have."""
    return check_body(
        body_type, inputs | {name: read_document(inputs[name]) for name in ("topology", "load")}
    )


def check_body(body_type: type[B], body: dict[str, Any]) -> B:
    """The body by its type, or Refused with every part that is wrong."""
    try:
        return TypeAdapter(body_type).validate_python(body)
    except ValidationError as error:
        located = [one | {"loc": ("body", *one["loc"])} for one in error.errors()]  # as FastAPI has it
        wrong = list_validation_errors(located, body, body_type, is_yaml=True)
        raise Refused("\n".join(f"{one['pointer']}: {one['detail']}" for one in wrong)) from error


def read_document(path: Path) -> Any:
    """A JSON or YAML file; YAML reads both."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
        # JSON first: it is stricter about what a number is, and quicker.
        return json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=_Loader)  # noqa: S506
    except (OSError, UnicodeError) as error:
        raise Refused(f"{path}: cannot be read: {error}") from error
    except (yaml.YAMLError, json.JSONDecodeError) as error:
        raise Refused(f"{path}: is neither JSON nor YAML: {error}") from error


class _Loader(yaml.SafeLoader):
    """YAML without its dates: a time stays the text that the same field holds in JSON."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def print_answer(answer: EstimateAnswer, output: str) -> None:
    """A table for people, or the JSON that the service answers."""
    if output == "json":
        sys.stdout.write(answer.model_dump_json(indent=2, exclude_none=False) + "\n")
        return
    console = open_console()
    console.print(_summarise(answer))
    console.print(_tabulate(answer))
    for said in answer.diagnostics:
        console.print(Text(f"note: {said.detail}"))


def open_console() -> Console:
    """Standard output; piped, it has no width of its own, and rich would cut at 80 columns."""
    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)


def _summarise(answer: EstimateAnswer) -> Text:
    sojourn = answer.expected_sojourn_seconds
    latency = "infinite" if sojourn is None else _milliseconds(sojourn)
    text = f"E[T] {latency} with {answer.processors_total} processors at {answer.external_rate:g} tuples/s"
    text += f" ({answer.model})"
    if answer.unstable_operators:
        text += f"; cannot keep up: {', '.join(answer.unstable_operators)}"
    if isinstance(answer, PlanAnswer) and answer.unused_processors:
        text += f"; {answer.unused_processors} of the budget would change nothing"
    return Text(text)


def _tabulate(answer: EstimateAnswer) -> Table:
    effects = (
        {effect.operator: effect for effect in answer.explanation} if isinstance(answer, PlanAnswer) else {}
    )
    table = Table(box=SIMPLE_HEAD)
    table.add_column("operator")
    columns = ["processors", "busy", "arrivals/s", "one serves/s", "wait", "sojourn", "visits"]
    for column in columns + (["one more", "one fewer"] if effects else []):
        table.add_column(column, justify="right")
    for one in answer.operators:
        row = [
            one.name,
            str(one.processors),
            f"{one.utilisation:.1%}",
            f"{one.arrival_rate:.6g}",
            f"{one.service_rate:.6g}",
            _milliseconds(one.wait_seconds),
            _milliseconds(one.sojourn_seconds),
            f"{one.visits:.4g}",
        ]
        if effect := effects.get(one.name):
            row += [
                _change(effect.one_more_seconds, effect.one_more_limit),
                _change(effect.one_fewer_seconds, effect.one_fewer_limit),
            ]
        table.add_row(*map(Text, row))
    return table


def _milliseconds(seconds: float | None) -> str:
    return "∞" if seconds is None else f"{seconds * 1000:.4g} ms"


def _change(seconds: float | None, limit: str | None) -> str:
    return limit or "" if seconds is None else f"{seconds * 1000:+.3g} ms"
