"""Rejected records: the line of each in its file, and its reject reason."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

MOST_STORED = 100_000


def find_rejects(events: DataFrame, lines: DataFrame) -> DataFrame:
    """File, line number, reason and text of the first MOST_STORED rejected records.

    The blocks of a file are read in parallel: a line's number is the number of lines in all earlier blocks plus its
    place in its own block.
    """
    before = Window.partitionBy("file").orderBy("block_start").rowsBetween(Window.unboundedPreceding, -1)
    starts = lines.withColumn("before", F.coalesce(F.sum("records").over(before), F.lit(0)))
    rejected = events.where("reject_reason is not null").join(
        F.broadcast(starts), ["file", "block_start"], "left"
    )
    number = F.col("before") + F.col("row") - F.col("first_row") + 1
    return (
        rejected.select("file", number.alias("line_number"), "reject_reason", "line")
        .orderBy("file", "line_number")
        .limit(MOST_STORED)
    )


def count_lines(records: list[DataFrame]) -> DataFrame:
    """The number of lines of each block, blank ones included, and the `row` of its first line."""
    counted = [
        frame.groupBy("file", "block_start").agg(
            F.count("*").alias("records"), F.min("row").alias("first_row")
        )
        for frame in records
    ]
    counts = counted[0]
    for more in counted[1:]:
        counts = counts.unionByName(more)
    return counts
