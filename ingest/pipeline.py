"""The passes over a run's records: read and tallied, measured, and measured again if some are duplicates."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.covered_time import find_ends, make_cover, tell_of_ends
from ingest.discovery import SeenFlow
from ingest.parse import parse_records
from ingest.presence import count_present
from ingest.raw_records import UNREAD
from ingest.readers import read_rest
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
from ingest.runs import Request, Totals
from ingest.store import Summaries
from ingest.timeline import (
    WINDOW,
    build_timeline,
    count_slices,
    count_tasks,
    measure_cut_windows,
    measure_slices,
)


class Survey(NamedTuple):
    """What the tally says of all records: counts, reject reasons, and the records in the fullest window."""

    read: int
    reject_reasons: dict[str, int]
    largest_window: int
    has_faulty_name: bool

    @property
    def rejected(self) -> int:
        return sum(self.reject_reasons.values())

    @property
    def accepted(self) -> int:
        """The usable records, duplicates included."""
        return self.read - self.rejected

    def to_totals(self, duplicates: int) -> Totals:
        return Totals(self.read, self.rejected, duplicates, self.reject_reasons)


@contextmanager
def read_log(
    spark: SparkSession, frames: list[DataFrame], request: Request
) -> Iterator[tuple[DataFrame, DataFrame, Survey]]:
    """The kept records, their tally and its survey.

    Names are checked in the tally, which has few of them. If one is faulty, which is rare, all records are parsed again
    with a check of each name. Lines that the quick parser left unread are read afterwards, and their tally is appended,
    so that a key may have two rows.
    """
    for trusts_names in (True, False):
        with ExitStack() as stack:
            records, tally = keep_records(
                stack, parse_records(spark, frames, trusts_names=trusts_names), request
            )
            survey = take_survey(tally)
            if UNREAD in survey.reject_reasons:
                is_read = f"reject_reason is distinct from '{UNREAD}'"
                rest = read_rest(records.where(F.col(UNREAD).isNotNull()))
                events = parse_records(spark, [rest], trusts_names=trusts_names)
                more_records, more_tally = keep_records(stack, events, request)
                records = records.where(is_read).unionByName(more_records, allowMissingColumns=True)
                tally = tally.where(is_read).unionByName(more_tally)
                survey = take_survey(tally)
            if not survey.has_faulty_name:
                yield records.drop(UNREAD), tally, survey
                return


def keep_records(stack: ExitStack, events: DataFrame, request: Request) -> tuple[DataFrame, DataFrame]:
    """The records made of the events, and their tally."""
    stored = stack.enter_context(kept(make_records(keep_day(events, request))))
    records = read_back(stored, request.window_ns)
    return records, stack.enter_context(kept(tally_records(records)))


def keep_day(events: DataFrame, request: Request) -> DataFrame:
    """With a day, only events that arrived on it: the others would replace windows of another day by parts."""
    bounds = request.day_bounds()
    if bounds is None:
        return events
    begin, end = (int(bound.timestamp()) * 1_000_000_000 for bound in bounds)
    inside = (F.col("arrived_ns") >= begin) & (F.col("arrived_ns") < end)
    return events.where(F.col("reject_reason").isNotNull() | inside)


def take_survey(tally: DataFrame) -> Survey:
    """Sums the tally."""
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


@contextmanager
def kept(frame: DataFrame) -> Iterator[DataFrame]:
    """Computes a frame once for several uses, keeps it on the executors' disks, and frees it at the end."""
    frame.persist(StorageLevel.DISK_ONLY)
    try:
        yield forget_origin(frame)
    finally:
        frame.unpersist()


def forget_origin(frame: DataFrame) -> DataFrame:
    """A frame of the same kept rows, without the plan that computed them.

    Spark analyses the whole plan of a frame again for each frame derived from it, although the rows are kept: this took
    a third of the driver's time. PySpark has no public call for it; the one used here is what `cache` uses itself.
    """
    spark = frame.sparkSession
    execution = frame._jdf.queryExecution()  # noqa: SLF001
    dataset = spark._jvm.org.apache.spark.sql.classic.Dataset  # type: ignore[union-attr]  # noqa: SLF001
    return DataFrame(dataset.ofRows(spark._jsparkSession, execution.withCachedData()), spark)  # noqa: SLF001


@contextmanager
def roll_up(
    records: DataFrame, tally: DataFrame, request: Request, survey: Survey
) -> Iterator[tuple[Summaries, list[SeenFlow], int]]:
    """The summaries, the flows between operators, and the number of duplicates.

    Duplicates are rare, and a search by names is slow. So all records are measured first, which shows the windows that
    may hold duplicates. If there are any, they are dropped and the remaining records are measured again.
    """
    with ExitStack() as stack:
        accepted = records.where("reject_reason is null")
        ends = find_ends(count_shares(tally))
        cover = make_cover(records.sparkSession, ends)
        slices = stack.enter_context(kept(cut(accepted, cover, request, survey)))
        suspected = slices.where("repeats > 0")
        duplicates = 0
        if suspected.head(1):
            accepted = stack.enter_context(kept(drop_duplicates(accepted, suspected)))
            tally = stack.enter_context(kept(tally_records(accepted)))
            single = take_survey(tally)
            duplicates = survey.accepted - single.accepted
            if duplicates:
                ends = find_ends(count_shares(tally))
                cover = make_cover(records.sparkSession, ends)
                slices = stack.enter_context(kept(cut(accepted, cover, request, single)))
                survey = single
        count = count_slices(survey.largest_window)
        timeline = build_timeline(slices, request.window_ns, count)
        if count > 1:
            tasks = count_tasks(survey.accepted)
            timeline = measure_cut_windows(accepted, timeline, request.window_ns, count, tasks)
        shares = count_shares(tally)
        flows = [SeenFlow(*row) for row in count_flows(shares).collect()]
        present = count_present(shares, cover, request.window_ns)
        operators = summarise_operators(timeline, present, shares, cover, request.window_ns)
        topologies = summarise_topologies(accepted, shares, cover, request.window_ns)
        yield Summaries(operators, topologies, tuple(tell_of_ends(ends))), flows, duplicates


def cut(accepted: DataFrame, cover: DataFrame, request: Request, survey: Survey) -> DataFrame:
    slices = count_slices(survey.largest_window)
    tasks = count_tasks(survey.accepted)
    return measure_slices(accepted, cover, request.window_ns, slices=slices, tasks=tasks)
