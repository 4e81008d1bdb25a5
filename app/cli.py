"""The command line, `headgate`; what a command needs is imported when it runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    _keep_blas_to_one_thread()
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


ProfilesFile = Annotated[
    Path, typer.Option("--profiles", help="Per task a list of threads, peak_rate, cpu, memory; JSON or YAML.")
]


@cli.command()
def place(
    *,
    topology: TopologyFile,
    rate: Annotated[float, typer.Option("--rate", help="External tuples per second.")],
    profiles: ProfilesFile,
    vm_sizes: Annotated[
        Path | None, typer.Option("--vm-sizes", help="A list of name, slots, hourly_price.")
    ] = None,
    vms: Annotated[Path | None, typer.Option("--vms", help="VMs there: a list of name, slots, rack.")] = None,
    allocation: Annotated[str, typer.Option(help="lsa or mba.")] = "mba",
    mapping: Annotated[str, typer.Option(help="dsm, rsm, sam or collocate.")] = "sam",
    routing: Annotated[str, typer.Option(help="shuffle or slot-aware.")] = "shuffle",
    acquisition: Annotated[str, typer.Option(help="largest-first or cheapest.")] = "largest-first",
    compare: Annotated[bool, typer.Option("--compare", help="Every allocation with every mapping.")] = False,
    output: Output = "table",
) -> None:
    """Which threads on which slot of which VM, what that sustains and costs."""
    from app.placements.offline import print_placement, run_placement

    choices = {
        "allocation": allocation,
        "mapping": mapping,
        "routing": routing,
        "acquisition": acquisition,
        "compare": compare,
    }
    files = {"topology": topology, "profiles": profiles, "vm_sizes": vm_sizes, "vms": vms}
    print_placement(_try(run_placement, files, choices | {"external_rate": rate}), output)


@cli.command()
def profile(
    trials: Annotated[
        Path, typer.Option("--trials", help="CSV: task,threads,rate,at_seconds,latency_seconds,cpu,memory.")
    ],
    warm_up_seconds: Annotated[float, typer.Option(help="Samples before this do not count.")] = 0.0,
    max_slope: Annotated[float, typer.Option(help="Growth of latency, s/s, that still is stable.")] = 1e-3,
    output: Output = "table",
) -> None:
    """Build task profiles from trials; --output json is what `place --profiles` reads."""
    from app.profiles.offline import print_profiles, run_profiles

    print_profiles(_try(run_profiles, trials, warm_up_seconds, max_slope), output)


def _read_counts(given: list[str] | None) -> dict[str, int] | None:
    counts = {}
    for one in given or []:
        name, _, count = one.rpartition("=")
        if not name or not count.isdecimal():
            raise fail(f"--processors {one}: write operator=count, e.g. detector=13")
        counts[name] = int(count)
    return counts or None


def _print(run: Any, output: str, **inputs: Any) -> None:
    from app.plans.offline import print_answer

    print_answer(_try(run, **inputs), output)


def _try(run: Any, *inputs: Any, **named: Any) -> Any:
    from app.plans.offline import Refused

    try:
        return run(*inputs, **named)
    except Refused as refused:
        raise fail(str(refused), CAPACITY_SHORT if refused.is_capacity else UNUSABLE_INPUT) from refused


@cli.command()
def ingest(
    paths: Annotated[
        list[str], typer.Argument(help="Files, folders or URLs: JSON Lines (.gz), CSV, Parquet.")
    ],
    date: Annotated[
        str | None,
        typer.Option(help="Only this day (UTC): 2026-11-18, or yesterday. Other dt= folders stay unread."),
    ] = None,
    window_seconds: Annotated[int, typer.Option(min=1, max=86_400, help="Length of a window.")] = 60,
    master: Annotated[
        str, typer.Option(help="Spark's: local[*], spark://host:7077, yarn, k8s://…")
    ] = "local[*]",
    max_rejected: Annotated[
        str, typer.Option(help="With more unusable records than this nothing is written (exit 2).")
    ] = "5%",
) -> None:
    """Roll raw per-tuple logs up into the summaries and snapshots that plans stand on (docs/ingest.md)."""
    from argparse import ArgumentTypeError

    from ingest import job
    from ingest.runs import Request

    try:
        request = Request(
            tuple(paths), job.read_day(date) if date else None, window_seconds, job.read_share(max_rejected)
        )
    except ArgumentTypeError as error:
        raise fail(str(error)) from error
    with _open_migrated_database() as url:
        code = job.ingest(url, request, master)
    if code:
        raise typer.Exit(code)


@cli.command()
def prune(
    older_than: Annotated[str, typer.Option(help="An age in days, weeks or hours: 90d, 12w, 36h.")],
) -> None:
    """Delete ingested summaries, snapshots and runs older than this; what people posted stays."""
    from datetime import timedelta

    from ingest import retention
    from ingest.runs import connect

    units = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
    count, unit = older_than[:-1], older_than[-1:]
    if unit not in units or not (count.isascii() and count.isdecimal() and len(count) <= 5):
        raise fail(f"--older-than {older_than}: write a whole number of h, d or w, e.g. 90d")
    with _open_migrated_database() as url, connect(url) as connection:
        gone = retention.prune(connection, int(count) * units[unit])
    typer.echo(
        f"pruned {gone.days} whole days, {gone.windows} windows, {gone.snapshots} snapshots, {gone.runs} runs"
    )


@contextmanager
def _open_migrated_database() -> Iterator[str]:
    """The service's database, brought up to date, for commands that write to it themselves."""
    from psycopg import OperationalError as ConnectionLost
    from sqlalchemy.exc import OperationalError

    from app.embedded_postgres import EmbeddedPostgresError
    from app.observability import configure_logging
    from app.server import open_database_url
    from migrations import runner

    in_force = load_settings()
    # Whoever runs a job reads its lines; JSON is for services, or for who asks for it.
    configure_logging("json" if in_force.log_format == "json" else "text", in_force.log_level)
    try:
        with open_database_url(in_force) as url:
            runner.migrate(url)
            yield url
    except (OperationalError, ConnectionLost, EmbeddedPostgresError) as error:
        raise fail(f"the database cannot be used: {error}", 1) from error


