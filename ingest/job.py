"""The nightly ingest: raw per-tuple logs -> summaries, snapshots and discovered topologies in Postgres.

Run as `headgate ingest`, or on a cluster: spark-submit ingest/job.py PATH... --database-url URL
"""

import argparse
import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import psycopg
from psycopg import Connection
from py4j.protocol import Py4JError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.discovery import Flow, discover_topologies
from ingest.parse import parse_records
from ingest.readers import read_records
from ingest.rejects import count_lines, find_rejects
from ingest.rollup import (
    count_flows,
    count_shares,
    drop_duplicates,
    make_records,
    read_back,
    summarise_operators,
    summarise_topologies,
    tally_records,
)
from ingest.runs import Request, Totals, abandon_dead_runs, begin_run, connect, fail_run, note_totals
from ingest.session import open_session
from ingest.sources import SourceNotFound, Sources, find_sources
from ingest.store import RunDoesNotAddUp, Summaries, replace_windows, stage_summaries, store_rejects
from ingest.timeline import (
    WINDOW,
    build_timeline,
    count_slices,
    count_tasks,
    measure_cut_windows,
    measure_slices,
)

log = logging.getLogger("headgate.ingest")

DONE, FAILED, UNUSABLE = 0, 1, 2


class TooManyRejected(Exception):
    """More of the records are unusable than the caller is ready to lose."""

    def __init__(self, totals: Totals, limit: float) -> None:
        worst = max(totals.reject_reasons, key=lambda reason: totals.reject_reasons[reason])
        super().__init__(
            f"{totals.rejected} of {totals.read} records cannot be used "
            f"({totals.rejected / totals.read:.1%}, most often: {worst}), more than --max-rejected {limit:.1%}: "
            "nothing was written. GET /v1/ingest-runs/ID/rejects lists them; mend the log, or raise the limit."
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A run under way."""

    spark: SparkSession
    connection: Connection
    number: int
    request: Request
    began: float

    def seconds(self) -> float:
        return time.monotonic() - self.began


@dataclass(frozen=True, slots=True)
class Survey:
    """What one look at all records tells: the totals so far, and how full the fullest window is."""

    read: int
    reject_reasons: dict[str, int]
    largest_window: int
    has_faulty_name: bool

    @property
    def rejected(self) -> int:
        return sum(self.reject_reasons.values())

    @property
    def accepted(self) -> int:
        """Duplicates among them."""
        return self.read - self.rejected

    def to_totals(self, duplicates: int) -> Totals:
        return Totals(self.read, self.rejected, duplicates, self.reject_reasons)


def run_ingest(spark: SparkSession, database_url: str, request: Request) -> str:
    """One run, from files to tables; answers the line that sums it up."""
    began = time.monotonic()
    sources = find_sources(spark, request.paths, request.day.isoformat() if request.day else None)
    asked = replace(request, paths=sources.roots)
    with connect(database_url) as connection:
        abandon_dead_runs(connection)
        run = Run(spark, connection, begin_run(connection, asked), asked, began)
        log.info("run %d: %d files", run.number, sources.count_files())
        try:
            totals, windows = write_run(run, sources)
        except BaseException as error:
            with suppress(
                psycopg.Error
            ):  # a lost database is why we are here, or the next run says so of this one
                fail_run(connection, run.number, explain(error), run.seconds())
            raise
    return (
        f"run {run.number}: read {totals.read} = accepted {totals.accepted} + rejected {totals.rejected} "
        f"+ duplicates {totals.duplicates}; {windows} windows in {run.seconds():.1f} s"
    )


def write_run(run: Run, sources: Sources) -> tuple[Totals, int]:
    frames = read_records(run.spark, sources)
    with ExitStack() as stack:
        records, tally, survey = stack.enter_context(read_log(run.spark, frames, run.request))
        log.info("read %d records, %d of them unusable", survey.read, survey.rejected)
        if survey.rejected:
            events = keep_day(parse_records(run.spark, frames), run.request)
            store_rejects(run.connection, run.number, list_rejects(events, frames))
        if survey.rejected > run.request.max_rejected * survey.read:
            totals = survey.to_totals(0)
            note_totals(run.connection, run.number, totals, run.seconds())
            raise TooManyRejected(totals, run.request.max_rejected)
        summaries, flows, duplicates = stack.enter_context(roll_up(records, tally, run.request, survey))
        totals = survey.to_totals(duplicates)
        stage_summaries(run.connection, summaries, run.request, totals)
    log.info("rolled up; replacing windows")
    found = discover_topologies(flows)
    notes = replace_windows(
        run.connection, run.number, run.request, found=found, totals=totals, seconds=run.seconds()
    )
    for note in notes:
        log.warning("%s: %s", note.topology, note.detail)
    row = run.connection.execute("SELECT windows FROM ingest_runs WHERE id = %s", (run.number,)).fetchone()
    return totals, row[0] if row else 0


@contextmanager
def read_log(
    spark: SparkSession, frames: list[DataFrame], request: Request
) -> Iterator[tuple[DataFrame, DataFrame, Survey]]:
    """The records as they are kept, their tally and its survey. Names are looked at in the tally, where there are few;
    if one is faulty, which is rare, all records are parsed again to find those that hold it.
    """
    for trusts_names in (True, False):
        events = keep_day(parse_records(spark, frames, trusts_names=trusts_names), request)
        with kept(make_records(events)) as stored:
            records = read_back(stored, request.window_ns)
            with kept(tally_records(records)) as tally:
                survey = take_survey(tally)
                if not survey.has_faulty_name:
                    yield records, tally, survey
                    return


def keep_day(events: DataFrame, request: Request) -> DataFrame:
    """With a day, only what arrived on it: another day's window would be replaced by the few of its tuples here."""
    bounds = request.day_bounds()
    if bounds is None:
        return events
    begin, end = (int(bound.timestamp()) * 1_000_000_000 for bound in bounds)
    inside = (F.col("arrived_ns") >= begin) & (F.col("arrived_ns") < end)
    return events.where(F.col("reject_reason").isNotNull() | inside)


def take_survey(tally: DataFrame) -> Survey:
    windows = tally.groupBy("reject_reason", *WINDOW).agg(
        F.sum("tuples").alias("tuples"), F.max("has_faulty_name").alias("has_faulty_name")
    )
    found = (
        windows.groupBy("reject_reason")
        .agg(F.sum("tuples"), F.max("tuples"), F.max("has_faulty_name"))
        .collect()
    )
    counts = {reason: (records, largest, is_faulty) for reason, records, largest, is_faulty in found}
    accepted, largest, has_faulty_name = counts.pop(None, (0, 0, False))
    reasons = {reason: counts[reason][0] for reason in sorted(counts)}
    return Survey(accepted + sum(reasons.values()), reasons, largest, has_faulty_name)


def list_rejects(events: DataFrame, frames: list[DataFrame]) -> Iterator[tuple[str, int, str, str]]:
    for row in find_rejects(events, count_lines(frames)).toLocalIterator():
        yield row[0], row[1], row[2], row[3]


@contextmanager
def kept(frame: DataFrame) -> Iterator[DataFrame]:
    """A frame that several others are made of: computed once, kept on the executors' disks, let go at the end."""
    frame.persist(StorageLevel.DISK_ONLY)
    try:
        yield forget_origin(frame)
    finally:
        frame.unpersist()


def forget_origin(frame: DataFrame) -> DataFrame:
    """The same kept rows as a frame that begins with them.

    Spark analyses all that a frame was ever made of, anew at each step that is made of it, although the rows are
    there: a third of the driver's time. PySpark has no name for this; what is called here is what `cache` does itself.
    """
    spark = frame.sparkSession
    execution = frame._jdf.queryExecution()  # noqa: SLF001
    dataset = spark._jvm.org.apache.spark.sql.classic.Dataset  # type: ignore[union-attr]  # noqa: SLF001
    return DataFrame(dataset.ofRows(spark._jsparkSession, execution.withCachedData()), spark)  # noqa: SLF001


@contextmanager
def roll_up(
    records: DataFrame, tally: DataFrame, request: Request, survey: Survey
) -> Iterator[tuple[Summaries, list[Flow], int]]:
    """The summaries, who sent how much to whom, and how many records were duplicates.

    Duplicates are rare, and to look for them by name is dear: first all records are measured as they are, which
    shows where any may be; only if there are, they are dropped and what is left is measured again.
    """
    with ExitStack() as stack:
        accepted = records.where("reject_reason is null")
        slices = stack.enter_context(kept(cut(accepted, request, survey)))
        suspected = slices.where("repeats > 0")
        duplicates = 0
        if suspected.head(1):
            accepted = stack.enter_context(kept(drop_duplicates(accepted, suspected)))
            tally = stack.enter_context(kept(tally_records(accepted)))
            single = take_survey(tally)
            duplicates = survey.accepted - single.accepted
            if duplicates:
                slices = stack.enter_context(kept(cut(accepted, request, single)))
                survey = single
        timeline = build_timeline(slices)
        count = count_slices(survey.largest_window)
        if count > 1:
            tasks = count_tasks(survey.accepted)
            timeline = measure_cut_windows(accepted, timeline, request.window_ns, count, tasks)
        shares = count_shares(tally)
        flows = [Flow(*row) for row in count_flows(shares).collect()]
        operators = summarise_operators(timeline, shares, request.window_seconds)
        yield (
            Summaries(operators, summarise_topologies(accepted, shares, request.window_ns)),
            flows,
            duplicates,
        )


def cut(accepted: DataFrame, request: Request, survey: Survey) -> DataFrame:
    slices = count_slices(survey.largest_window)
    return measure_slices(accepted, request.window_ns, slices, count_tasks(survey.accepted))


def explain(error: BaseException) -> str:
    """The first line: Spark's messages go on for pages."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def read_day(given: str) -> date:
    """An ISO date, or `yesterday` (in UTC), for cron."""
    if given in {"yesterday", "today"}:
        return datetime.now(UTC).date() - timedelta(days=given == "yesterday")
    try:
        return date.fromisoformat(given)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{given!r} is no day: write 2026-11-18, or yesterday") from error


def read_share(given: str) -> float:
    """`5%` or `0.05`."""
    try:
        share = float(given[:-1]) / 100 if given.endswith("%") else float(given)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{given!r} is no share: write 5% or 0.05") from error
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{given} must lie between 0 and 100%")
    return share


def read_window(given: str) -> int:
    """Whole seconds, up to a day."""
    if not given.isdecimal() or not 1 <= int(given) <= 86_400:
        raise argparse.ArgumentTypeError(f"{given!r} must be whole seconds between 1 and 86400")
    return int(given)


def ingest(database_url: str, request: Request, master: str | None) -> int:
    """Runs it, and says how it ended: one line, and an exit code."""
    spark = open_session(master)
    try:
        print(run_ingest(spark, database_url, request))  # noqa: T201  # the one line that is the answer
    except (SourceNotFound, TooManyRejected) as error:
        log.error("%s", error)  # noqa: TRY400  # not a fault of the code: the trace would say nothing
        return UNUSABLE
    except (PySparkException, Py4JError, RunDoesNotAddUp) as error:
        log.error("%s", explain(error))  # noqa: TRY400  # likewise
        return FAILED
    finally:
        spark.stop()
    return DONE


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="headgate ingest", description=__doc__)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--date", type=read_day)
    parser.add_argument("--window-seconds", type=read_window, default=60)
    parser.add_argument("--max-rejected", type=read_share, default=0.05)
    parser.add_argument("--master", help="without it, what spark-submit says")
    parser.add_argument("--database-url", default=os.environ.get("HEADGATE_DATABASE_URL"))
    given = parser.parse_args(arguments)
    if given.database_url is None:
        parser.error("--database-url or HEADGATE_DATABASE_URL must say where to write")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    request = Request(tuple(given.paths), given.date, given.window_seconds, given.max_rejected)
    return ingest(given.database_url, request, given.master)


if __name__ == "__main__":
    sys.exit(main())
