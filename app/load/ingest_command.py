"""`headgate ingest` and `headgate prune`: summarise raw logs, and delete old summaries."""

from argparse import ArgumentTypeError
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Annotated

import typer

from app.terminal.commands import fail, load_settings, say
from app.terminal.installing import install_ingest
from app.terminal.options import take_time
from ingest.request import LEAST_MOST_RECORDS, MOST_RECORDS, Request, read_day, read_share
from planner.wording import write_counted, write_seconds

LEAST_KEPT_SECONDS = 3600.0  # a forgotten unit would be seconds, and delete almost all
MOST_KEPT_SECONDS = 3.1536e9  # a hundred years

PathsArgument = Annotated[
    list[str], typer.Argument(metavar="PATH", help="Files, folders or URLs: JSON Lines (.gz), CSV, Parquet.")
]

WindowOption = Annotated[
    float,
    take_time(
        "--window-seconds", help_text="Length of a window, such as 60 or 5m.", least=1.0, most=86_400.0
    ),
]


def ingest(
    paths: PathsArgument,
    *,
    date: Annotated[
        str | None,
        typer.Option(help="Only this day (UTC): 2026-11-18, or yesterday. Other dt= folders stay unread."),
    ] = None,
    window_seconds: WindowOption = 60.0,
    master: Annotated[
        str, typer.Option(help="Spark's master: local[*], spark://host:7077, yarn or k8s://host")
    ] = "local[*]",
    max_rejected: Annotated[
        str, typer.Option(help="With more unusable records than this, nothing is written (exit 2).")
    ] = "5%",
    max_records_in_memory: Annotated[
        int,
        typer.Option(
            min=LEAST_MOST_RECORDS, help="Memory of a worker; larger windows are measured in pieces."
        ),
    ] = MOST_RECORDS,
    worker_archive: Annotated[
        str | None, typer.Option(help="The Python archive for a cluster's executors, made by `make workers`.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only check the first records of each file; no Spark, no database."),
    ] = False,
) -> None:
    """Summarise raw per-tuple logs as the snapshots and summaries that plans use (docs/ingest.md)."""
    try:
        day = read_day(date) if date else None
        window, share = read_whole(window_seconds), read_share(max_rejected)
        request = Request(tuple(paths), day, window, share, max_records_in_memory)
    except ArgumentTypeError as error:
        raise fail(str(error)) from error
    install_ingest()
    if dry_run:
        _judge_heads(request.paths, str(day) if day else None, request.max_rejected)
    else:
        _run(request, master, worker_archive)


def read_whole(window_seconds: float) -> int:
    """The length of a window, which must be whole seconds."""
    if not window_seconds.is_integer():
        raise fail(f"--window-seconds: {write_seconds(window_seconds)} is no whole number of seconds")
    return int(window_seconds)


def _run(request: Request, master: str, worker_archive: str | None) -> None:
    """Runs the ingest; while Spark starts, which takes seconds, it opens the database and imports the other modules."""
    from app.terminal.databases import choose_or_fail, open_migrated_database
    from ingest.session import open_context

    choice = choose_or_fail(load_settings())
    spark = (beside := ThreadPoolExecutor(1)).submit(open_context, master, worker_archive=worker_archive)
    with open_migrated_database(choice, "writes to", beside) as url:
        from ingest import job

        code = job.ingest(url, request, spark.result)
    say(f"the run is in {choice.where}: {choice.tell_where_to_read('/v1/ingest-runs')}")
    if code:
        raise typer.Exit(code)


def _judge_heads(paths: tuple[str, ...], day: str | None, max_rejected: float) -> None:
    """Prints, for each file, how many of its first records are usable, and why the others are not."""
    from ingest.reading.dry_run import judge_heads
    from ingest.reading.sources import SourceNotFound

    fine, found = True, False
    try:
        for head in judge_heads(paths, day):
            typer.echo(head.describe())
            fine &= head.is_fine(max_rejected)
            found = True
    except SourceNotFound as error:
        raise fail(str(error)) from error
    if not found:
        raise fail(f"no record was found in {', '.join(paths)}: a run of these paths would write nothing")
    if not fine:
        raise fail("a run of such files would write nothing: correct them, or raise --max-rejected")


def prune(
    older_than: Annotated[
        float,
        take_time(
            "--older-than",
            help_text="An age: 90d, 12w, 36h.",
            least=LEAST_KEPT_SECONDS,
            most=MOST_KEPT_SECONDS,
        ),
    ],
    *,
    with_posted: Annotated[
        bool,
        typer.Option(
            "--with-posted",
            help="Also delete posted snapshots and decisions to hold: a bridge adds one each interval.",
        ),
    ] = False,
) -> None:
    """Delete ingested summaries, snapshots and runs older than this; posted data stay unless asked for."""
    from datetime import timedelta

    from app.terminal.databases import choose_or_fail, open_migrated_database
    from ingest.storing import retention
    from ingest.storing.runs import connect

    choice = choose_or_fail(load_settings())
    with open_migrated_database(choice, "deletes from", nullcontext()) as url, connect(url) as connection:
        gone = retention.prune(connection, timedelta(seconds=older_than), with_posted=with_posted)
    typer.echo(
        f"pruned {write_counted(gone.days, 'whole day')}, {write_counted(gone.windows, 'window')}, "
        f"{write_counted(gone.snapshots, 'snapshot')}, {write_counted(gone.runs, 'run')}, "
        f"{write_counted(gone.holds, 'decision')} to hold"
    )
