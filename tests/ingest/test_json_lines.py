"""Every line is read the same way, whether its times are first read as numbers or as texts."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingest.json_lines import has_number_times, read_json_lines
from ingest.parse import parse_records
from ingest.raw_records import read_lines
from tests.ingest.records import ACCEPTED, REJECTED, T0, good


def test_the_guess_about_times_changes_nothing(spark: SparkSession, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join([*ACCEPTED, *REJECTED]), newline="")
    found = []
    for times_are_numbers in (True, False):
        frame = read_json_lines(read_lines(spark, [str(path)]), times_are_numbers=times_are_numbers)
        rows = parse_records(spark, [frame]).drop("line").collect()
        found.append(sorted(str(sorted(row.asDict().items())) for row in rows))
    assert found[0] == found[1]
    assert len(found[0]) == len(ACCEPTED) + len(REJECTED) - 1, "the empty line is no record"


@pytest.mark.parametrize(
    ("line", "expected"), [(good(), True), (good(arrived_at=str(T0)), False), ("", False)]
)
def test_times_are_guessed_from_one_line(line: str, expected: bool):  # noqa: FBT001
    assert has_number_times(line) is expected
