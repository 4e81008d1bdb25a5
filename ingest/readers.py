"""Files of any format -> raw records: one row per record with its fields as found, and its place in its file."""

from collections import defaultdict
from collections.abc import Iterable

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.json_lines import has_number_times, read_json_lines
from ingest.raw_records import (
    BYTE_ORDER_MARK,
    CORRUPT,
    FIELDS,
    LINE_LENGTH,
    UNREAD,
    have_no_place,
    read_lines,
    select_raw,
)
from ingest.session import shares_python
from ingest.sources import Sources

UNUSED = "unused_"
NO_HEADER = "the first line of the CSV is no header with known field names"
OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def read_records(spark: SparkSession, sources: Sources) -> list[DataFrame]:
    """One frame per format and schema, with the FIELDS that the files have and POSITION.

    `row` grows by one from line to line within a block, which is the part of a file that one task reads. `is_record` is
    false for blank lines and CSV headers; it is found without parsing, since Spark would parse each line twice if a
    condition needed it. `broken` is the fault of an unreadable record, else null.
    """
    frames = []
    if sources.json:
        numbers = has_number_times(find_first_line(spark, list(sources.json)))
        frames.append(read_json_lines(read_lines(spark, sources.json), times_are_numbers=numbers))
    return [*frames, *read_tables(spark, sources)]


def read_quickly(spark: SparkSession, sources: Sources) -> list[DataFrame]:
    """The same records without their places, read by a quicker parser; lines that it cannot read are in `unread`."""
    plain = read_plain_json(spark, sources.json) if sources.json and shares_python(spark) else None
    return read_records(spark, sources) if plain is None else [plain, *read_tables(spark, sources)]


def read_tables(spark: SparkSession, sources: Sources) -> list[DataFrame]:
    """The records of CSV and Parquet files."""
    csv = read_csv_lines(spark, sources.csv) if sources.csv else []
    return [*csv, *(read_parquet(spark, sources.parquet) if sources.parquet else [])]


def read_plain_json(spark: SparkSession, files: Iterable[str]) -> DataFrame | None:
    """Reads plain JSON lines by a quicker parser; None where the first line is not plain."""
    # Imported here, because the driver of a cluster may have no pyarrow.
    from ingest.plain_lines import COLUMNS, can_read, read_plain_lines  # noqa: PLC0415

    files = list(files)
    if not can_read(find_first_line(spark, files)):
        return None
    fields = spark.read.text(files).mapInArrow(read_plain_lines, COLUMNS)
    broken = F.when(F.col(UNREAD).isNotNull(), UNREAD).alias("broken")
    line = F.lit(None).cast("string").alias("line")
    return fields.select(*FIELDS, *have_no_place(), line, F.lit(col=True).alias("is_record"), broken, UNREAD)


def read_rest(unread: DataFrame) -> DataFrame:
    """The records of the lines in `unread`."""
    text = F.ltrim(F.col(UNREAD), F.lit(BYTE_ORDER_MARK)).alias("text")
    return read_json_lines(unread.select(text, *have_no_place()), times_are_numbers=True)


def find_first_line(spark: SparkSession, files: list[str]) -> str:
    """The first line that is not blank; empty where all are."""
    found = spark.read.text(files).where(F.trim("value") != "").head()
    return str(found[0]).lstrip(BYTE_ORDER_MARK) if found else ""


def read_csv_lines(spark: SparkSession, files: tuple[str, ...]) -> list[DataFrame]:
    """One frame per header: Spark finds fields by position, so only files with equal headers can be read together."""
    lines = read_lines(spark, files)
    starts = lines.where("block_start = 0").groupBy("file").agg(F.min_by("text", "row").alias("header"))
    files_by_header: defaultdict[str, list[str]] = defaultdict(list)
    for file, header in starts.collect():
        files_by_header[header].append(file)
    return [
        parse_csv(lines.where(F.col("file").isin(names)), header) for header, names in files_by_header.items()
    ]


def split_header(header: str, delimiter: str = ",") -> list[str]:
    return [name.strip().strip('"').strip() for name in header.split(delimiter)]


def find_header_fault(header: str) -> str | None:
    """Why no line below this header can be read: a delimiter other than a comma, or no known field name."""
    known = {mark: len(set(FIELDS) & set(split_header(header, mark))) for mark in (",", *OTHER_DELIMITERS)}
    best = max(known, key=lambda mark: known[mark])
    if known[best] > known[","]:
        return f"the CSV header is separated by {OTHER_DELIMITERS[best]}, not by commas"
    return None if known[","] else NO_HEADER


def parse_csv(lines: DataFrame, header: str) -> DataFrame:
    is_header = (F.col("block_start") == 0) & (F.col("text") == header)
    if fault := find_header_fault(header):
        return select_raw(lines, F.lit(fault), [], is_record=True if fault == NO_HEADER else ~is_header)
    names = split_header(header)
    columns = [name if name in FIELDS else f"{UNUSED}{place}" for place, name in enumerate(names)]
    schema = ", ".join(f"{name} string" for name in (*columns, CORRUPT))
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT, "escape": '"'}
    parsed = lines.withColumn("record", F.from_csv("text", F.lit(schema), options))
    broken = F.when(~F.is_valid_utf8("text"), "not valid UTF-8").when(
        F.col("record").isNull() | F.col(f"record.{CORRUPT}").isNotNull(),
        "not the fields of the CSV header",
    )
    fields = [F.col(f"record.{column}") for column in columns if column in FIELDS]
    return select_raw(parsed, broken, fields, is_record=~is_header)


def read_parquet(spark: SparkSession, files: tuple[str, ...]) -> list[DataFrame]:
    """All files as one frame, or one frame per schema where the types of a column differ."""
    try:
        return [read_parquet_rows(spark, files)]
    except (PySparkException, Py4JJavaError) as error:
        if "CANNOT_MERGE" not in str(error):
            raise
    by_schema: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        by_schema[spark.read.parquet(file).schema.json()].append(file)
    return [read_parquet_rows(spark, alike) for alike in by_schema.values()]


def read_parquet_rows(spark: SparkSession, files: Iterable[str]) -> DataFrame:
    """Fields keep the types of the files; `row` is the row's number in its file."""
    rows = spark.read.option("mergeSchema", "true").parquet(*files)
    present = [field for field in FIELDS if field in rows.columns]
    line = F.to_json(F.struct(*present)) if present else F.lit("{}")
    return rows.select(
        *present,
        F.col("_metadata.file_path").alias("file"),
        F.lit(0).cast("long").alias("block_start"),
        F.col("_metadata.row_index").alias("row"),
        F.substring(line, 1, LINE_LENGTH).alias("line"),
        F.lit(col=True).alias("is_record"),
        F.lit(None).cast("string").alias("broken"),
    )
