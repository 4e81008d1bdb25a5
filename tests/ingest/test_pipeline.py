"""The survey of a log counts every record once, however its names and copies look."""

from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingest.pipeline import Survey, kept, read_log
from ingest.readers import read_quickly, read_records
from ingest.runs import Request
from ingest.sources import find_sources
from tests.ingest.in_memory import roll_up, write_events
from tests.ingest.logs import START_NS, make_single_events, to_json
from tests.ingest.records import T0, good
from tests.ingest.reference import NS


def survey_log(spark: SparkSession, path: Path, day: date | None = None) -> Survey:
    request = Request((str(path),), day, 60, 1.0)
    frames = read_quickly(spark, find_sources(spark, [str(path)], None))
    with ExitStack() as stack:
        return stack.enter_context(read_log(spark, frames, request))[2]


@pytest.mark.parametrize("odd", [None, "a\0b"], ids=["names are good", "a name is faulty"])
def test_the_survey_counts_records_reasons_and_the_fullest_window(
    spark: SparkSession, tmp_path: Path, odd: str | None
):
    """A faulty name is seen in the tally only; all records are then parsed again."""
    minutes = [0, 0, 0, 60, 120, 120]
    lines = [good(tuple_id=str(n), arrived_at=T0 - at, started_at=T0) for n, at in enumerate(minutes)]
    faulty = [] if odd is None else [good(operator=odd)]
    (tmp_path / "log.jsonl").write_text("\n".join([*lines, "{torn", *faulty]))
    found = survey_log(spark, tmp_path)
    reasons = {"not one JSON object": 1} | ({} if odd is None else {"operator holds control characters": 1})
    assert found == Survey(len(minutes) + len(reasons), reasons, 3, has_faulty_name=False)
    assert (found.accepted, found.rejected) == (len(minutes), len(reasons))


def test_with_a_day_only_its_records_are_read(spark: SparkSession, tmp_path: Path):
    events = make_single_events(10, seed=21)
    early = [event.moved(-86_400 * NS) for event in events[:4]]
    lines = [to_json(event) for event in [*events, *early]]
    (tmp_path / "log.jsonl").write_text("\n".join([*lines, "{torn"]))
    assert START_NS // NS % 86_400 == 0
    found = survey_log(spark, tmp_path, date(2026, 11, 18))
    assert (found.accepted, found.rejected) == (len(events), 1), "a line without a time may be of the day"
    assert survey_log(spark, tmp_path).accepted == len(events) + 4


def test_copies_are_counted_and_measured_once(spark: SparkSession, tmp_path: Path):
    events = make_single_events(20, seed=22)
    write_events(tmp_path / "log.jsonl", events)
    once = roll_up(spark, tmp_path)
    write_events(tmp_path / "more.jsonl", events[3:9])
    twice = roll_up(spark, tmp_path)
    assert (once[2], twice[2]) == (0, 6)
    assert once[:2] == twice[:2]


def test_a_kept_frame_is_let_go(spark: SparkSession, tmp_path: Path):
    (tmp_path / "log.jsonl").write_text(good())
    (frame,) = read_records(spark, find_sources(spark, [str(tmp_path)], None))
    with kept(frame) as same:
        assert frame.is_cached
        assert same.count() == 1
    assert not frame.is_cached
