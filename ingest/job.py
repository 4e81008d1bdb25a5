"""The nightly ingest: reads raw logs of tuples; writes summaries, snapshots and discovered topologies to Postgres.

Run as `headgate ingest`, or on a cluster: spark-submit ingest/job.py PATH... --database-url URL
"""

import argparse
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice

import psycopg
from psycopg import Connection
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException

from ingest.measuring.cuts import plan_slices
from ingest.reading.blocks import TornFile, read_sources
from ingest.reading.records import describe_reject, number_rejects
from ingest.reading.sources import SourceNotFound, Sources, find_sources
from ingest.request import MOST_RECORDS, Request, Totals, read_day, read_most_records, read_share, read_window
from ingest.rollup import roll_up
from ingest.session import close_context, name_remedy, open_context
from ingest.storing.runs import abandon_dead_runs, begin_run, connect, fail_run, note_totals
from ingest.storing.store import RunDoesNotAddUp, replace_windows, stage_summaries, store_rejects
from ingest.windows.discovery import discover_topologies
from ingest.windows.operator_windows import summarise

log = logging.getLogger("headgate.ingest")

DONE, FAILED, UNUSABLE = 0, 1, 2
REJECTS_SHOWN = 3
TRACEBACK = "Traceback (most recent call last):"


class TooManyRejected(Exception):
    """The error that more records are unusable than --max-rejected allows."""

    def __init__(self, totals: Totals, limit: float, shown: str) -> None:
        worst = max(totals.reject_reasons, key=lambda reason: totals.reject_reasons[reason])
        super().__init__(
            f"{totals.rejected} of {totals.read} records cannot be used "
            f"({totals.rejected / totals.read:.1%}, most often: {worst}), more than --max-rejected {limit:.1%}: "
            f"nothing was written. Correct the log, or raise the limit.\n{shown}"
        )


@dataclass(frozen=True, slots=True)
class JobRun:
    """A run of the ingest: its Spark context, its database connection, its number, its request and its start."""

    context: SparkContext
    connection: Connection
    number: int
    request: Request
    began: float

    def seconds(self) -> float:
        return time.monotonic() - self.began


def run_ingest(context: SparkContext, database_url: str, request: Request) -> str:
    """Runs the ingest once and returns a line with the totals of its records and windows."""
    began = time.monotonic()
    sources = find_sources(request.paths, str(request.day) if request.day else None, context)
    request = replace(request, paths=sources.roots)
    with connect(database_url) as connection:
        abandon_dead_runs(connection)
        run = JobRun(context, connection, begin_run(connection, request), request, began)
        log.info("run %d: %d files", run.number, len(sources.files))
        try:
            totals, windows = write_run(run, sources)
        except BaseException as error:
            # If the database itself failed, this fails too; the next run then marks this run as abandoned.
            with suppress(psycopg.Error):
                fail_run(connection, run.number, describe_error(error), run.seconds())
            raise
    return (
        f"run {run.number}: read {totals.read} = accepted {totals.accepted} + rejected {totals.rejected} "
        f"+ duplicates {totals.duplicates}; {windows} windows in {run.seconds():.1f} s"
    )


def write_run(run: JobRun, sources: Sources) -> tuple[Totals, int]:
    """Reads the sources and writes their windows; returns the totals and the number of windows."""
    slicing = plan_slices(run.request, sources.count_records())
    found = roll_up(read_sources(run.context, sources), slicing)
    totals = found.add_up()
    log.info("read %d records, %d of them unusable; replacing windows", totals.read, totals.rejected)
    if totals.rejected:
        shown = store_and_show_rejects(run, number_rejects((*one[:3], one.rejects) for one in found.lines))
        if totals.rejected > run.request.max_rejected * totals.read:
            note_totals(run.connection, run.number, totals, run.seconds())
            raise TooManyRejected(totals, run.request.max_rejected, shown)
        log.warning("%d of %d records cannot be used:\n%s", totals.rejected, totals.read, shown)
    summaries, flows = summarise(found, run.request.window_ns)
    stage_summaries(run.connection, summaries, totals)
    notes = replace_windows(
        run.connection,
        run.number,
        run.request,
        found=discover_topologies(flows, summaries.queueings),
        notes=summaries.notes,
        totals=totals,
        seconds=run.seconds(),
    )
    for note in notes:
        log.warning("%s: %s", note.topology, note.detail)
    row = run.connection.execute("SELECT windows FROM ingest_runs WHERE id = %s", (run.number,)).fetchone()
    return totals, row[0] if row else 0


