"""A dry run says what is wrong with a log before a run, and needs neither Spark nor a database."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.reading.dry_run import FIRST, judge_heads
from tests.app.processes import environment
from tests.ingest.records import GOOD, good

HEADER = ",".join(GOOD)
FINE = ",".join(map(str, GOOD.values()))
COMMAND = """
import sys
from app.cli import main
try:
    main()
finally:
    print(sorted({"pyspark", "sqlalchemy", "psycopg", "pandas"} & sys.modules.keys()))
"""


def describe(folder: Path) -> str:
    return "\n".join(head.describe() for head in judge_heads([str(folder)], None)).replace(f"{folder}/", "")


def test_each_file_is_described_by_itself(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("\n".join(["", good(), "torn {", good(operator=7), "x" * 100, "?"]))
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(f"{HEADER}\n{FINE}\n".encode()))
    (tmp_path / "c.parquet").write_text("no")
    (tmp_path / "d.json.lz4").write_text("no")
    assert describe(tmp_path).splitlines() == [
        "a.jsonl: 1 of the first 5 records are usable",
        "  3 × not one JSON object",
        "  1 × operator is not a string",
        "  a.jsonl, line 3: not one JSON object: torn {",
        f"  a.jsonl, line 4: operator is not a string: {good(operator=7)[:80]}…",
        f"  a.jsonl, line 5: not one JSON object: {'x' * 80}…",
        "b.csv.gz: 1 of the first 1 records are usable",
        "c.parquet cannot be read: Parquet file size is 2 bytes, smaller than the minimum file footer (8 bytes)",
        "file:d.json.lz4 can only be read by Spark, which a dry run does not start.",
    ]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "csv", "parquet"])
def test_a_large_file_is_judged_by_its_first_records(tmp_path: Path, ending: str):
    lines = [good()] * (5 * FIRST)
    if ending == "csv":
        lines = [HEADER, *[FINE] * (5 * FIRST)]
    text = "\n".join([*lines, "torn"]).encode()
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist([json.loads(line) for line in lines]), path)
    else:
        path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    (head,) = judge_heads([str(tmp_path)], None)
    assert head.judged is not None
    assert (head.judged.read, head.judged.reasons) == (FIRST, {})


def test_a_share_of_unusable_records_is_fine(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("\n".join([*[good()] * 19, "torn"]))
    (head,) = judge_heads([str(tmp_path)], None)
    assert (head.is_fine(0.05), head.is_fine(0.04)) == (True, False)


@pytest.mark.parametrize(
    ("share", "code", "told"),
    [
        ("50%", 0, ""),
        ("5%", 2, "a run of such files would write nothing: correct them, or raise --max-rejected"),
    ],
)
def test_the_command_needs_neither_spark_nor_a_database(tmp_path: Path, share: str, code: int, told: str):
    (tmp_path / "a.jsonl").write_text(f"{good()}\ntorn")
    done = run(tmp_path, "--max-rejected", share)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        code,
        f"{tmp_path}/a.jsonl: 1 of the first 2 records are usable",
    )
    assert done.stdout.splitlines()[-1] == "[]", "neither is loaded"
    assert told in done.stderr


@pytest.mark.parametrize(
    ("path", "told"), [("absent", "absent does not exist"), ("s3a://logs/a", "can only be read by Spark")]
)
def test_a_path_that_cannot_be_looked_at_is_told(tmp_path: Path, path: str, told: str):
    done = run(tmp_path / path if path == "absent" else path)
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.parametrize("name", [".", "empty.jsonl"])
def test_a_log_without_records_is_told(tmp_path: Path, name: str):
    (tmp_path / "empty.jsonl").touch()
    done = run(tmp_path / name)
    assert done.returncode == 2
    assert "no record was found in" in done.stderr


def run(path: Path | str, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", COMMAND, "ingest", "--dry-run", str(path), *more],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
