"""Raw records -> events: every field typed, or a `reject_reason`.

Times are whole nanoseconds since the epoch, so that differences are exact and the order of summation changes no mean.
Doubles are 0.24 µs apart at today's epoch. The double nearest to a whole microsecond stands for that microsecond (a
writer of 1763424000.123456 meant it); any other double is rounded to the nearest nanosecond.
"""

from collections.abc import Iterable
from functools import partial, reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages
from pyspark.sql import types as T  # noqa: N812  # likewise

from ingest.json_lines import name_text
from ingest.raw_records import EVERY_NTH, FIELDS, LINE_LENGTH, RANDOM, TIMES, UNREAD

NANOS_PER_SECOND = 1_000_000_000
YEAR_2200_SECONDS = 7_258_118_400.0
LEAST_NANOS = 10**17  # no epoch seconds lie here: an integer this large is a Parquet timestamp of nanoseconds
MAX_NAME_LENGTH = 200
MAX_SAMPLE_EVERY = 1e6
REQUIRED_NAMES = ("topology", "operator", "instance", "tuple_id")
NAMES = (*REQUIRED_NAMES, "from_operator")
SHOWN = ("topology", "operator", "instance", "from_operator")
ADDRESSED = ("topology", "operator", "from_operator")
# ASCII without space, slash and backslash; small letters stand first, as the most frequent. `\z`, because `$` would
# also match before a line feed at the end.
PLAIN_NAMES = r"^[\]-~0-\[!-.]*\z"
UNPRINTABLE = r"[\p{C}\p{Zl}\p{Zp}]|[\p{Zs}&&[^ ]]"
ISO_DATE_TIME = r"^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?"
ISO_ZONE = r" ?([Zz]|[+-]\d\d(:?\d\d)?)$"


def parse_records(
    spark: SparkSession, frames: Iterable[DataFrame], *, trusts_names: bool = False
) -> DataFrame:
    """Columns: the names, `*_ns`, `sample_every`, `is_random`, `reject_reason`, `file`, `block_start`, `row`, `line`,
    and `unread` where a frame has it.

    A run has millions of records and few names. With `trusts_names` the names are not checked here but once in the
    tally; if one `has_faulty_name`, the records must be parsed again without `trusts_names`.
    """
    nothing = spark.createDataFrame(
        [], "file string, block_start long, row long, line string, is_record boolean, broken string"
    )
    return reduce(
        partial(DataFrame.unionByName, allowMissingColumns=True),
        [parse_frame(frame, trusts_names=trusts_names) for frame in (list(frames) or [nothing])],
    )


def parse_frame(raw: DataFrame, *, trusts_names: bool) -> DataFrame:
    """The records of one frame, typed."""
    types = {field.name: field.dataType for field in raw.schema.fields}
    for field in FIELDS:
        if field not in types:
            raw, types[field] = raw.withColumn(field, F.lit(None).cast("string")), T.StringType()
    texts = [name_text(time) for time in TIMES if name_text(time) in types]
    typed = raw.where("is_record").select(
        *(parse_name(name, types[name]).alias(name) for name in NAMES),
        *(read_time(time, types).alias(nanos_name(time)) for time in TIMES),
        *TIMES,
        *texts,
        parse_sample(F.col("sample_every")).alias("sample_every"),
        parse_sampling(F.col("sampling").cast("string")).alias("is_random"),
        "file",
        "block_start",
        "row",
        "line",
        "broken",
        *(name for name in (UNREAD,) if name in types),
    )
    rejected = typed.withColumn("reject_reason", find_reason(types, trusts_names=trusts_names))
    shown = F.when(F.col("reject_reason").isNotNull(), show_line(F.col("line"))).alias("line")
    return rejected.drop("broken", *TIMES, *texts).withColumn("line", shown)


def nanos_name(time: str) -> str:
    return time.removesuffix("_at") + "_ns"


