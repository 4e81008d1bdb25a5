"""Lines keep their place: blank ones count, a byte order mark does not belong to the text."""

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as in ingest

from ingest.raw_records import LINE_LENGTH, read_lines, select_raw


def test_rows_grow_by_one_and_blank_lines_are_no_records(spark: SparkSession, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text("\ufefffirst\n\n  \nlast", encoding="utf-8")
    lines = read_lines(spark, [str(path)])
    raw = select_raw(lines, F.lit(None).cast("string"), [], is_record=True).orderBy("row").collect()
    assert [row.line for row in raw] == ["first", "", "  ", "last"]
    assert [row.row - raw[0].row for row in raw] == [0, 1, 2, 3]
    assert [row.is_record for row in raw] == [True, False, False, True]
    assert {row.block_start for row in raw} == {0}


def test_a_long_line_is_shown_cut_short(spark: SparkSession, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text("x" * LINE_LENGTH + "\n" + "y" * (LINE_LENGTH + 1))
    raw = select_raw(read_lines(spark, [str(path)]), F.lit("torn"), []).orderBy("row").collect()
    assert [row.line for row in raw] == ["x" * LINE_LENGTH, "y" * LINE_LENGTH + "…"]
    assert {row.broken for row in raw} == {"torn"}
