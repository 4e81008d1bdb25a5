"""app/engines/spark/reader.py: each trap of the numbers is said."""

from itertools import pairwise
from typing import Any

import pytest

from app.engines.diagnostics import find_diagnostics
from app.engines.spark.loads import read_loads
from app.engines.spark.reader import RULES, ReadQuery
from planner.wording import write_seconds
from tests.app.engines.mutating import load_golden
from tests.app.engines.spark.test_loads import limit, order

RECORDED = load_golden("spark/recentProgress-stateful.json")
STATELESS = load_golden("spark/recentProgress-stateless.json")


def note(documents: list[Any], cores: int | None = None) -> dict[str, str]:
    """The diagnostics of these batches by their code."""
    read, left = read_loads("q", order(documents), cores)
    return {one.code: one.detail for one in find_diagnostics(RULES, ReadQuery("q", read, left, cores))}


def test_the_time_that_waits_for_batches_take_is_said():
    rows, seconds = 0, 0.0
    for before, one in pairwise(STATELESS):
        interval = (order([one])[0].begun_at - order([before])[0].begun_at).total_seconds()
        rows += one["numInputRows"]
        seconds += one["numInputRows"] * (interval / 2 + one["durationMs"]["triggerExecution"] / 1000)
    assert f"{write_seconds(seconds / rows)} after it arrived" in note(STATELESS)["micro-batches"]


def test_fixed_costs_of_a_batch_are_shown_by_batches_of_different_size():
    said = note(STATELESS)["batches-have-fixed-costs"]
    assert "450 rows at 369/s" in said
    assert "batches-have-fixed-costs" not in note(STATELESS[6:9])


def test_what_a_processor_is_is_said():
    assert "processor-is-the-query" in note(RECORDED)
    assert "one of the 4 cores" in note(RECORDED, cores=4)["processor-is-a-core"]


def test_batches_without_a_pause_are_no_proof_of_overload():
    assert "no-pause-between-batches" in note(RECORDED[3:])
    assert "no-pause-between-batches" not in note(STATELESS)


@pytest.mark.parametrize(
    ("code", "documents"),
    [
        ("empty-batches", [RECORDED[1], RECORDED[2] | {"numInputRows": 0, "sources": []}]),
        ("service-rate-unknown", [RECORDED[1], RECORDED[2] | {"durationMs": {"triggerExecution": None}}]),
        ("rows-wait-at-sources", [RECORDED[1] | limit(40, 20, 30), RECORDED[2] | limit(40, 40, 80)]),
        ("batches-left-out", RECORDED),
        ("waiting-at-sources-unknown", [RECORDED[1], RECORDED[2] | {"sources": []}]),
    ],
)
def test_other_traps_are_said(code: str, documents: list[Any]):
    assert code in note(documents)
    assert code not in note(RECORDED[1:2])