def parse_name(name: str, kind: T.DataType) -> Column:
    """The name as text; an empty `from_operator` becomes null, since CSV cannot write a missing value otherwise."""
    text = F.col(name) if isinstance(kind, T.StringType) else F.col(name).cast("string")
    return F.nullif(text, F.lit("")) if name == "from_operator" else text


def read_time(time: str, types: dict[str, T.DataType]) -> Column:
    """The time in nanoseconds, from its column or, where that is null, from the column with its text."""
    parsed = parse_time(F.col(time), types[time])
    text = name_text(time)
    return F.coalesce(parsed, parse_time(F.col(text), types[text])) if text in types else parsed


def parse_time(value: Column, kind: T.DataType) -> Column:
    """Nanoseconds since the epoch; null where the value is not a time between 1970 and 2200."""
    if isinstance(kind, (T.TimestampType, T.TimestampNTZType)):
        return F.unix_micros(value.cast("timestamp")) * 1000
    if isinstance(kind, T.LongType):
        nanos = F.when(value < int(YEAR_2200_SECONDS) * NANOS_PER_SECOND, value)
        return F.when(value >= LEAST_NANOS, nanos).otherwise(convert_seconds(value.cast("double")))
    if isinstance(kind, T.NumericType):
        return convert_seconds(value.cast("double"))
    if isinstance(kind, T.StringType):
        return F.coalesce(convert_seconds(value.try_cast("double")), convert_iso(value))
    return F.lit(None).cast("long")


def convert_seconds(seconds: Column) -> Column:
    # `rint`, because `round` converts to BigDecimal and takes twenty times as long.
    kept = F.when((seconds >= 0) & (seconds < YEAR_2200_SECONDS), seconds)
    micros, whole = F.rint(kept * 1e6), F.floor(kept)
    nanos = whole * NANOS_PER_SECOND + F.rint((kept - whole) * 1e9).cast("long")
    return F.when(micros / 1e6 == kept, micros.cast("long") * 1000).otherwise(nanos)


def convert_iso(text: Column) -> Column:
    """Nanoseconds of an ISO 8601 text with a zone; Spark reads microseconds, further digits are added."""
    micros = F.unix_micros(F.upper(text).try_cast("timestamp"))
    finer = F.rpad(F.regexp_extract(text, r"\.\d{6}(\d{1,3})", 1), 3, "0").cast("long")
    return F.when(text.rlike(ISO_DATE_TIME + ISO_ZONE) & (micros >= 0), micros * 1000 + finer)


def parse_sample(value: Column) -> Column:
    """1 where the value is missing; null where it is not a whole number from 1 to MAX_SAMPLE_EVERY."""
    number = F.when(F.trim(value.cast("string")) == "", F.lit(1.0)).otherwise(value.try_cast("double"))
    whole = F.when((number >= 1) & (number <= MAX_SAMPLE_EVERY) & (F.floor(number) == number), number)
    return F.when(value.isNull(), F.lit(1).cast("long")).otherwise(whole.cast("long"))


def parse_sampling(value: Column) -> Column:
    """True for random sampling, false for every n-th tuple and for a missing value; null for any other text."""
    return F.when(F.coalesce(value, F.lit("")).isin("", EVERY_NTH), F.lit(col=False)).when(
        value == RANDOM, F.lit(col=True)
    )


def find_reason(types: dict[str, T.DataType], *, trusts_names: bool) -> Column:
    """Null for a usable record; else the first fault, in the order of the fields.

    Nearly all records are usable, so a quick check of that comes first: this runs for every record.
    """
    faults = (
        F.col("broken"),
        *(find_name_fault(name) for name in NAMES),
        *(find_time_fault(time, types) for time in TIMES),
        F.when(F.col("started_ns") < F.col("arrived_ns"), "started_at is before arrived_at"),
        F.when(F.col("finished_ns") < F.col("started_ns"), "finished_at is before started_at"),
        F.when(
            F.col("sample_every").isNull(),
            f"sample_every is not a whole number between 1 and {MAX_SAMPLE_EVERY:.0f}",
        ),
        F.when(F.col("is_random").isNull(), f"sampling is neither {EVERY_NTH} nor {RANDOM}"),
    )
    usable = is_plainly_usable() if trusts_names else is_plainly_usable() & has_plain_names()
    return F.when(~F.coalesce(usable, F.lit(col=False)), F.coalesce(*faults))


