"""app/engines/spouts_and_bolts/heron/measures.py: metrics as rates and means."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.engines.spouts_and_bolts.heron.documents import MetricsAnswer, TimelineAnswer
from app.engines.spouts_and_bolts.heron.measures import measure_metrics, measure_timelines
from tests.app.engines.spouts_and_bolts.heron.composed import AT, load

COUNT, LATENCY = "__execute-count/split/default", "__execute-latency/split/default"


def make_timeline(points: dict[str, Any], ends: float | None = None, metric: str = COUNT) -> TimelineAnswer:
    return TimelineAnswer("count", ends, {metric: {"a": points}})


def test_the_newest_bucket_is_left_out_while_it_is_filled():
    found = measure_timelines([make_timeline({"60": "600", "120": "600", "180": "30"}, ends=200.0)])
    assert found is not None
    assert (found.seconds, found.buckets, found.of("count")) == (120.0, 2, {COUNT: {"a": 10.0}})
    assert found.begins_at == datetime.fromtimestamp(60, UTC)


def test_without_an_end_the_newest_bucket_is_taken_as_incomplete():
    found = measure_timelines([make_timeline({"60": "600", "120": "5"})])
    assert found is not None
    assert (found.buckets, found.of("count")[COUNT]) == (1, {"a": 10.0})
    assert measure_timelines([make_timeline({"60": "600"})]) is None
    assert measure_timelines([]) is None


def test_buckets_of_metrics_that_began_a_second_apart_are_minutes_all_the_same():
    series: Any = {
        COUNT: {"a": {"60": "600", "120": "600"}, "b": {"61": "60", "121": "60"}},
    }
    found = measure_timelines([TimelineAnswer("count", 400.0, series)])
    assert found is not None
    assert found.of("count")[COUNT] == {"a": 10.0, "b": 1.0}


def test_a_bucket_that_was_cut_short_does_not_shorten_the_others():
    points = {"60": "600", "120": "600", "180": "600", "190": "600", "250": "600"}
    found = measure_timelines([make_timeline(points, ends=310.0)])
    assert found is not None
    assert found.of("count")[COUNT]["a"] == 10.0


def test_a_mean_is_weighted_by_the_counts_of_its_buckets_and_nan_is_none():
    values: Any = {
        COUNT: {"a": {"60": "900", "120": "100", "180": "0"}},
        LATENCY: {"a": {"60": "1000000", "120": "11000000", "180": "-nan"}},
    }
    found = measure_timelines([TimelineAnswer("count", 400.0, values)])
    assert found is not None
    assert found.of("count")[LATENCY]["a"] == pytest.approx(2_000_000)


def test_timelines_of_two_samples_are_joined_by_the_second_of_their_buckets():
    first = make_timeline({"60": "600", "120": "1"}, ends=130.0)
    second = make_timeline({"120": "1200", "180": "1"}, ends=190.0)
    found = measure_timelines([first, second])
    assert found is not None
    assert (found.seconds, found.of("count")[COUNT]) == (120.0, {"a": 15.0})


def read_metrics(name: str, at: datetime = AT, **change: Any) -> MetricsAnswer:
    document = load(name) | change
    return MetricsAnswer(document["component"], float(document["interval"]), document["metrics"], at)


def test_an_interval_gives_rates_and_a_mean_over_nothing_is_unknown():
    found = measure_metrics([read_metrics("metrics-count")])[0]
    assert (found.begins_at, found.seconds, found.buckets) == (AT - timedelta(seconds=600), 600.0, 0)
    assert found.of("count") == {
        COUNT: {"container_1_count_4": pytest.approx(61.8), "container_2_count_5": pytest.approx(41.2)},
        LATENCY: {"container_1_count_4": 5_000_000.0},
    }


def test_all_time_is_no_interval_of_fifty_years():
    """The tracker answers the second of the epoch as interval: only two samples give rates."""
    first = read_metrics("metrics-all-time")
    assert measure_metrics([first]) == []
    grown = {"__emit-count/default": {"container_1_word_1": "1.2758000600e+10", "container_1_word_2": "5"}}
    second = read_metrics("metrics-all-time", AT + timedelta(seconds=60), metrics=grown)
    found = measure_metrics([first, second])
    assert len(found) == 1
    assert (found[0].begins_at, found[0].seconds) == (AT, 60.0)
    assert found[0].of("word") == {"__emit-count/default": {"container_1_word_1": pytest.approx(10.0)}}


def test_counts_without_any_time_are_unknown():
    answer = read_metrics("metrics-count")._replace(at=None)
    assert measure_metrics([answer]) == []
    assert measure_metrics([read_metrics("metrics-all-time"), read_metrics("metrics-all-time")]) == []
