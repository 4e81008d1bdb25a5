"""Every fault of a record has its reason, and every usable record its exact times."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Row, SparkSession

from ingest.parse import SHOWN, parse_records
from ingest.readers import NO_HEADER, read_records
from ingest.reject_lines import count_lines, find_rejects
from ingest.rollup import make_records, read_back, tally_records
from ingest.sources import find_sources

T0 = 1_794_960_000
GOOD: dict[str, Any] = {
    "topology": "t",
    "operator": "o",
    "instance": "i",
    "tuple_id": "a",
    "arrived_at": T0,
    "started_at": T0 + 1,
    "finished_at": T0 + 2.5,
}


def good(**changes: Any) -> str:
    return json.dumps({name: value for name, value in (GOOD | changes).items() if value is not ...})


REJECTED: dict[str, str] = {
    '{"topology":"t","operator":"o"': "not one JSON object",
    "": "",
    "null": "not one JSON object",
    "[" + good() + "]": "not one JSON object",
    good() + good(): "not one JSON object",
    good() + " and more": "not one JSON object",
    "plain text": "not one JSON object",
    "{}": "topology is missing",
    good(topology=""): "topology is empty",
    good(operator="  "): "operator is empty",
    good(instance=""): "instance is empty",
    good(tuple_id=None): "tuple_id is missing",
    good(operator=7): "operator is not a string",
    good(operator={"name": "o"}): "operator is not a string",
    good(topology=True): "topology is not a string",
    good(from_operator=3): "from_operator is not a string",
    good(tuple_id=["a"]): "tuple_id is not a string",
    good(topology="a/b"): "topology holds a slash or is dots alone",
    good(operator=" o"): "operator begins or ends with white space",
    good(operator="a\u0000b"): "operator holds control characters",
    good(operator="o" * 201): "operator is longer than 200 characters",
    good(arrived_at=...): "arrived_at is missing",
    good(arrived_at=None): "arrived_at is missing",
    good(arrived_at="soon"): "arrived_at is not a time",
    good(arrived_at=True): "arrived_at is not a time",
    good(arrived_at=[1]): "arrived_at is not a time",
    good(arrived_at="2026-11-18T00:00:00"): "arrived_at has no time zone",
    good(arrived_at="2026-02-30T00:00:00Z"): "arrived_at is not a time",
    good(arrived_at="2026-11-18"): "arrived_at is not a time",
    good(arrived_at=float("nan")): "arrived_at is not finite",
    good(started_at=float("inf")): "started_at is not finite",
    good(finished_at=-1.0): "finished_at is no second between 1970 and 2200",
    good(arrived_at=T0 * 1000): "arrived_at is no second between 1970 and 2200",
    good(arrived_at=1e300): "arrived_at is no second between 1970 and 2200",
    good(started_at=T0 - 0.001): "started_at is before arrived_at",
    good(finished_at=T0 + 0.5): "finished_at is before started_at",
    good(sample_every=10**6 + 1): "sample_every is not a whole number between 1 and 1000000",
    good(sample_every=0): "sample_every is not a whole number between 1 and 1000000",
    good(sample_every=1.5): "sample_every is not a whole number between 1 and 1000000",
    good(sample_every="many"): "sample_every is not a whole number between 1 and 1000000",
    good(sampling="Random"): "sampling is neither every-nth nor random",
    good(sampling=7): "sampling is neither every-nth nor random",
}
SECOND = 1_000_000_000
ACCEPTED: dict[str, tuple[int, int]] = {  # line -> arrived_ns, sample_every
    good(): (T0 * SECOND, 1),
    good(arrived_at=T0 + 0.123456): (T0 * SECOND + 123_456_000, 1),
    good(arrived_at=T0 + 2**-10): (T0 * SECOND + 976_562, 1),  # to even
    good(arrived_at=str(T0 + 0.25)): (T0 * SECOND + 250_000_000, 1),
    good(arrived_at="2026-11-18T00:00:00Z"): (T0 * SECOND, 1),
    good(arrived_at="2026-11-18T00:00:00.123456789Z"): (T0 * SECOND + 123_456_789, 1),
    good(arrived_at="2026-11-18T05:30:00.5+05:30"): (T0 * SECOND + 500_000_000, 1),
    good(arrived_at="2026-11-17T20:00:00-0400"): (T0 * SECOND, 1),
    good(sample_every=10): (T0 * SECOND, 10),
    good(sample_every=None): (T0 * SECOND, 1),
    good(sampling="random", sample_every=2): (T0 * SECOND, 2),
    good(sampling="every-nth"): (T0 * SECOND, 1),
    good(sampling=""): (T0 * SECOND, 1),
    good(sampling=None): (T0 * SECOND, 1),
    good(tuple_id=17, instance=3): (T0 * SECOND, 1),
    good(operator="7", from_operator=""): (T0 * SECOND, 1),
    good(instance="[::1]:6700", tuple_id="{a"): (T0 * SECOND, 1),
    good(operator='ядро, {x} "y"', extra={"nested": [1, {"deep": 2}]}): (T0 * SECOND, 1),
    "\ufeff" + good(): (T0 * SECOND, 1),
    "  " + good() + "  \r": (T0 * SECOND, 1),
}


def parse(spark: SparkSession, path: Path) -> list[Row]:
    return parse_records(spark, read_records(spark, find_sources(spark, [str(path)], None))).collect()


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


def test_a_faulty_name_is_found_in_the_tally_of_who_trusted_it(spark: SparkSession, tmp_path: Path):
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


def test_lines_are_numbered_across_blocks_and_files(spark: SparkSession, tmp_path: Path):
    """A file read by several tasks: the numbers go on where the block before ends."""
    for name in "ab":
        lines = [good() if number % 97 else f"bad {number}" for number in range(1, 3001)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    try:
        frames = read_records(spark, find_sources(spark, [str(tmp_path)], None))
        assert frames[0].rdd.getNumPartitions() > 4
        rejects = find_rejects(parse_records(spark, frames), count_lines(frames)).collect()
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert len(rejects) == 2 * (3000 // 97)
    assert all(row.line == f"bad {row.line_number}" for row in rejects)


def test_a_csv_line_that_does_not_fit_its_header_is_rejected(spark: SparkSession, tmp_path: Path):
    header = ",".join(GOOD)
    fine = ",".join(map(str, GOOD.values()))
    (tmp_path / "log.csv").write_text(
        f"{header}\n{fine}\n\n{fine},more,and,more\nt,o\n{fine.replace('t,', ',', 1)}\n"
    )
    frames = read_records(spark, find_sources(spark, [str(tmp_path)], None))
    events = parse_records(spark, frames)
    assert events.count() == 4
    found = {
        row.line_number: row.reject_reason for row in find_rejects(events, count_lines(frames)).collect()
    }
    assert found == {
        4: "not the fields of the CSV header",
        5: "not the fields of the CSV header",
        6: "topology is missing",
    }


@pytest.mark.parametrize("field", ["arrived_at", "finished_at"])
def test_parquet_rows_are_judged_like_lines(spark: SparkSession, tmp_path: Path, field: str):
    columns: dict[str, list[Any]] = {name: [value] * 3 for name, value in GOOD.items()}
    for time in ("arrived_at", "started_at", "finished_at"):
        columns[time] = [float(value) for value in columns[time]]
    columns[field][1:] = [float("nan"), None]
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    reasons = [row.reject_reason for row in sorted(parse(spark, tmp_path), key=lambda row: row.row)]
    assert reasons == [None, f"{field} is not finite", f"{field} is missing"]


def test_hidden_files_and_folders_are_no_logs(spark: SparkSession, tmp_path: Path):
    for name in (
        "_SUCCESS",
        ".a.jsonl.crc",
        "_temporary/b.jsonl",
        "odd [name] {1}*.jsonl",
        "deep/er/c.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(good())
    sources = find_sources(spark, [str(tmp_path)], None)
    assert sources.count_files() == 2
    assert len(parse(spark, tmp_path)) == 2


@pytest.mark.parametrize(
    ("delimiter", "named"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")]
)
def test_a_csv_of_another_delimiter_is_rejected_by_the_name_of_it(
    spark: SparkSession, tmp_path: Path, delimiter: str, named: str
):
    lines = (GOOD.keys(), GOOD.values())
    (tmp_path / "log.csv").write_text("\n".join(delimiter.join(map(str, line)) for line in lines))
    assert [row.reject_reason for row in parse(spark, tmp_path)] == [
        f"the CSV header is separated by {named}, not by commas"
    ]


def test_a_csv_without_a_header_is_rejected_as_such(spark: SparkSession, tmp_path: Path):
    (tmp_path / "log.csv").write_text("\n".join(",".join(map(str, GOOD.values())) for _ in range(2)))
    assert [row.reject_reason for row in parse(spark, tmp_path)] == [NO_HEADER] * 2