def has_plain_names() -> Column:
    """A quick check that is false for some good names too; those are then checked one by one."""
    shown = F.concat("topology", "operator", "instance", F.coalesce("from_operator", F.lit("")))
    return ~F.col("topology").isin(".", "..") & shown.rlike(PLAIN_NAMES)


def has_faulty_name() -> Column:
    """Whether one of the names in SHOWN has a fault."""
    return reduce(Column.__or__, [find_name_fault(name).isNotNull() for name in SHOWN])


def is_plainly_usable() -> Column:
    """True for records that are usable if the characters of their names are; checks the lengths of names too."""
    lengths = [F.octet_length(name).between(1, MAX_NAME_LENGTH) for name in REQUIRED_NAMES]
    conditions = (
        F.col("broken").isNull(),
        F.col("arrived_ns") <= F.col("started_ns"),
        F.col("started_ns") <= F.col("finished_ns"),
        F.col("sample_every").isNotNull(),
        F.col("is_random").isNotNull(),
        *lengths,
        F.coalesce(F.octet_length("from_operator"), F.lit(1)) <= MAX_NAME_LENGTH,
    )
    return reduce(Column.__and__, conditions)


def find_name_fault(name: str) -> Column:
    """The rules of the service, since names of topologies and operators become parts of addresses and answers."""
    value = F.col(name)
    fault = F.when(~F.is_valid_utf8(value), "not valid UTF-8").when(F.trim(value) == "", f"{name} is empty")
    fault = fault.when(
        F.length(value) > MAX_NAME_LENGTH, f"{name} is longer than {MAX_NAME_LENGTH} characters"
    )
    if name != "tuple_id":  # it is never shown
        fault = fault.when(value.rlike(UNPRINTABLE), f"{name} holds control characters")
    if name in ADDRESSED:
        fault = fault.when(value.rlike(r"^\s|\s$"), f"{name} begins or ends with white space")
    if name == "topology":
        fault = fault.when(value.rlike(r"[/\\]|^\.\.?$"), "topology holds a slash or is dots alone")
    return F.when(value.isNull(), f"{name} is missing").otherwise(fault) if name in REQUIRED_NAMES else fault


def find_time_fault(time: str, types: dict[str, T.DataType]) -> Column:
    """Null for a time that was read, else the fault of its text."""
    text = name_text(time)
    raw = F.col(time).cast("string")
    raw = F.coalesce(raw, F.col(text)) if text in types else raw
    is_text = text in types or isinstance(types[time], T.StringType)
    number = raw.try_cast("double")
    fault = (
        F.when(raw.isNull() | (F.trim(raw) == ""), f"{time} is missing")
        .when(F.isnan(number) | (F.abs(number) == float("inf")), f"{time} is not finite")
        .when(raw.rlike('^"?(NaN|[-+]?Inf(inity)?)"?$'), f"{time} is not finite")
        .when(number.isNotNull(), f"{time} is no second between 1970 and 2200")
        .when(raw.rlike(ISO_DATE_TIME + "$") & F.lit(is_text), f"{time} has no time zone")
        .otherwise(f"{time} is not a time")
    )
    return F.when(F.col(nanos_name(time)).isNull(), fault)


def show_line(line: Column) -> Column:
    """The line as Postgres can store it: valid UTF-8, without NUL."""
    return F.substring(F.translate(F.make_valid_utf8(line), "\x00", ""), 1, LINE_LENGTH + 1)
