"""Files of every format become the same records."""

import csv
import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from ingest.job import run_ingest
from ingest.parse import parse_records
from ingest.pipeline import read_log
from ingest.raw_records import TIMES, UNREAD
from ingest.readers import NO_HEADER, read_quickly, read_records
from ingest.reject_line_numbers import count_lines, find_rejects
from ingest.runs import Request
from ingest.sources import find_sources
from tests.ingest.logs import (
    make_single_events,
    to_iso,
    to_json,
    to_record,
)
from tests.ingest.records import ACCEPTED, GOOD, REJECTED, good, parse
from tests.ingest.reference import NS, Event
from tests.ingest.stored import (
    dump,
    last_run,
    request,
    write,
)


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


def test_quickly_read_records_are_the_same(spark: SparkSession, tmp_path: Path):
    """Every kind of line, among plain ones enough to be read together."""
    plain = [good(tuple_id=f"r{number}", sample_every=1 + number % 3) for number in range(50)]
    (tmp_path / "log.jsonl").write_text("\n".join([*plain, *REJECTED, *plain[:5], *ACCEPTED]), newline="")
    (tmp_path / "more.jsonl").write_bytes(b'{"topology":"\xff\xfe"}\n' + "\n".join(plain).encode())
    (tmp_path / "log.csv").write_text(",".join(GOOD) + "\n" + ",".join(map(str, GOOD.values())))
    sources = find_sources(spark, [str(tmp_path)], None)
    request = Request((str(tmp_path),), None, 60, 1.0)
    found = []
    for frames in (read_quickly(spark, sources), read_records(spark, sources)):
        with read_log(spark, frames, request) as (records, _, survey):
            kept = records.select(sorted(records.columns)).collect()
            found.append((Counter(map(str, kept)), survey))
    assert UNREAD in read_quickly(spark, sources)[0].columns
    assert found[0] == found[1]
    assert found[0][1].rejected == sum(map(bool, REJECTED.values())) + 1


def renamed(events: list[Event], name: str) -> list[Event]:
    return [replace(event, topology=name) for event in events]


def write_gzip(path: Path, events: list[Event]) -> None:
    with gzip.open(path, "wt") as file:
        file.write("".join(to_json(event) + "\n" for event in events))


def write_iso(path: Path, events: list[Event]) -> None:
    """Times as texts, in three zones."""
    zones = [("Z", 0.0), ("+05:30", 5.5), ("-03:00", -3.0)]
    lines = []
    for place, event in enumerate(events):
        zone, hours = zones[place % 3]
        record = {
            time: to_iso(getattr(event, time.replace("_at", "_ns")) + int(hours * 3600 * NS), zone)
            for time in TIMES
        }
        lines.append(to_json(event, **record))
    write(path, lines)


def write_csv(path: Path, events: list[Event], order: list[str]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*order, "unrelated"])
        writer.writeheader()
        writer.writerows(to_record(event) | {"unrelated": 'a,"b'} for event in events)


def write_nanos(path: Path, events: list[Event]) -> None:
    """Parquet with timestamps of nanoseconds, and without a column that may be missing."""
    rows = [
        to_record(event) | {time: getattr(event, time.replace("_at", "_ns")) for time in TIMES}
        for event in events
    ]
    stamps = pa.Table.from_pylist(rows)
    for name in TIMES:
        column = stamps[name].cast(pa.timestamp("ns", "UTC"))
        stamps = stamps.set_column(stamps.column_names.index(name), name, column)
    pq.write_table(stamps.drop_columns(["sample_every"]), path)


def test_every_format_gives_the_same_tables(spark: SparkSession, database: str, tmp_path: Path):
    """A topology per format, told apart by name alone."""
    plain = make_single_events(60, seed=6)
    columns = list(to_record(plain[0]))
    write_gzip(tmp_path / "a.jsonl.gz", renamed(plain, "gzip"))
    write_iso(tmp_path / "b.json", renamed(plain, "iso"))
    write_csv(tmp_path / "csv.csv", renamed(plain, "csv"), columns)
    write_csv(tmp_path / "csv2.csv", renamed(plain, "csv2"), columns[::-1])
    records = [to_record(event) for event in renamed(plain, "parquet")]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "e.parquet")
    write_nanos(tmp_path / "f.parquet", renamed(plain, "nanos"))
    run_ingest(spark, database, request(tmp_path))
    assert last_run(database)["rejected"] == 0
    for rows in dump(database).values():
        by_name: dict[str, list[Any]] = {}
        for row in rows:
            by_name.setdefault(row["name"], []).append(row["row"])
        assert set(by_name) == {"gzip", "iso", "csv", "csv2", "parquet", "nanos"}
        for found in by_name.values():
            for one, other in zip(found, by_name["iso"], strict=True):
                assert {name: (one[name], other[name]) for name in one if one[name] != other[name]} == {}
