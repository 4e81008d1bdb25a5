"""The time that a run's log covers of each topology; the first and the last window are seldom covered completely."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.runs import RunDiagnosticRow

# The mean gap at an end of a log is that of so many arrivals; the rate in the middle of the log may differ.
END_ARRIVALS = 11
COVER = ("operator_id", "topology_id", "begin_ns", "end_ns")


@dataclass(frozen=True, slots=True)
class Ends:
    """The first and the last arrivals of a topology in a run, and how its records were sampled."""

    topology: str
    topology_id: int
    operator_ids: list[int]
    first_ns: int
    last_ns: int
    arrivals: int
    span_ns: int
    head_ns: int
    head_arrivals: int
    tail_ns: int
    tail_arrivals: int
    sampled: int
    thinned: int

    def find_cover(self) -> tuple[int, int] | None:
        """From one mean gap before the first arrival to one mean gap after the last; None where there is no gap.

        If n arrivals are uniform over an unknown interval, the first is on average one mean gap after the interval's
        beginning, and the last one mean gap before its end: (n + 1) / (n − 1) times their distance is an unbiased
        estimate of its length. At an end where all arrivals have one time (a batch), the mean gap of the whole log
        is used.
        """
        if self.arrivals < 2 or self.span_ns <= 0:
            return None
        usual = self.span_ns // (self.arrivals - 1)
        before = self.head_ns // (self.head_arrivals - 1) if self.head_ns > 0 else usual
        after = self.tail_ns // (self.tail_arrivals - 1) if self.tail_ns > 0 else usual
        return self.first_ns - max(1, before), self.last_ns + max(1, after)


def find_ends(shares: DataFrame) -> list[Ends]:
    """The ends of each topology's log. Gaps are those between tuples from outside, since derived tuples arrive in
    clusters; a topology without tuples from outside uses the gaps between all arrivals.
    """
    marked = mark_ends(count_arrivals(shares))
    found = marked.groupBy("topology").agg(
        F.first(F.xxhash64("topology")),
        F.array_distinct(F.flatten(F.collect_list("operator_ids"))),
        F.min("first"),
        F.max("last"),
        F.sum("n"),
        F.max("n_last") - F.min("n_first"),
        span("in_head"),
        F.sum(F.when(F.col("in_head"), F.col("n"))),
        span("in_tail"),
        F.sum(F.when(F.col("in_tail"), F.col("n"))),
        F.sum("sampled"),
        F.sum("thinned"),
    )
    return [Ends(*row) for row in found.collect()]


def count_arrivals(shares: DataFrame) -> DataFrame:
    """Per topology and window: all arrivals and those from outside, with the first and the last of each."""
    from_outside = F.col("from_operator").isNull()
    return shares.groupBy("topology", "window").agg(
        F.collect_set("operator_id").alias("operator_ids"),
        F.min("first_ns").alias("first"),
        F.max("last_ns").alias("last"),
        F.sum("tuples").alias("all"),
        F.sum(F.when(from_outside, F.col("tuples")).otherwise(0)).alias("outside"),
        F.min(F.when(from_outside, F.col("first_ns"))).alias("outside_first"),
        F.max(F.when(from_outside, F.col("last_ns"))).alias("outside_last"),
        F.sum("sampled").alias("sampled"),
        F.sum("thinned").alias("thinned"),
    )


def mark_ends(windows: DataFrame) -> DataFrame:
    """Chooses which arrivals count, and marks the windows that hold the first and the last END_ARRIVALS of them."""
    topology = Window.partitionBy("topology")
    has_outside = F.sum("outside").over(topology) > 0
    counted = windows.withColumns(
        {
            "n": F.when(has_outside, F.col("outside")).otherwise(F.col("all")),
            "n_first": F.when(has_outside, F.col("outside_first")).otherwise(F.col("first")),
            "n_last": F.when(has_outside, F.col("outside_last")).otherwise(F.col("last")),
        }
    )
    so_far = (Window.unboundedPreceding, Window.currentRow)
    in_head = F.sum("n").over(topology.orderBy("window").rowsBetween(*so_far)) - F.col("n") < END_ARRIVALS
    in_tail = F.sum("n").over(topology.orderBy(F.desc("window")).rowsBetween(*so_far)) - F.col("n")
    return counted.withColumns({"in_head": in_head, "in_tail": in_tail < END_ARRIVALS})


def span(marked: str) -> Column:
    """The time between the first and the last arrival in the windows that are marked."""
    inside = F.col(marked)
    return F.max(F.when(inside, F.col("n_last"))) - F.min(F.when(inside, F.col("n_first")))


def make_cover(spark: SparkSession, ends: Iterable[Ends]) -> DataFrame:
    """A row of COVER per operator; none for a topology whose covered time is not known."""
    rows = [
        dict(zip(COVER, (operator_id, one.topology_id, *cover), strict=True))
        for one in ends
        if (cover := one.find_cover()) is not None
        for operator_id in one.operator_ids
    ]
    # JSON, because Spark reads a list of rows with a Python worker, and the executors of a cluster have no Python.
    kind = ", ".join(f"{name}: bigint" for name in COVER)
    return spark.sql(
        f"SELECT inline(from_json(:rows, 'array<struct<{kind}>>'))",
        args={"rows": json.dumps(rows)},
    )


def cover_window(window_ns: int) -> Column:
    """The seconds of a row's window that the log covers; null where they are not known."""
    begin = F.col("window") * window_ns
    inside = F.least(begin + window_ns, "end_ns") - F.greatest(begin, "begin_ns")
    return F.when(F.col("end_ns").isNotNull(), inside / 1e9)


def tell_of_ends(ends: Iterable[Ends]) -> list[RunDiagnosticRow]:
    """Notes about topologies whose covered time is not known, or whose records were sampled in two ways."""
    notes = []
    for one in ends:
        if one.find_cover() is None:
            found = "one arrival alone" if one.arrivals < 2 else "all arrivals at one time"
            detail = (
                f"The log holds {found}, and what time it covers is not known: rates are tuples per whole window, and "
                "processors the instances seen."
            )
            notes.append(RunDiagnosticRow("coverage-unknown", one.topology, detail))
        if 0 < one.thinned < one.sampled:
            detail = (
                f"Of {one.sampled} sampled records {one.thinned} were taken at random, the others every n-th: windows "
                "in which an operator has both have no arrival_scv."
            )
            notes.append(RunDiagnosticRow("sampling-mixed", one.topology, detail))
    return notes
