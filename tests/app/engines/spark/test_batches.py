"""app/engines/spark/batches.py: batches, their order, and the time in which their rows arrived."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.engines.spark import batches
from tests.app.engines.mutating import load_golden

RECORDED: list[Any] = load_golden("spark/recentProgress-stateless.json")
START = datetime(2026, 11, 18, tzinfo=UTC)


def make(
    number: int | None, second: float, rows: int = 50, rate: float | None = None, run: str = "a"
) -> batches.Batch:
    """A batch of one run, triggered so many seconds after the start."""
    return batches.Batch("q", "id", run, number, START + timedelta(seconds=second), rows, 0.5, rate)


def test_a_recorded_batch_is_read():
    batch = batches.read_batch(RECORDED[1])
    assert batch is not None
    assert (batch.query, batch.number, batch.rows, batch.seconds, batch.input_rate) == (
        "stateless",
        1,
        450,
        1.221,
        48.1,
    )
    assert batch.begun_at == datetime(2026, 11, 18, 22, 41, 51, 378000, UTC)


@pytest.mark.parametrize("missing", ["timestamp", "numInputRows"])
def test_a_document_without_time_or_rows_is_no_batch(missing: str):
    assert batches.read_batch({key: value for key, value in RECORDED[1].items() if key != missing}) is None


def test_a_listener_event_carries_its_progress():
    event = {"class": "QueryProgressEvent", "progress": RECORDED[0]}
    assert batches.list_progress([event, RECORDED[1]]) == RECORDED[:2]


def test_a_batch_sent_twice_counts_once_and_batches_come_in_order():
    listed = [make(2, 2.0), make(1, 1.0), make(2, 2.0)]
    assert [one.number for one in batches.order_batches(listed)] == [1, 2]


@pytest.mark.parametrize(
    ("first", "second", "follows"),
    [
        (make(1, 0.0), make(2, 1.0), True),
        (make(1, 0.0), make(1, 10.0, rows=0), True),  # the progress of an idle query repeats the number
        (make(1, 0.0), make(3, 1.0), False),
        (make(1, 0.0), make(0, 1.0, run="b"), False),
        (make(1, 0.0), make(2, 1.0, run="b"), False),
        (make(None, 0.0), make(1, 1.0), False),
    ],
)
def test_a_batch_follows_where_none_lies_between(
    first: batches.Batch, second: batches.Batch, *, follows: bool
):
    pairs = list(batches.pair_batches([first, second]))
    assert pairs == [(None, first), (first if follows else None, second)]


def test_rows_arrived_since_the_trigger_before():
    assert batches.find_interval(make(1, 0.0), make(2, 1.25)) == 1.25


def test_a_batch_alone_has_the_interval_of_its_own_rate():
    assert batches.find_interval(None, make(2, 1.25, rows=50, rate=48.1)) == pytest.approx(
        50 / 48.1, abs=0.0005
    )


@pytest.mark.parametrize(
    ("before", "batch"),
    [
        (None, make(0, 0.0, rows=0, rate=0.0)),  # the first batch of a run
        (None, make(0, 0.0, rows=450)),
        (make(1, 0.0), make(2, 0.0)),
        (make(1, 0.0), make(2, 1e6)),
    ],
)
def test_an_interval_that_is_not_known_stays_unknown(before: batches.Batch | None, batch: batches.Batch):
    assert batches.find_interval(before, batch) is None
