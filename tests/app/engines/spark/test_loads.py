"""app/engines/spark/loads.py: one load for each batch, by Spark's own rates."""

from itertools import pairwise
from typing import Any

import pytest

from app.engines.spark.batches import Batch, order_batches, read_batch
from app.engines.spark.loads import find_wait, read_loads
from tests.app.engines.mutating import load_golden
from tests.app.engines.spark.test_batches_offsets import kafka

RECORDED = load_golden("spark/recentProgress-stateful.json")


def order(progress: list[Any]) -> list[Batch]:
    """The batches of progress documents."""
    return order_batches([batch for one in progress if (batch := read_batch(one)) is not None])


def limit(rows: int, end: int, latest: int) -> dict[str, object]:
    """What a progress document of a limited Kafka source changes."""
    return {"numInputRows": rows, "sources": [kafka(rows, end, latest)]}


@pytest.mark.parametrize("name", ["recentProgress-stateful.json", "recentProgress-stateless.json"])
def test_the_rates_are_those_that_spark_computed(name: str):
    documents = load_golden(f"spark/{name}")
    read, left = read_loads("q", order(documents), None)
    assert [one.number for one in left.firsts] == [0]
    for document, one in zip(documents[1:], read, strict=True):
        measured = one.load.operators["q"]
        assert one.load.external_rate == pytest.approx(document["inputRowsPerSecond"], abs=0.06)
        assert measured.service_rate == pytest.approx(document["processedRowsPerSecond"], rel=0.005)
        assert (measured.processors, measured.backlog_tuples) == (1, 0.0)


def test_the_service_rate_of_a_core_is_a_part_of_that_of_the_query():
    batches = order(RECORDED)
    whole, cores = (read_loads("q", batches, k)[0][0].load.operators["q"] for k in (None, 4))
    assert cores.processors == 4
    assert cores.service_rate == pytest.approx((whole.service_rate or 0.0) / 4)


def test_intervals_join_without_gap_or_overlap():
    read, _ = read_loads("q", order(RECORDED), None)
    for one, other in pairwise(read):
        assert one.load.observed_at is not None
        assert other.load.observed_at is not None
        gap = (other.load.observed_at - one.load.observed_at).total_seconds() - one.interval
        assert gap == pytest.approx(0.0, abs=1e-6)


def test_a_limited_batch_tells_what_arrived_and_what_was_served_apart():
    first, second = (RECORDED[1] | limit(40, 20, 30)), (RECORDED[2] | limit(40, 40, 80))
    read, _ = read_loads("q", order([first, second]), None)
    measured = read[-1].load.operators["q"]
    assert read[-1].load.external_rate == pytest.approx(2 * 50 / 3.548)
    assert measured.served_rate == pytest.approx(40 / 3.548)
    assert measured.backlog_tuples == 80


def test_a_limited_batch_alone_does_not_tell_what_arrived():
    read, left = read_loads("q", order([RECORDED[2] | limit(40, 40, 80)]), None)
    assert not read
    assert len(left.unknown) == 1


def test_an_empty_batch_has_a_load_of_zero_and_no_service_rate():
    read, _ = read_loads("q", order([RECORDED[1], RECORDED[2] | {"numInputRows": 0, "sources": []}]), None)
    assert read[-1].load.external_rate == 0.0
    assert read[-1].load.operators["q"].service_rate is None


def test_the_wait_is_half_the_interval_and_the_batch():
    read, _ = read_loads("q", order(RECORDED[1:3]), None)
    alone = read[-1:]
    assert find_wait(alone) == pytest.approx(0.5 * 3.548 + 1.979)
    assert find_wait([]) is None
