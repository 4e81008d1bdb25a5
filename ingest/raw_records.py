"""A raw record: the fields that are read, the line it stood on, and why it is unreadable if it is."""

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

FIELDS = (
    "topology",
    "operator",
    "instance",
    "tuple_id",
    "from_operator",
    "arrived_at",
    "started_at",
    "finished_at",
    "sample_every",
    "sampling",
)
EVERY_NTH, RANDOM = "every-nth", "random"
TIMES = ("arrived_at", "started_at", "finished_at")
# A column with lines that are not read yet; the same word is their reject reason until they are read.
UNREAD = "unread"
POSITION = ("file", "block_start", "row", "line", "is_record", "broken")
LINE = ("text", "file", "block_start", "row")
CORRUPT = "_corrupt_record"
LINE_LENGTH = 200
BYTE_ORDER_MARK = "\ufeff"


def read_lines(spark: SparkSession, files: Iterable[str]) -> DataFrame:
    """All lines with their places. Empty lines are kept, since they count in line numbers."""
    return spark.read.text(list(files)).select(
        F.ltrim(F.col("value"), F.lit(BYTE_ORDER_MARK)).alias("text"),
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_block_start").alias("block_start"),
        F.monotonically_increasing_id().alias("row"),
    )


def select_raw(
    parsed: DataFrame, broken: Column, fields: Iterable[Column], *, is_record: Column | bool = True
) -> DataFrame:
    """The fields and POSITION; a long line is cut off."""
    line = F.when(F.length("text") > LINE_LENGTH, F.concat(F.substring("text", 1, LINE_LENGTH), F.lit("…")))
    return parsed.select(
        *fields,
        "file",
        "block_start",
        "row",
        F.coalesce(line, F.col("text")).alias("line"),
        ((F.trim("text") != "") & is_record).alias("is_record"),
        broken.alias("broken"),
    )


def have_no_place() -> list[Column]:
    """Empty columns for the place of a record, where the place is not needed."""
    return [
        F.lit(None).cast(kind).alias(name)
        for name, kind in zip(LINE[1:], ("string", "long", "long"), strict=True)
    ]
