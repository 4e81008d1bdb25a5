"""Files are read in blocks, each line once, whatever the blocks and the formats are."""

import bz2
import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.reading.blocks import PIECE_BYTES, TornFile, plan_blocks, read_block
from ingest.reading.sources import find_sources
from tests.ingest.logs import make_single_events, to_iso, to_record
from tests.ingest.records import good, list_records, list_rejects, parse
from tests.ingest.reference import Event

TIMES = ("arrived_at", "started_at", "finished_at")


def write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines))


@pytest.mark.parametrize("most_bytes", [100_000, 1000, 200, 7, 1])
def test_each_line_is_read_once_and_rejects_are_numbered(tmp_path: Path, most_bytes: int):
    for name in "ab":
        lines = [good(tuple_id=f"r{n}") if n % 7 else f"bad {n}" for n in range(1, 31)]
        write_lines(tmp_path / f"{name}.jsonl", ["", *lines[1:]])
    judged = parse(tmp_path, most_bytes)
    assert (len(judged) > 2) == (most_bytes < 100_000), "several blocks a file"
    assert len(list_records(judged)) == 2 * (30 - 1 - 4)
    assert sum(one.lines for one in judged) == 60
    rejects = list_rejects(judged)
    assert [(Path(file).name, text) for file, _, _, text in rejects] == [
        (f"{name}.jsonl", f"bad {n}") for name in "ab" for n in (7, 14, 21, 28)
    ]
    assert all(text == f"bad {line}" for _, line, _, text in rejects)


def test_a_block_without_the_beginning_of_a_line_is_empty(tmp_path: Path):
    write_lines(tmp_path / "a.jsonl", [good(extra="x" * 1000), good()])
    judged = parse(tmp_path, 100)
    assert [(one.lines, one.read) for one in judged] == [(1, 1), (1, 1)]


def write_iso(event: Event, place: int) -> str:
    """Times as texts, in three zones."""
    zone, hours = [("Z", 0.0), ("+05:30", 5.5), ("-03:00", -3.0)][place % 3]
    shift = int(hours * 3600e9)
    moved = {name: to_iso(getattr(event, name.replace("_at", "_ns")) + shift, zone) for name in TIMES}
    return json.dumps(to_record(event) | moved)


def write_csv(records: list[dict[str, Any]]) -> bytes:
    table = io.StringIO()
    writer = csv.DictWriter(table, [*reversed(records[0]), "unrelated"])
    writer.writeheader()
    writer.writerows(record | {"unrelated": 'a,"b'} for record in records)
    return table.getvalue().encode()


def make_stamps(events: list[Event]) -> pa.Table:
    """With timestamps of nanoseconds, and without a column that may be missing."""
    stamps = pa.Table.from_pylist([to_record(event) for event in events]).drop_columns(["sample_every"])
    for name in TIMES:
        nanos = pa.array(
            [getattr(event, name.replace("_at", "_ns")) for event in events], pa.timestamp("ns", "UTC")
        )
        stamps = stamps.set_column(stamps.column_names.index(name), name, nanos)
    return stamps


def test_every_format_gives_the_same_records(tmp_path: Path):
    events = make_single_events(60, seed=6)
    records = [to_record(event) for event in events]
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    files = {
        "plain.jsonl": text,
        "members.jsonl.gz": gzip.compress(text[:1000]) + gzip.compress(text[1000:]),
        "plain.json.bz2": bz2.compress(text),
        "plain.log.zst": pa.compress(text, codec="zstd", asbytes=True),
        "iso.json": "\n".join(write_iso(event, place) for place, event in enumerate(events)).encode(),
        "upper.CSV": write_csv(records),
        "bom.csv.gz": gzip.compress("\ufeff".encode() + write_csv(records)),
    }
    tables = {"plain.parquet": pa.Table.from_pylist(records), "stamps.parq": make_stamps(events)}
    for name in (*files, *tables):
        (tmp_path / name).mkdir()
    for name, content in files.items():
        (tmp_path / name / name).write_bytes(content)
    for name, rows in tables.items():
        pq.write_table(rows, tmp_path / name / name, row_group_size=50)
    found = {folder.name: list_records(parse(folder, 2000)) for folder in tmp_path.iterdir()}
    assert len(found) == len(files) + len(tables)
    for read in found.values():
        assert read == found["plain.jsonl"]
    assert len(found["plain.jsonl"]) == len(events)


def test_compressed_files_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ingest.reading.blocks.PIECE_BYTES", 500)
    lines = [good(tuple_id=f"r{n}") if n != 17 else "bad" for n in range(1, 21)]
    lines[4] = good(extra="x" * 2000)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    judged = parse(tmp_path)
    assert len(judged) > 5
    assert [line for _, line, _, _ in list_rejects(judged)] == [17]
    assert len(list_records(judged)) == 19
    assert PIECE_BYTES > 1 << 20


@pytest.mark.parametrize("name", ["torn.jsonl.gz", "torn.jsonl.bz2", "torn.csv.gz", "torn.parquet"])
def test_a_torn_file_is_named(tmp_path: Path, name: str):
    compress = bz2.compress if name.endswith("bz2") else gzip.compress
    (tmp_path / name).write_bytes(compress(good().encode() * 99)[:-9])
    with pytest.raises(TornFile, match=rf"{name} cannot be read: \w"):
        parse(tmp_path)


def test_row_groups_are_read_by_the_hundred_thousands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ingest.reading.blocks.MOST_ROWS", 25)
    rows = pa.Table.from_pylist([json.loads(good(tuple_id=f"r{n}" if n != 77 else None)) for n in range(100)])
    pq.write_table(rows, tmp_path / "a.parquet", row_group_size=10)
    blocks = plan_blocks(find_sources([str(tmp_path)], None).files)
    assert [(block.begin, block.end, block.first) for block in blocks] == [
        (n, n + 2, n * 10) for n in range(0, 10, 2)
    ]
    judged = [one for block in reversed(blocks) for one in read_block(block)]
    assert [line for _, line, _, _ in list_rejects(judged)] == [78]
    assert len(list_records(judged)) == 99
