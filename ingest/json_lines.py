"""JSON lines -> raw records, by Spark's parser."""

import re
from collections.abc import Iterable
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # as in all of PySpark's own pages

from ingest.raw_records import CORRUPT, FIELDS, LINE, TIMES, select_raw

JSON_OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
JSON_TEXTS = ", ".join(f"{field} string" for field in (*FIELDS, CORRUPT))
JSON_NUMBERS = ", ".join(
    f"{field} {'double' if field in TIMES else 'string'}" for field in (*FIELDS, CORRUPT)
)


def read_json_lines(lines: DataFrame, *, times_are_numbers: bool) -> DataFrame:
    """Parses lines that were read as text: Spark's JSON reader turns a bad field silently into null.

    If `times_are_numbers`, a line is first parsed with times as numbers, which takes half the time. A line that cannot
    be parsed so is parsed again with all fields as texts, and its times stand in columns `*_text`. Each parser call is
    a column of its own, since Spark does not compile a column that contains one.
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
    """The column with the text of a time that could not be read as a number."""
    return f"{time}_text"


def has_number_times(line: str) -> bool:
    """Whether the times of a line are numbers. One line decides for all; a wrong guess only costs time."""
    return re.search(r'"arrived_at"\s*:\s*[0-9]', line) is not None


def name_json_faults(parsed: DataFrame, fields: Iterable[str]) -> DataFrame:
    """Adds `broken`, the first fault of a line as a whole; `is_whole` is null for a line that is surely one object."""
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
    """Whether the only closing brace is the last character: a text that parses is then one object and nothing else.

    Bytes are compared, since cutting a character off a text takes Spark half as long as parsing the text.
    """
    but_last = F.substring(text.cast("binary"), F.lit(1), F.octet_length(text) - 1)
    return text.startswith("{") & text.endswith("}") & ~F.contains(but_last, F.lit(b"}"))


def is_one_object(text: Column) -> Column:
    """Whether the text is one object. Spark's parser stops after the first object and ignores what follows.

    The text is therefore put into brackets, and must be the only element of that array.
    """
    elements = F.from_json(F.concat(F.lit("["), text, F.lit("]")), "array<string>")
    return F.coalesce(text.rlike(r"^\s*\{") & (F.size(elements) == 1), F.lit(col=False))


def is_json_string(name: str) -> Column:
    """Whether the field is a JSON string. Spark reads 7 and "7" as the same text, so the line itself is searched for a
    quotation mark where the value looks like a number, an object, an array or a boolean.
    """
    value = F.col(name)
    first = F.ascii(value)  # compared as numbers, not with a pattern, since this runs for every record
    begins_oddly = first.between(ord("+"), ord("9")) | first.isin(*map(ord, "{["))
    suspicious = begins_oddly | value.isin("true", "false")
    return F.coalesce(~suspicious | is_quoted(name), F.lit(col=True))


def is_quoted(name: str) -> Column:
    return F.col("text").rlike(rf'"{name}"\s*:\s*"')
