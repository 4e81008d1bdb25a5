"""What all commands share: options, refusals, settings and messages."""

import gc
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

import typer

from planner.errors import BoundTooSmall, BudgetTooSmall, PlannerError, TargetUnreachable

if TYPE_CHECKING:
    from app.settings import Settings

A = TypeVar("A")

CAPACITY_SHORT = 1
UNUSABLE_INPUT = 2

TopologyFile = Annotated[Path, typer.Option("--topology", help="JSON or YAML; - reads standard input.")]
ModelOption = Annotated[str, typer.Option("--model", help="The waiting model: mmk, ggk or ggk-whitt.")]
CalibrateOption = Annotated[
    bool,
    typer.Option(
        "--calibrate/--no-calibrate", help="Correct modelled waits by the waits measured in the load."
    ),
]
Output = Annotated[
    Literal["table", "json", "yaml", "csv", "markdown"],
    typer.Option("--output", help="The form of the answer."),
]


class Refused(Exception):
    """The reason why a command has no answer; `is_capacity`: the input is valid, but processors are missing."""

    def __init__(self, why: str, *, is_capacity: bool = False) -> None:
        super().__init__(why)
        self.is_capacity = is_capacity


def compute_answer(compute: Callable[[], A], inputs: Mapping[str, Any] | None = None) -> A:
    """Returns the result of `compute`; a planner's error becomes Refused, with its place in the command's inputs."""
    try:
        return compute()
    except PlannerError as error:
        raise refuse(error, inputs) from error


def refuse(error: Exception, inputs: Mapping[str, Any] | None = None) -> Refused:
    """Turns an error into Refused, with the problem type that HTTP would have and its place if that is in a file."""
    from app.terminal.files import Document, locate
    from app.web.problems.problem_kinds import describe_problem
    from planner.placements.errors import NotEnoughSlots

    capacity = (BudgetTooSmall, TargetUnreachable, BoundTooSmall, NotEnoughSlots)
    problem = describe_problem(error)
    text = f"{problem['type']}: {error}" if problem else str(error)
    files = {name: one for name, one in (inputs or {}).items() if isinstance(one, Document)}
    for one in (problem or {}).get("errors", [])[:1]:
        if one["pointer"].split("/")[1:2] and one["pointer"].split("/")[1] in files:
            text = locate(files, one["pointer"], text)
    return Refused(text, is_capacity=isinstance(error, capacity))


def fail(message: str, code: int = UNUSABLE_INPUT) -> typer.Exit:
    """Writes the message to standard error and returns an exception that ends the command with the exit code."""
    typer.echo(f"headgate: {message}", err=True)
    return typer.Exit(code)


def load_settings(**overrides: Any) -> "Settings":
    """Reads the settings from environment variables; `overrides` are options of the command line that replace some."""
    from pydantic import ValidationError

    from app.settings import Settings

    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        raise fail("; ".join(_describe_setting(one) for one in error.errors())) from error


def _describe_setting(error: Any) -> str:
    """Describes the error of a setting with its value, which is left out if it is a secret."""
    from pydantic import SecretStr

    from app.settings import PREFIX, Settings
    from app.web.problems.validation import show

    name = "_".join(map(str, error["loc"]))
    said = error["msg"].removeprefix("Value error, ").replace("Input should ", "must ", 1)
    field = Settings.model_fields.get(name)
    is_shown = field is not None and SecretStr not in (field.annotation, *get_args(field.annotation))
    return f"{PREFIX}{name.upper()}: {said}" + (f"; found {show(error['input'])}" if is_shown else "")


def say(message: str) -> None:
    """Writes a message to standard error, because standard output has only the answer."""
    typer.echo(f"headgate: {message}", err=True)


def run_or_fail(run: Any, *inputs: Any, **named: Any) -> Any:
    """Returns the result of `run`; Refused ends the command, with exit code 1 if only capacity is short, else 2."""
    try:
        return run(*inputs, **named)
    except Refused as refused:
        raise fail(str(refused), CAPACITY_SHORT if refused.is_capacity else UNUSABLE_INPUT) from refused


def clean_up_at_interrupts() -> None:
    """Makes Ctrl-C raise KeyboardInterrupt from now on, so that contexts end in order; before, it ends the process."""
    if callable(signal.getsignal(signal.SIGINT)):  # else Ctrl-C is ignored, as under nohup
        signal.signal(signal.SIGINT, signal.default_int_handler)


def keep_blas_to_one_thread() -> None:
    """Limits the matrix library BLAS to one thread: with small matrices, threads would only wait for each other."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Turns garbage collection off while modules load: it would find nothing and take a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
