"""Files of any format -> raw records: one row per record, its fields as found, and where it stood."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import reduce

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.fields import FIELDS, TIMES, UNREAD
from ingest.session import shares_python
from ingest.sources import Sources

POSITION = ("file", "block_start", "row", "line", "is_record", "broken")
LINE = ("text", "file", "block_start", "row")
CORRUPT = "_corrupt_record"
JSON_OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
JSON_TEXTS = ", ".join(f"{field} string" for field in (*FIELDS, CORRUPT))
JSON_NUMBERS = ", ".join(
    f"{field} {'double' if field in TIMES else 'string'}" for field in (*FIELDS, CORRUPT)
)
LINE_LENGTH = 200
UNUSED = "unused_"
BYTE_ORDER_MARK = "\ufeff"
NO_HEADER = "the first line of the CSV is no header with known field names"
OTHER_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def read_records(spark: SparkSession, sources: Sources) -> list[DataFrame]:
    """One frame per format and schema: columns FIELDS (those that the files have) and POSITION.

    `row` numbers the records of a block (a part of a file read by one task): it grows by one from line to line.
    Blank lines and CSV headers are no records, and said so apart: Spark asks before it parses, and would parse twice
    for a condition that needs parsing. `broken` says why the record as a whole is unreadable, where it is.
    """
    frames = []
    if sources.json:
        numbers = has_number_times(find_first_line(spark, list(sources.json)))
        frames.append(read_json_lines(read_lines(spark, sources.json), times_are_numbers=numbers))
    return [*frames, *read_tables(spark, sources)]


def read_quickly(spark: SparkSession, sources: Sources) -> list[DataFrame]:
    """The same for who does not ask where a record stood; what is not read so stands in a column `unread`."""
    plain = read_plain_json(spark, sources.json) if sources.json and shares_python(spark) else None
    return read_records(spark, sources) if plain is None else [plain, *read_tables(spark, sources)]


def read_tables(spark: SparkSession, sources: Sources) -> list[DataFrame]:
    csv = read_csv_lines(spark, sources.csv) if sources.csv else []
    return [*csv, *(read_parquet(spark, sources.parquet) if sources.parquet else [])]


def read_plain_json(spark: SparkSession, files: Iterable[str]) -> DataFrame | None:
    """JSON Lines by a quicker parser, and only what is plain; None where the first line is not."""
    # The only need of pyarrow, which the driver of a cluster may be without.
    from ingest.plain_lines import COLUMNS, can_read, read_plain_lines  # noqa: PLC0415

    files = list(files)
    if not can_read(find_first_line(spark, files)):
        return None
    fields = spark.read.text(files).mapInArrow(read_plain_lines, COLUMNS)
    broken = F.when(F.col(UNREAD).isNotNull(), UNREAD).alias("broken")
    line = F.lit(None).cast("string").alias("line")
    return fields.select(*FIELDS, *have_no_place(), line, F.lit(col=True).alias("is_record"), broken, UNREAD)


def read_rest(unread: DataFrame) -> DataFrame:
    """The records of what was left unread."""
    text = F.ltrim(F.col(UNREAD), F.lit(BYTE_ORDER_MARK)).alias("text")
    return read_json_lines(unread.select(text, *have_no_place()), times_are_numbers=True)


def have_no_place() -> list[Column]:
    """The columns of a place, for records whose place nobody asks for."""
    return [
        F.lit(None).cast(kind).alias(name)
        for name, kind in zip(LINE[1:], ("string", "long", "long"), strict=True)
    ]


def read_json_lines(lines: DataFrame, *, times_are_numbers: bool) -> DataFrame:
    """Read as text, not as JSON: Spark's JSON reader turns a bad field silently into null.

    Where times are numbers, as they mostly are, they are asked for as numbers first, which takes half the time; what
    cannot be read so is read again as texts, in columns `*_text` for the times. What parses has columns of its own, for
    Spark compiles no column that does.
    """
    texts = F.from_json("text", JSON_TEXTS, JSON_OPTIONS)
    if not times_are_numbers:
        whole = F.when(~is_flat(F.col("text")), is_one_object(F.col("text")))
        parsed = lines.withColumns({"record": texts, "is_whole": whole})
        is_read = F.col("record").isNotNull().alias("is_read")
        return name_json_faults(parsed.select(*LINE, "is_whole", is_read, "record.*"), FIELDS)
    quick = lines.withColumn("quick", F.from_json("text", JSON_NUMBERS, JSON_OPTIONS))
    readable = [F.col(f"quick.{time}").isNotNull() for time in TIMES]
    plain = reduce(Column.__and__, readable, is_flat(F.col("text")) & F.col(f"quick.{CORRUPT}").isNull())
    marked = quick.withColumn("plain", F.coalesce(plain, F.lit(col=False)))
    both = marked.withColumns(
        {
            "slow": F.when(~F.col("plain"), texts),
            "is_whole": F.when(~F.col("plain"), is_one_object(F.col("text"))),
        }
    )
    names = [*(field for field in FIELDS if field not in TIMES), CORRUPT]
    parsed = both.select(
        *LINE,
        "is_whole",
        (F.col("plain") | F.col("slow").isNotNull()).alias("is_read"),
        *(
            F.when(F.col("plain"), F.col(f"quick.{name}")).otherwise(F.col(f"slow.{name}")).alias(name)
            for name in names
        ),
        *(F.when(F.col("plain"), F.col(f"quick.{time}")).alias(time) for time in TIMES),
        *(F.col(f"slow.{time}").alias(name_text(time)) for time in TIMES),
    )
    return name_json_faults(parsed, (*FIELDS, *map(name_text, TIMES)))


def name_text(time: str) -> str:
    """The column of a time that is not the number it was asked for as."""
    return f"{time}_text"


def has_number_times(line: str) -> bool:
    """Of one line, and so a guess about the others; it costs time where it is wrong, and nothing else."""
    return re.search(r'"arrived_at"\s*:\s*[0-9]', line) is not None


def find_first_line(spark: SparkSession, files: list[str]) -> str:
    """The first that is not blank, if any is."""
    found = spark.read.text(files).where(F.trim("value") != "").head()
    return str(found[0]).lstrip(BYTE_ORDER_MARK) if found else ""


def name_json_faults(parsed: DataFrame, fields: Iterable[str]) -> DataFrame:
    """`is_whole` is null where nobody needed to look."""
    broken = F.when(~F.is_valid_utf8("text"), "not valid UTF-8").when(
        ~F.col("is_read") | F.col(CORRUPT).isNotNull() | ~F.coalesce("is_whole", F.lit(col=True)),
        "not one JSON object",
    )
    for name in ("topology", "operator", "from_operator"):
        broken = broken.when(~is_json_string(name), f"{name} is not a string")
    for name in ("instance", "tuple_id"):
        looks_nested = F.ascii(name).isin(*map(ord, "{["))
        broken = broken.when(looks_nested & ~is_quoted(name), f"{name} is not a string")
    return select_raw(parsed, broken, map(F.col, fields))


def is_flat(text: Column) -> Column:
    """Whether it closes its first brace at its end: what parses then is one object and nothing else.

    In bytes, for Spark counts its way through a text to cut a character off, which takes half as long as parsing.
    """
    but_last = F.substring(text.cast("binary"), F.lit(1), F.octet_length(text) - 1)
    return text.startswith("{") & text.endswith("}") & ~F.contains(but_last, F.lit(b"}"))


def is_one_object(text: Column) -> Column:
    """Spark's parser stops at the end of the first object: what follows it would vanish without a word.

    So a text that is not flat must be the one element of the array made of it.
    """
    elements = F.from_json(F.concat(F.lit("["), text, F.lit("]")), "array<string>")
    return F.coalesce(text.rlike(r"^\s*\{") & (F.size(elements) == 1), F.lit(col=False))


def is_json_string(name: str) -> Column:
    """Asked for text, Spark gives 7 and "7" alike; what looks like no string is looked up in the line."""
    value = F.col(name)
    first = F.ascii(value)  # asked for with numbers, not with a pattern: this runs for every record
    begins_oddly = first.between(ord("+"), ord("9")) | first.isin(*map(ord, "{["))
    suspicious = begins_oddly | value.isin("true", "false")
    return F.coalesce(~suspicious | is_quoted(name), F.lit(col=True))


def is_quoted(name: str) -> Column:
    return F.col("text").rlike(rf'"{name}"\s*:\s*"')


def read_csv_lines(spark: SparkSession, files: tuple[str, ...]) -> list[DataFrame]:
    """Files of equal headers are read together: Spark goes by position, and takes one header for all."""
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
    """Why no line under this header can be read: another delimiter than a comma, or no name that is known."""
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


def read_lines(spark: SparkSession, files: Iterable[str]) -> DataFrame:
    """Lines with their place; empty lines are no records, though they count in line numbers."""
    return spark.read.text(list(files)).select(
        F.ltrim(F.col("value"), F.lit(BYTE_ORDER_MARK)).alias("text"),
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_block_start").alias("block_start"),
        F.monotonically_increasing_id().alias("row"),
    )


def select_raw(
    parsed: DataFrame, broken: Column, fields: Iterable[Column], *, is_record: Column | bool = True
) -> DataFrame:
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


def read_parquet(spark: SparkSession, files: tuple[str, ...]) -> list[DataFrame]:
    """All files as one frame, or, where their types contradict each other, a frame per schema."""
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
