"""`headgate plan` and `headgate estimate` compute plans and estimates from files, without a server or a database."""

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Optional, get_args, get_origin

import typer

from app.terminal.commands import CalibrateOption, ModelOption, Output, TopologyFile, run_or_fail
from app.terminal.groups import PlainGroup, make_command, open_group
from app.terminal.options import TargetOfOption, TargetQuantileOption, take_time
from planner.values import DEFAULT_MODEL

if TYPE_CHECKING:
    from app.planning.objectives.objective import PlanObjective

QuantilesOption = Annotated[
    str | None,
    typer.Option("--quantiles", help="Quantiles of total and completion time, such as 0.5,0.95,0.99."),
]
LoadFile = Annotated[Path, typer.Option("--load", help="JSON or YAML.")]


class PlanGroup(PlainGroup):
    """The commands of `headgate plan`, one for each objective; the objectives are imported at the first call."""

    def list_commands(self, _context: Any) -> list[str]:
        """Returns the names of all objectives, which are the names of the commands."""
        return list(self._read())

    def get_command(self, _context: Any, name: str) -> Any:
        """Returns the command of the objective with this name; None if there is no such objective."""
        return self._read().get(name)

    def _read(self) -> Mapping[str, Any]:
        self.commands = self.commands or make_commands()
        return self.commands


plan_cli = open_group(PlanGroup, "Plan from files, without server or database.")


def make_commands() -> dict[str, Any]:
    """Makes the commands of `headgate plan`, by the name of their objective."""
    from app.planning.plans.schemas import OBJECTIVES

    return {one.name: make_command(one.name, make_function(one), one.command_help) for one in OBJECTIVES}


def make_function(objective: "PlanObjective") -> Callable[..., None]:
    """Makes the function behind `headgate plan NAME`, with the objective's terms as options."""

    def plan(*, output: str, quantiles: str | None, **inputs: Any) -> None:
        from app.planning.plans.offline import run_plan
        from app.terminal.options import read_levels

        _print(run_plan, output, objective, **inputs, quantiles=run_or_fail(read_levels, quantiles))

    plan.__signature__ = Signature(list_options(objective))  # type: ignore[attr-defined]  # Typer reads it
    return plan


def list_options(objective: "PlanObjective") -> list[Parameter]:
    """Lists the options of an objective's command; their types and defaults are those of the request's fields."""
    fields = objective.request.model_fields
    options: list[tuple[str, Any, Any]] = [("topology", TopologyFile, ...), ("load", LoadFile, ...)]
    for one in objective.options:
        field = fields[one.field]
        taken = (
            take_time(*one.flags, help_text=one.help)
            if one.is_time
            else typer.Option(*one.flags, help=one.help)
        )
        option = Annotated[find_plain(field.annotation), taken]  # type: ignore[valid-type]
        options.append((one.field, option, ... if field.is_required() else field.default))
    if "target" in fields:
        options += [("target_quantile", TargetQuantileOption, None), ("target_of", TargetOfOption, None)]
    options += [
        ("quantiles", QuantilesOption, None),
        ("model", ModelOption, fields["model"].default),
        ("calibrate", CalibrateOption, fields["calibrate"].default),
        ("output", Output, "table"),
    ]
    return [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            annotation=kind,
            default=Parameter.empty if default is ... else default,
        )
        for name, kind, default in options
    ]


def find_plain(annotation: Any) -> Any:
    """Returns a type without Pydantic's bounds, which Typer cannot read: float for Annotated[float, ...] | None."""
    plain = [get_args(one)[0] if get_origin(one) is Annotated else one for one in get_args(annotation)]
    return Optional[plain[0]] if NoneType in plain else annotation  # noqa: UP045 - of a type found at run time


def estimate(
    topology: TopologyFile,
    load: LoadFile,
    processors: Annotated[
        list[str] | None,
        typer.Option(help="operator=count, repeatable; left out: the running ones in the load."),
    ] = None,
    quantiles: QuantilesOption = None,
    model: ModelOption = DEFAULT_MODEL,
    *,
    calibrate: CalibrateOption = True,
    output: Output = "table",
) -> None:
    """E[T] of a topology under a load."""
    from app.planning.plans.offline import run_estimate
    from app.terminal.options import read_counts, read_levels

    asked = {
        "processors": run_or_fail(read_counts, "--processors", processors),
        "quantiles": run_or_fail(read_levels, quantiles),
        "model": model,
        "calibrate": calibrate,
    }
    _print(run_estimate, output, topology=topology, load=load, **asked)


def _print(run: Any, output: str, *inputs: Any, **named: Any) -> None:
    from app.planning.plans.offline import print_answer

    answer, running = run_or_fail(run, *inputs, **named)
    print_answer(answer, running, output)
