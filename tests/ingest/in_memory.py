"""Rolls a log up without a database, and compares all numbers with the reference."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from ingest import pipeline
from ingest.readers import read_records
from ingest.runs import Request
from ingest.sources import find_sources
from tests.ingest import reference
from tests.ingest.logs import (
    to_json,
)
from tests.ingest.reference import Event


def roll_up(
    spark: SparkSession, path: Path, window_seconds: int = 60
) -> tuple[dict[Any, Row], dict[Any, Row], int]:
    """As the job does it, but into memory: operators, topologies, duplicates."""
    request = Request((str(path),), None, window_seconds, 0.0)
    frames = read_records(spark, find_sources(spark, [str(path)], None))
    with ExitStack() as stack:
        read = stack.enter_context(pipeline.read_log(spark, frames, request))
        summaries, _, duplicates = stack.enter_context(pipeline.roll_up(*read[:2], request, read[2]))
        operators = {(row.topology, row.operator, row.window): row for row in summaries.operators.collect()}
        topologies = {(row.topology, row.window): row for row in summaries.topologies.collect()}
    return operators, topologies, duplicates


def write_events(path: Path, events: Iterable[Event]) -> None:
    path.write_text("".join(to_json(event) + "\n" for event in events))


def assert_equal(found: Row, expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        got = found[name]
        if name == "busy_fractions":
            got = {one.instance: one.busy for one in got}
        if name == "upstream":
            got = {one.from_operator: one.tuples for one in got}
        if value is None or isinstance(value, str):
            assert got == value, name
        else:
            assert got == pytest.approx(value, rel=1e-9, abs=1e-12), name


def assert_same(spark: SparkSession, path: Path, events: list[Event], window_seconds: int = 60) -> None:
    operators, topologies, duplicates = roll_up(spark, path, window_seconds)
    expected = reference.summarise_operators(events, window_seconds)
    assert operators.keys() == expected.keys()
    for key, summary in expected.items():
        assert_equal(operators[key], summary)
    by_topology = reference.summarise_topologies(events, window_seconds)
    assert topologies.keys() == by_topology.keys()
    for window, numbers in by_topology.items():
        assert_equal(topologies[window], numbers)
    assert duplicates == len(events) - len(reference.drop_duplicates(events))
