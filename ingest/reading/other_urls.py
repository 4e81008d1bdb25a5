"""Judges files that only Spark can read, such as files in an object store, by the same rules."""

import pickle
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark import RDD, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.reading.columns import connect
from ingest.reading.judge import FIELDS
from ingest.reading.parquet_rows import judge_rows
from ingest.reading.records import Judged
from ingest.reading.sources import GLOB_CHARACTERS, LogFile
from ingest.reading.text_lines import judge_csv, judge_json

Judge = Callable[[str, int, pa.Table], Judged]
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # Spark has no type for Parquet's timestamps in nanoseconds: they are read as integers.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.execution.arrow.maxBytesPerBatch": "32m",
}


def read_by_spark(context: SparkContext, files: Iterable[LogFile]) -> list[RDD[Judged]]:
    """The judged records of files that only Spark can read."""
    spark = SparkSession(context)
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        paths[file.format].append(GLOB_CHARACTERS.sub(r"\\\1", file.path))
    read = {"json": read_json, "csv": read_csv, "parquet": read_parquet}
    return [judged for kind, given in paths.items() for judged in read[kind](spark, given)]


def read_json(spark: SparkSession, paths: list[str]) -> Iterator[RDD[Judged]]:
    yield judge_frame(
        read_lines(spark, paths), lambda file, begin, rows: judge_json(file, begin, join_lines(rows))
    )


def read_csv(spark: SparkSession, paths: list[str]) -> Iterator[RDD[Judged]]:
    lines = read_lines(spark, paths)
    starts = lines.withColumn("row", F.monotonically_increasing_id()).where("place = 0")
    found = starts.groupBy("file").agg(F.min_by("value", "row")).collect()
    headers = {file: header.lstrip("\ufeff").removesuffix("\r") for file, header in found}
    yield judge_frame(
        lines, lambda file, begin, rows: judge_csv(file, begin, join_lines(rows), headers[file])
    )


def read_lines(spark: SparkSession, paths: list[str]) -> DataFrame:
    return spark.read.text(paths, lineSep="\n").select("value", *find_place())


def find_place() -> tuple[Column, Column]:
    """Two columns of a row: its file, and the place in the file where the row's block begins."""
    return F.col("_metadata.file_path").alias("file"), F.col("_metadata.file_block_start").alias("place")


def join_lines(rows: pa.Table) -> bytes:
    return b"".join(line + b"\n" for line in rows["value"].cast(pa.binary()).to_pylist())


def read_parquet(spark: SparkSession, paths: list[str]) -> Iterator[RDD[Judged]]:
    """Reads Parquet files as one frame, or file by file if the types of a column differ between files."""
    try:
        yield judge_frame(read_rows(spark, paths), judge_numbered)
    except (PySparkException, Py4JJavaError) as error:
        if "CANNOT_MERGE" not in str(error):
            raise
        yield from (judge_frame(read_rows(spark, [path]), judge_numbered) for path in paths)


def read_rows(spark: SparkSession, paths: list[str]) -> DataFrame:
    """The known columns of the rows, with the number of each row in its file."""
    rows = spark.read.parquet(*paths, mergeSchema=True)
    row = F.col("_metadata.row_index").alias("row")
    return rows.select(*(set(FIELDS) & set(rows.columns)), row, *find_place())


def judge_numbered(file: str, _: int, rows: pa.Table) -> Judged:
    return judge_rows(file, rows["row"][0].as_py(), rows)


def judge_frame(frame: DataFrame, judge: Judge) -> RDD[Judged]:
    packed = frame.mapInArrow(partial(judge_batches, judge=judge), "judged binary")
    return packed.rdd.map(lambda row: pickle.loads(row[0]))  # noqa: S301  # judge_batches packed it


def judge_batches(batches: Iterator[pa.RecordBatch], judge: Judge) -> Iterator[pa.RecordBatch]:
    """Judges rows that Spark read, stretch by stretch of one file, and packs the results.

    The number of a block is its place in the file plus the number of its earlier lines. A line has at least one byte,
    so these numbers stay in the order of the file.
    """
    connect()
    before: Counter[tuple[str, int]] = Counter()
    for batch in batches:
        for file, place, rows in split_runs(pa.table(batch)):
            judged = judge(file, place + before[file, place], rows)
            before[file, place] += len(rows)
            packed = pickle.dumps(judged._replace(file=unquote(file)))
            yield pa.record_batch({"judged": pa.array([packed], pa.binary())})


def split_runs(rows: pa.Table) -> Iterator[tuple[str, int, pa.Table]]:
    """Yields the rows of each block, with the block's file and its place in the file."""
    place = rows["place"].to_numpy()
    file = rows["file"].combine_chunks().dictionary_encode().indices.to_numpy()
    ends = np.flatnonzero((np.diff(file) != 0) | (np.diff(place) != 0)) + 1
    for begin, end in zip([0, *ends.tolist()], [*ends.tolist(), len(rows)], strict=True):
        if end > begin:
            yield rows["file"][begin].as_py(), int(place[begin]), rows[begin:end]
