"""The command line, `headgate`; what a command needs is imported when it runs."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from app.gates.command import gate
from app.settings import PREFIX, Settings

CAPACITY_SHORT = 1
UNUSABLE_INPUT = 2

cli = typer.Typer(
    help="Tells stream-processing platforms how much to run, where, and why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
plan_cli = typer.Typer(help="Plan from files, without server or database.", no_args_is_help=True)
cli.add_typer(plan_cli, name="plan")
cli.command()(gate)


def fail(message: str, code: int = UNUSABLE_INPUT) -> typer.Exit:
    """Says what is wrong where errors are read, and ends with a code that a script can tell apart."""
    typer.echo(f"headgate: {message}", err=True)
    return typer.Exit(code)


def load_settings(**overrides: Any) -> Settings:
    """The environment's settings, under what the command line says."""
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        wrong = "; ".join(
            f"{PREFIX}{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors()
        )
        raise fail(wrong) from error


@cli.command()
def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond loopback API keys are required.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(help="Server processes.")] = None,
) -> None:
    """Serve over HTTP; with no HEADGATE_DATABASE_URL on an embedded Postgres."""
    from app.embedded_postgres import EmbeddedPostgresError
    from app.server import UnsafeStart
    from app.server import serve as serve_http

    settings = load_settings(host=host, port=port, workers=workers)
    try:
        serve_http(settings)
    except UnsafeStart as error:
        raise fail(str(error)) from error
    except EmbeddedPostgresError as error:
        raise fail(str(error), 1) from error
    except OSError as error:
        raise fail(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}", 1
        ) from error


@cli.command()
def migrate(
    revision: Annotated[str, typer.Argument(help="head, base, or a revision.")] = "head",
) -> None:
    """Bring the database to the newest schema (or to the revision given)."""
    from sqlalchemy.exc import OperationalError

    from app.embedded_postgres import EmbeddedPostgresError
    from app.server import open_database_url
    from migrations import runner

    try:
        with open_database_url(load_settings()) as url:
            reached = runner.migrate(url, revision)
    except (OperationalError, EmbeddedPostgresError) as error:
        raise fail(f"cannot migrate: {error}", 1) from error
    typer.echo(f"schema {reached or 'empty'}")


TopologyFile = Annotated[Path, typer.Option("--topology", help="JSON or YAML; - reads standard input.")]
LoadFile = Annotated[Path, typer.Option("--load", help="JSON or YAML.")]
ModelOption = Annotated[str, typer.Option("--model", help="mmk, ggk or ggk-whitt.")]
Output = Annotated[Literal["table", "json"], typer.Option("--output", help="table or json.")]


@plan_cli.command("min-latency")
def plan_min_latency(
    topology: TopologyFile,
    load: LoadFile,
    k_max: Annotated[int, typer.Option("--k-max", help="Processors to divide.")],
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """The best split of --k-max processors: least E[T]."""
    from app.plans.offline import run_min_latency

    _print(run_min_latency, output, topology=topology, load=load, k_max=k_max, model=model)


@plan_cli.command("min-processors")
def plan_min_processors(
    topology: TopologyFile,
    load: LoadFile,
    t_max_seconds: Annotated[
        float, typer.Option("--t-max", "--t-max-seconds", help="E[T] to stay at or below, seconds.")
    ],
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """The fewest processors that keep E[T] at or below --t-max."""
    from app.plans.offline import run_min_processors

    _print(run_min_processors, output, topology=topology, load=load, t_max_seconds=t_max_seconds, model=model)


@plan_cli.command("tradeoff")
def plan_tradeoff(
    topology: TopologyFile,
    load: LoadFile,
    beta: Annotated[
        float, typer.Option("--beta", help="Weight of a processor, between 0 and 1; the rest is a tuple's.")
    ],
    model: ModelOption = "mmk",
    output: Output = "table",
) -> None:
    """Processors weighed against waiting tuples, operator by operator (Es-Stream)."""
    from app.plans.offline import run_tradeoff

    _print(run_tradeoff, output, topology=topology, load=load, beta=beta, model=model)


@plan_cli.command("proportional")
def plan_proportional(
    topology: TopologyFile,
    load: LoadFile,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Stop where one more saves no larger part of E[T].")
    ] = 0.01,
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """Processors in proportion to the work of each operator (Mc-Stream)."""
    from app.plans.offline import run_proportional

    _print(run_proportional, output, topology=topology, load=load, tolerance=tolerance, model=model)


@cli.command()
def estimate(
    topology: TopologyFile,
    load: LoadFile,
    processors: Annotated[
        list[str] | None, typer.Option(help="operator=count, again for each; without, as the load says.")
    ] = None,
    model: ModelOption = "ggk-whitt",
    output: Output = "table",
) -> None:
    """E[T] of a topology under a load."""
    from app.plans.offline import run_estimate

    _print(
        run_estimate, output, topology=topology, load=load, processors=_read_counts(processors), model=model
    )


def _read_counts(given: list[str] | None) -> dict[str, int] | None:
    counts = {}
    for one in given or []:
        name, _, count = one.rpartition("=")
        if not name or not count.isdecimal():
            raise fail(f"--processors {one}: write operator=count, e.g. detector=13")
        counts[name] = int(count)
    return counts or None


def _print(run: Any, output: str, **inputs: Any) -> None:
    from app.plans.offline import Refused, print_answer

    try:
        answer = run(**inputs)
    except Refused as refused:
        raise fail(str(refused), CAPACITY_SHORT if refused.is_capacity else UNUSABLE_INPUT) from refused
    print_answer(answer, output)


@cli.command()
def openapi() -> None:
    """Print the OpenAPI document as YAML: what openapi.yaml holds."""
    from app.documentation import render_yaml
    from app.main import create_app

    sys.stdout.write(render_yaml(create_app(Settings(log_level="error")).openapi()))


@cli.command()
def settings() -> None:
    """Print every setting in force, secrets masked."""
    from app.settings import find_unknown_variables

    in_force = load_settings()
    for name, field in Settings.model_fields.items():
        value = getattr(in_force, name)
        default = field.default
        shown = "(not set)" if value is None or str(value) == "" else str(value)
        mark = "" if default is not PydanticUndefined and value == default else "  # set"
        typer.echo(f"{PREFIX}{name.upper()}={shown}{mark}")
    for name in find_unknown_variables():
        typer.echo(f"headgate: no setting is called {name}: check the spelling", err=True)


def main() -> None:
    """The entry point; `headgate --help` says the rest."""
    cli()
