"""The command line, `headgate`: each noun has its commands, and a command imports its modules when it runs."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic_core import PydanticUndefined

from app.bridge.command import bridge
from app.database.database_choice import UnclearDatabase, choose_database
from app.forecasts.vms.command import forecast
from app.jobs.backtests.command import backtest
from app.jobs.simulations.command import simulate
from app.load.ingest_command import ingest, prune
from app.machines.placements.command import place
from app.machines.profiles.command import profile
from app.pages.demo_command import demo
from app.planning.gates.command import gate
from app.planning.plans.command import estimate, plan_cli
from app.settings import PREFIX, Settings
from app.terminal.commands import (
    choose_or_fail,
    collecting_no_garbage,
    fail,
    keep_blas_to_one_thread,
    load_settings,
    refuse_other_schema,
    say,
)

cli = typer.Typer(
    help="Computes how many processors a stream-processing platform needs, where, and why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.add_typer(plan_cli, name="plan")


@cli.command()
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
        from app.database.embedded_postgres import EmbeddedPostgresError
        from app.serving.serve import DatabaseUnusable, UnsafeStart, WorkerNeverServed
        from app.serving.serve import serve as serve_http
        from app.serving.server import CannotListen

    try:
        serve_http(load_settings(host=host, port=port, workers=workers))
    except UnsafeStart as error:
        raise fail(str(error)) from error
    except (CannotListen, DatabaseUnusable, EmbeddedPostgresError, WorkerNeverServed) as error:
        raise fail(str(error), 1) from error


@cli.command()
def migrate(
    revision: Annotated[str, typer.Argument(help="head, base, or a revision.")] = "head",
) -> None:
    """Migrate the database to the newest schema, or to the given revision."""
    from alembic.util import CommandError
    from sqlalchemy.exc import OperationalError

    from app.database.embedded_postgres import EmbeddedPostgresError, open_database_url
    from migrations import runner

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
    except (OperationalError, EmbeddedPostgresError) as error:
        raise fail(f"cannot migrate: {error}", 1) from error
    typer.echo(f"schema {reached or 'empty'}")


for command in (demo, estimate, simulate, gate, place, profile, ingest, prune, forecast, backtest, bridge):
    cli.command()(command)


@cli.command()
def openapi() -> None:
    """Print the OpenAPI document as YAML, as in openapi.yaml."""
    from app.main import create_app
    from app.pages.openapi_document import render_yaml

    sys.stdout.write(render_yaml(create_app(Settings(log_level="error")).openapi()))


@cli.command()
def settings() -> None:
    """Print the value of every setting, with secrets masked."""
    from app.settings import find_unknown_variables

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


def main() -> None:
    """The entry point of `headgate`."""
    cli()
