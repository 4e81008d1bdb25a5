"""Where two runs hold parts of one window, the larger part stays."""

from pathlib import Path

import pytest
from pyspark import SparkContext

from ingest.job import run_ingest
from tests.ingest.logs import (
    START_NS,
)
from tests.ingest.reference import NS
from tests.ingest.stored import dump, ingest, last_run, read_snapshots, request
from tests.ingest.window_logs import make_steady


def test_of_two_parts_of_a_window_the_larger_stays(spark: SparkContext, database: str, tmp_path: Path):
    """A log that goes on in the next file: whichever is read last, the border has the larger part."""
    events = make_steady(50, 170, seed=6)
    border = START_NS + 65 * NS
    parts = [e for e in events if e.arrived_ns < border], [e for e in events if e.arrived_ns >= border]
    files = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    ingest(spark, database, files[0], parts[0])
    ingest(spark, database, files[1], parts[1])
    found = dump(database)
    assert [one["covered_seconds"] for one in read_snapshots(database)][1] == pytest.approx(55, abs=0.2)
    assert last_run(database)["diagnostics"] == []
    run_ingest(spark, database, request(files[0]))
    assert dump(database) == found
    (note,) = last_run(database)["diagnostics"]
    assert note["code"] == "fuller-window-kept"
    assert last_run(database)["windows"] == 1
