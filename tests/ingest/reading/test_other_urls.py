"""What Spark reads is judged as what Python reads: the same records, rejects and line numbers."""

import bz2
import gzip
import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from ingest.reading.blocks import read_sources
from ingest.reading.other_urls import read_by_spark
from ingest.reading.records import Judged
from ingest.reading.sources import expand_there, find_sources
from tests.ingest.records import ACCEPTED, GOOD, REJECTED, T0, good, list_records, list_rejects, parse


@pytest.fixture
def small_blocks(spark: SparkContext) -> Iterable[None]:
    """Files are cut into several blocks, and blocks into several batches."""
    settings = SparkSession(spark).conf
    settings.set("spark.sql.files.maxPartitionBytes", "3000")
    yield
    settings.unset("spark.sql.files.maxPartitionBytes")


def read(spark: SparkContext, folder: Path) -> list[Judged]:
    files = [file._replace(path=f"file:{file.path}") for file in find_sources([str(folder)], None).files]
    return spark.union(read_by_spark(spark, files)).collect()


def list_found(judged: list[Judged]) -> tuple[Any, ...]:
    rejects = [(Path(file).name, *rest) for file, *rest in list_rejects(judged)]
    return list_records(judged), sorted(rejects), sum(one.lines for one in judged)


@pytest.mark.usefixtures("small_blocks")
def test_lines_are_those_that_python_reads(spark: SparkContext, tmp_path: Path):
    lines = [*REJECTED, *ACCEPTED, *(good(tuple_id=f"r{n}") if n % 5 else f"bad {n}" for n in range(99))]
    text = "\n".join(lines).encode() + b'\n{"topology":"\xff\xfe"}'
    (tmp_path / "a [1].jsonl").write_bytes(text)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(text))
    (tmp_path / "c.log.bz2").write_bytes(bz2.compress(text))
    expected = parse(tmp_path)
    found = read(spark, tmp_path)
    assert list_found(found) == list_found(expected)
    assert len({(one.file, one.block) for one in found}) == len(found) > 3


@pytest.mark.usefixtures("small_blocks")
def test_csv_files_have_headers_of_their_own(spark: SparkContext, tmp_path: Path):
    for name, header in (("a", list(GOOD)), ("b", [*reversed(GOOD), "x"]), ("c", ["x", "y"])):
        rows = [",".join(str({**GOOD, "x": '"a,b"', "y": 1}[field]) for field in header) for _ in range(70)]
        (tmp_path / f"{name}.csv").write_text(
            "\r\n".join(["\ufeff" * (name == "a") + ",".join(header), *rows, "torn"])
        )
    assert list_found(read(spark, tmp_path)) == list_found(parse(tmp_path))


def test_rows_of_parquet_keep_their_numbers(spark: SparkContext, tmp_path: Path):
    """Columns of a field have types that Spark cannot merge; one file lacks some."""
    rows = pa.Table.from_pylist([json.loads(good(tuple_id=f"r{n}" if n % 30 else "")) for n in range(100)])
    pq.write_table(rows, tmp_path / "a.parquet", row_group_size=40)
    stamps = rows.set_column(4, "arrived_at", pa.array([T0 * 10**9 + 1] * 100, pa.timestamp("ns", "UTC")))
    pq.write_table(stamps.append_column("sample_every", pa.array([2.0] * 100)), tmp_path / "b.parquet")
    octets = rows.set_column(0, "topology", rows["topology"].cast(pa.binary()))
    pq.write_table(octets.set_column(4, "arrived_at", pa.array([str(T0)] * 100)), tmp_path / "c.parquet")
    found, expected = read(spark, tmp_path), parse(tmp_path)
    assert list_records(found) == list_records(expected)
    assert [one[1:3] for one in list_found(found)[1]] == [one[1:3] for one in list_found(expected)[1]]
    assert len(list_rejects(found)) == 3 * 4


def test_hadoop_lists_what_python_lists(spark: SparkContext, tmp_path: Path):
    for name in ("a.jsonl", "b/c.jsonl", "b/d{1}.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(good())
    for path in ("", "b", "*.jsonl", "b/d{1}.jsonl", "{a,b/c}.jsonl"):
        found = [(root, sorted(files)) for root, files in expand_there(f"file:{tmp_path}/{path}", spark)]
        listed = sorted(f"file:{file.path}" for file in find_sources([f"{tmp_path}/{path}"], None).files)
        assert sorted(file for _, files in found for file, _ in files) == listed
        assert {size for _, files in found for _, size in files} == {len(good())}
    assert list(expand_there(f"file:{tmp_path}/absent", spark)) == []


def test_spark_reads_what_python_cannot_unpack(spark: SparkContext, tmp_path: Path):
    text = f"{good()}\n\nbad".encode()
    (tmp_path / "a.jsonl").write_bytes(text)
    (tmp_path / "b.jsonl.deflate").write_bytes(zlib.compress(text))
    sources = find_sources([str(tmp_path)], None)
    found = read_sources(spark, sources).collect()
    assert [Path(file).name + f" {line}" for file, line, _, _ in list_rejects(found)] == [
        "a.jsonl 3",
        "b.jsonl.deflate 3",
    ]
    assert len(list_records(found)) == 2