WorkloadFile = Annotated[Path, typer.Option("--workload", help="CSV or TSV: time, rate; a header.")]
MstFile = Annotated[Path, typer.Option("--mst", help="CSV or TSV: app (optional), m, samples; a header.")]
AppOption = Annotated[str | None, typer.Option("--app", help="Only this application of --mst.")]
MaxVms = Annotated[int, typer.Option("--max-vms", min=1, help="The most VMs there are.")]


@cli.command()
def backtest(
    *,
    workload: WorkloadFile,
    mst: MstFile,
    train_vms: Annotated[
        str, typer.Option("--train-vms", help="The m whose samples a policy may know.")
    ] = "3,4,6,8,24",
    scale_peak: Annotated[
        str, typer.Option("--scale-peak", help="Scale the workload to this maximum; none leaves it.")
    ] = "32",
    policies: Annotated[
        str, typer.Option("--policies", help="all, or 0 to 7, headgate, ground-truth, static-peak.")
    ] = "all",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="How many runs of each.")] = 5,
    max_vms: MaxVms = 128,
    app: AppOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the first seed into this .png, .svg or .pdf.")
    ] = None,
    output: Annotated[Literal["table", "csv", "json"], typer.Option("--output")] = "table",
) -> None:
    """Live through a workload again under each policy: how much was served, and what it cost."""
    _keep_blas_to_one_thread()
    from app.forecasts.offline import Choices, backtest_files, print_rows
    from app.plans.offline import Refused

    choices = Choices(policies, seeds, train_vms, _read_peak(scale_peak), max_vms, app, plot)
    try:
        print_rows(backtest_files(workload, mst, choices), output, sys.stdout)
    except Refused as refused:
        raise fail(str(refused)) from refused


def _read_peak(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError as error:
        raise fail(f"--scale-peak {text}: write a number, or none") from error


def _keep_blas_to_one_thread() -> None:
    """Our matrices are small: threads of BLAS would only wait for each other, and a second core is not ours."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@cli.command()
def forecast(
    *,
    workload: WorkloadFile,
    mst: MstFile,
    policy: Annotated[str, typer.Option("--policy", help="headgate, or one of the paper's.")] = "headgate",
    qos_target: Annotated[float | None, typer.Option("--qos-target", help="In [0.5, 1).")] = None,
    horizon: Annotated[int, typer.Option("--horizon", min=1, help="Intervals to decide on.")] = 1,
    max_vms: MaxVms = 128,
    app: AppOption = None,
    output: Output = "table",
) -> None:
    """How many VMs the coming intervals need."""
    _keep_blas_to_one_thread()
    from app.forecasts.offline import forecast_files, print_forecast
    from app.plans.offline import Refused

    choices = {"policy": policy, "qos_target": qos_target, "horizon": horizon, "max_vms": max_vms}
    try:
        print_forecast(forecast_files(workload, mst, app, **choices), output)
    except Refused as refused:
        raise fail(str(refused)) from refused


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