def store_and_show_rejects(run: JobRun, rejects: Iterator[tuple[str, int, str, str]]) -> str:
    """Stores all rejected lines; returns a text with the first three and with the address that lists all."""
    first = list(islice(rejects, REJECTS_SHOWN))
    store_rejects(run.connection, run.number, chain(first, rejects))
    shown = [describe_reject(*one) for one in first]
    return "\n".join([*shown, f"  GET /v1/ingest-runs/{run.number}/rejects lists them all"])


def describe_error(error: BaseException) -> str:
    """Shortens Spark's message of several pages to one line: the error and its innermost cause."""
    if remedy := name_remedy(str(error)):
        return remedy
    lines = str(error).strip().splitlines() or [type(error).__name__]
    traces = [place for place, line in enumerate(lines) if TRACEBACK in line]
    if traces:  # the last traceback belongs to the raised error, whose text follows the indented lines
        return next(line for line in lines[traces[-1] + 1 :] if line and not line.startswith(" "))
    messages = [line for line in lines if not line.startswith("An error occurred while calling")]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return "; caused by ".join([(messages or lines)[0].removeprefix(": "), *causes[-1:]])


def ingest(database_url: str, request: Request, start: Callable[[], SparkContext]) -> int:
    """Runs the ingest, prints the totals of its records and returns the exit code of the command."""
    context = start()
    try:
        print(run_ingest(context, database_url, request))  # noqa: T201  # the answer of the command
    except (SourceNotFound, TooManyRejected) as error:
        log.error("%s", error)  # noqa: TRY400  # a wrong input, no defect: a traceback would not help
        return UNUSABLE
    except (PySparkException, Py4JError, RunDoesNotAddUp, TornFile) as error:
        log.error("%s", describe_error(error))  # noqa: TRY400  # likewise
        return FAILED
    finally:
        close_context(context)
    return DONE


def read_arguments(arguments: Sequence[str] | None) -> tuple[argparse.Namespace, Request]:
    """Reads the command line; returns the raw arguments and the request that they describe."""
    parser = argparse.ArgumentParser(prog="headgate ingest", description=__doc__)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--date", type=read_day)
    parser.add_argument("--window-seconds", type=read_window, default=60)
    parser.add_argument("--max-rejected", type=read_share, default=0.05)
    parser.add_argument("--max-records-in-memory", type=read_most_records, default=MOST_RECORDS)
    parser.add_argument("--master", help="the Spark master; default: the master of spark-submit")
    parser.add_argument(
        "--worker-archive", help="the archive of Python packages for the executors (make workers)"
    )
    parser.add_argument("--database-url", default=os.environ.get("HEADGATE_DATABASE_URL"))
    given = parser.parse_args(arguments)
    if given.database_url is None:
        parser.error("set --database-url or HEADGATE_DATABASE_URL: the database to write to")
    return given, Request(
        tuple(given.paths), given.date, given.window_seconds, given.max_rejected, given.max_records_in_memory
    )


def main(arguments: Sequence[str] | None = None) -> int:
    given, request = read_arguments(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    start = partial(open_context, given.master, worker_archive=given.worker_archive)
    return ingest(given.database_url, request, start)


if __name__ == "__main__":
    sys.exit(main())
