"""Defines the commands of `headgate`: each noun has its commands, and a command is imported when it is called."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.terminal.commands import (
    clean_up_at_interrupts,
    collecting_no_garbage,
    fail,
    keep_blas_to_one_thread,
    load_settings,
    say,
)
from app.terminal.groups import CommandPlace, LazyGroup, open_group

HERE, ASKING = __name__, "app.terminal.service_commands"
COMMANDS = {
    "serve": CommandPlace(
        HERE, "serve", "Serve over HTTP, with a Postgres of its own unless HEADGATE_DATABASE_URL is set."
    ),
    "migrate": CommandPlace(
        HERE, "migrate", "Migrate the database to the newest schema, or to the given revision."
    ),
    "demo": CommandPlace(
        "app.demo.command",
        "demo",
        "Store the topology `demo` with a day of snapshots, a policy and decisions.",
    ),
    "plan": CommandPlace(
        "app.planning.plans.command", "plan_cli", "Plan from files, without server or database."
    ),
    "estimate": CommandPlace(
        "app.planning.plans.command", "estimate", "E[T] of a topology under a load, from files."
    ),
    "gate": CommandPlace(
        "app.planning.gates.command",
        "gate",
        "Pass or fail a deployment: exit code 0 pass, 1 capacity short, 2 no verdict.",
    ),
    "simulate": CommandPlace(
        "app.jobs.simulations.command",
        "simulate",
        "Simulate a topology tuple by tuple, and compare the model with the simulation.",
    ),
    "place": CommandPlace(
        "app.machines.placements.command",
        "place",
        "Place threads on slots of VMs, and show the sustained rate and the price.",
    ),
    "profile": CommandPlace(
        "app.machines.profiles.command",
        "profile",
        "Build task profiles from trials; `place --profiles` reads what --output json prints.",
    ),
    "forecast": CommandPlace(
        "app.forecasts.vms.command", "forecast", "Compute how many VMs the coming intervals need."
    ),
    "backtest": CommandPlace(
        "app.jobs.backtests.command",
        "backtest",
        "Replay a workload under each policy, and print how much was served and at what cost.",
    ),
    "ingest": CommandPlace(
        "app.load.ingest_command",
        "ingest",
        "Summarise raw logs, one record per tuple, as the snapshots that plans use (docs/ingest.md).",
    ),
    "prune": CommandPlace(
        "app.load.ingest_command",
        "prune",
        "Delete ingested data older than an age; posted data stay unless asked for.",
    ),
    "backup": CommandPlace(
        "app.terminal.backup_command", "backup", "Write all data into a file, also while a service runs."
    ),
    "restore": CommandPlace(
        "app.terminal.backup_command",
        "restore",
        "Put the data of a backup into the database, or change nothing.",
    ),
    "bridge": CommandPlace(
        "app.bridge.command", "bridge", "Measure a running job, decide, and with --apply scale it."
    ),
    "status": CommandPlace(
        ASKING, "status", "Print every topology of a service in a line, the most urgent first."
    ),
    "topologies": CommandPlace(ASKING, "topologies", "List the topologies that a service has."),
    "decide": CommandPlace(ASKING, "decide", "Decide what should change in a topology now, and why."),
    "replay": CommandPlace(
        ASKING, "replay", "Print what a policy would have done over stored snapshots, beside what ran."
    ),
    "fleet": CommandPlace(
        "app.terminal.fleet_command", "fleet", "Print what each topology gets of one budget of processors."
    ),
    "report": CommandPlace(ASKING, "report", "Print the report on the newest decision of a topology."),
    "push": CommandPlace(ASKING, "push", "Send measured snapshots of a topology to a service."),
    "mcp": CommandPlace(
        "app.terminal.mcp_command", "serve_tools", "Offer a service's answers to assistants, as tools of MCP."
    ),
    "keys": CommandPlace("app.terminal.keys", "keys_cli", "Make a key of the service, or list its keys."),
    "completion": CommandPlace(
        "app.terminal.completion", "completion", "Print what makes bash, zsh or fish complete commands."
    ),
    "openapi": CommandPlace(HERE, "openapi", "Print the OpenAPI document as YAML, as in openapi.yaml."),
    "doctor": CommandPlace(
        "app.serving.doctor", "doctor", "Look at what a service needs on this machine, and say what to do."
    ),
    "settings": CommandPlace(HERE, "settings", "Print the value of every setting, with secrets masked."),
}


class Commands(LazyGroup):
    """The group of all commands of `headgate`."""

    places = COMMANDS


cli = open_group(Commands)


def print_version(is_wanted: bool) -> None:  # noqa: FBT001  # Typer gives the value of the option
    """Prints the version of the installed package, and ends the command."""
    if is_wanted:
        from importlib.metadata import version

        typer.echo(f"headgate {version('headgate')}")
        raise typer.Exit


@cli.callback(help="Computes how many processors a stream-processing platform needs, where, and why.")
def headgate(
    *,
    version: Annotated[  # print_version reads it
        bool, typer.Option("--version", is_eager=True, callback=print_version, help="Print the version.")
    ] = False,
) -> None:
    """The options of `headgate` itself."""


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond loopback API keys are required.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free port.")] = None,
    workers: Annotated[int | None, typer.Option(help="Server processes.")] = None,
) -> None:
    """Serve over HTTP; without HEADGATE_DATABASE_URL, an embedded Postgres stores the data."""
    keep_blas_to_one_thread()
    with collecting_no_garbage():
        from app.database.connections.connection_room import TooFewConnections
        from app.database.embedded.embedded_postgres import EmbeddedPostgresError
        from app.serving.serve import DatabaseUnusable, UnsafeStart, WorkerNeverServed
        from app.serving.serve import serve as serve_http
        from app.serving.server import CannotListen

    clean_up_at_interrupts()
    try:
        serve_http(load_settings(host=host, port=port, workers=workers))
    except UnsafeStart as error:
        raise fail(str(error)) from error
    except (
        CannotListen,
        DatabaseUnusable,
        EmbeddedPostgresError,
        TooFewConnections,
        WorkerNeverServed,
    ) as error:
        raise fail(str(error), 1) from error


def migrate(
    revision: Annotated[str, typer.Argument(help="head, base, or a revision.")] = "head",
) -> None:
    """Migrate the database to the newest schema, or to the given revision."""
    from alembic.util import CommandError
    from sqlalchemy.exc import OperationalError

    from app.database.embedded.embedded_postgres import EmbeddedPostgresError, open_database_url
    from app.terminal.databases import choose_or_fail, refuse_other_schema
    from migrations import runner

    clean_up_at_interrupts()
    choice = choose_or_fail(load_settings())
    say(f"migrates {choice.describe()}")
    try:
        with open_database_url(choice.settings) as url:
            if choice.is_found:
                refuse_other_schema(url, choice, revision)
            reached = runner.migrate(url, revision)
    except CommandError as error:
        raise fail(
            f"cannot migrate to {revision!r}: {error}; migrations/versions has the names of all revisions"
        ) from error
    except (OperationalError, EmbeddedPostgresError, runner.NewerSchema) as error:
        raise fail(f"cannot migrate: {error}", 1) from error
    typer.echo(f"schema {reached or 'empty'}")


def openapi() -> None:
    """Print the OpenAPI document as YAML, as in openapi.yaml."""
    from app.main import create_app
    from app.pages.openapi_document import render_yaml
    from app.settings import Settings

    sys.stdout.write(render_yaml(create_app(Settings(log_level="error")).openapi()))


def settings() -> None:
    """Print the value of every setting, with secrets masked."""
    from pydantic_core import PydanticUndefined

    from app.database.embedded.database_choice import UnclearDatabase, choose_database
    from app.settings import PREFIX, Settings, find_unknown_variables

    in_force = load_settings()
    for name, field in Settings.model_fields.items():
        value = getattr(in_force, name)
        default = field.get_default(call_default_factory=True)
        shown = "(not set)" if value is None or str(value) == "" else str(value)
        mark = "" if default is not PydanticUndefined and value == default else "  # set"
        if isinstance(value, Path):
            shown = str(value.absolute())
            mark = "  # set" if name in in_force.model_fields_set else "  # in the current folder"
        typer.echo(f"{PREFIX}{name.upper()}={shown}{mark}")
    try:
        typer.echo(f"# commands in this folder use {choose_database(in_force).describe()}")
    except UnclearDatabase as error:
        say(str(error))
    for name in find_unknown_variables():
        typer.echo(f"headgate: no setting is called {name}: check the spelling", err=True)
