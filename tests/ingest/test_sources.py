"""Which files a run reads."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingest.job import run_ingest
from ingest.sources import SourceNotFound, find_sources
from tests.ingest.logs import (
    make_single_events,
    to_json,
)
from tests.ingest.records import good, parse
from tests.ingest.reference import NS
from tests.ingest.stored import dump, last_run, request, write


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


def test_a_day_is_its_folder_and_what_arrived_on_it(spark: SparkSession, database: str, tmp_path: Path):
    """Folders of other days are not read at all: their content would be rejected."""
    events = make_single_events(40, seed=5)
    late = events[0].moved(-86_400 * NS)
    write(tmp_path / "dt=2026-11-18" / "a.jsonl", [to_json(event) for event in [*events, late]])
    write(tmp_path / "dt=2026-11-17" / "b.jsonl", ["?"] * 100)
    run_ingest(spark, database, request(tmp_path, date(2026, 11, 18)))
    run = last_run(database)
    assert (run["read"], run["rejected"]) == (len(events), 0)
    assert run["first_window_at"] >= datetime(2026, 11, 18, tzinfo=UTC)
    write(tmp_path / "dt=2026-11-18" / "a.jsonl", [to_json(event) for event in events[:1]])
    run_ingest(spark, database, request(tmp_path, date(2026, 11, 18)))
    assert len(dump(database)["operator_summaries"]) == 1, "what the day no longer has is gone"


def test_nothing_to_read_is_a_run_of_nothing_and_a_wrong_path_is_told(
    spark: SparkSession, database: str, tmp_path: Path
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.jsonl").touch()
    (tmp_path / "empty" / "a.parquet").touch()
    run_ingest(spark, database, request(tmp_path / "empty"))
    run = last_run(database)
    assert (run["state"], run["read"], run["windows"]) == ("succeeded", 0, 0)
    with pytest.raises(SourceNotFound, match=r"absent.* does not exist"):
        run_ingest(spark, database, request(tmp_path / "absent"))
