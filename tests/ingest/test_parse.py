"""Every fault of a record has its reason, and every usable record its exact times."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from ingest.parse import SHOWN, parse_records
from ingest.readers import read_records
from ingest.reject_line_numbers import count_lines, find_rejects
from ingest.rollup import make_records, read_back, tally_records
from ingest.sources import find_sources
from tests.ingest.records import ACCEPTED, GOOD, REJECTED, SECOND, T0, good, parse


@pytest.mark.parametrize("guess", [0, 1], ids=["times guessed as texts", "times guessed as numbers"])
def test_every_fault_has_its_reason(spark: SparkSession, tmp_path: Path, guess: int):
    """Each line in a block of its own would hide a fault of counting: so all in one file, blank lines among them."""
    log = tmp_path / "log.jsonl"
    first = (
        [good(started_at=T0 - 1)] if guess else []
    )  # what times are taken for is guessed from the first line
    expected_reasons = ["started_at is before arrived_at"] * guess + list(REJECTED.values())
    log.write_text("\n".join([*first, *REJECTED]) + "\n")
    with log.open("ab") as file:
        file.write(b'{"topology":"\xff\xfe"}\n')
    frames = read_records(spark, find_sources(spark, [str(log)], None))
    rejects = find_rejects(parse_records(spark, frames), count_lines(frames)).collect()
    found = {row.line_number: row.reject_reason for row in rejects}
    expected = {number: reason for number, reason in enumerate(expected_reasons, start=1) if reason}
    assert found == expected | {len(expected_reasons) + 1: "not valid UTF-8"}
    shown = {row.line_number: row.line for row in rejects}
    assert shown[1 + guess] == next(iter(REJECTED))
    assert max(map(len, shown.values())) == 201, "cut short, with an ellipsis"


@pytest.mark.parametrize("first", [good(), good(arrived_at=str(T0))], ids=["numbers", "texts"])
def test_usable_records_are_taken_to_the_nanosecond(spark: SparkSession, tmp_path: Path, first: str):
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([first, *ACCEPTED]), newline="")
    rows = parse(spark, log)[1:]
    assert [row.reject_reason for row in rows] == [None] * len(ACCEPTED)
    assert [(row.arrived_ns, row.sample_every) for row in rows] == list(ACCEPTED.values())
    by_place = dict(zip(ACCEPTED, rows, strict=True))
    assert by_place[good(tuple_id=17, instance=3)].tuple_id == "17"
    assert by_place[good(operator="7", from_operator="")].from_operator is None


ODD_NAMES = [
    "",
    " ",
    " o",
    "o ",
    "a b",
    "a/b",
    "a\\b",
    ".",
    "..",
    "ядро",
    "a\0b",
    "\0",
    "a\nb",
    "\u2028",
    "\u00a0",
    "o" * 201,
]


def test_a_faulty_name_that_was_trusted_is_found_in_the_tally(spark: SparkSession, tmp_path: Path):
    """Each record is of a second of its own, by which it is found again."""
    odd = [{name: value} for value in ODD_NAMES for name in SHOWN]
    lines = [good(**change, arrived_at=T0 - second) for second, change in enumerate(odd)]
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    bad_bytes = {name: [value] for name, value in GOOD.items()} | {
        "operator": [b"\xff"],
        "arrived_at": [T0 - 999],
    }
    pq.write_table(pa.table(bad_bytes), tmp_path / "log.parquet")
    frames = read_records(spark, find_sources(spark, [str(tmp_path)], None))
    looked_at, trusted = (parse_records(spark, frames, trusts_names=trusts) for trusts in (False, True))
    tally = tally_records(read_back(make_records(trusted), SECOND))
    faulty = {row.window for row in tally.where("has_faulty_name").collect()}
    rejected = {
        row.arrived_ns // SECOND: row.reject_reason
        for row in looked_at.where("reject_reason is not null").collect()
    }
    at_once = {row.arrived_ns // SECOND for row in trusted.where("reject_reason is not null").collect()}
    assert faulty | at_once == rejected.keys()
    assert not faulty & at_once
    assert {odd[T0 - second].popitem() for second in at_once} == {
        *((name, value) for name in SHOWN[:3] for value in ("", "o" * 201)),
        ("from_operator", "o" * 201),
    }
    assert T0 - 999 in faulty
    assert len(faulty) > len(at_once)


@pytest.mark.parametrize("field", ["arrived_at", "finished_at"])
def test_parquet_rows_are_judged_like_lines(spark: SparkSession, tmp_path: Path, field: str):
    columns: dict[str, list[Any]] = {name: [value] * 3 for name, value in GOOD.items()}
    for time in ("arrived_at", "started_at", "finished_at"):
        columns[time] = [float(value) for value in columns[time]]
    columns[field][1:] = [float("nan"), None]
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    reasons = [row.reject_reason for row in sorted(parse(spark, tmp_path), key=lambda row: row.row)]
    assert reasons == [None, f"{field} is not finite", f"{field} is missing"]
