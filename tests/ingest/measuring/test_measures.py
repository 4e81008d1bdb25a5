"""Counts, quantiles, histograms, instances and edges of rows, beside numpy and plain Python."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.measuring.columns import Codes, Integers, Segments, Table, TupleRows, cut_segments
from ingest.measuring.measures import (
    BUCKETS_PER_OCTAVE,
    MOST_SPANS,
    count_services,
    find_buckets,
    find_upper_ns,
    measure_edges,
    measure_instances,
    measure_operators,
    square_gaps,
    thin_spans,
    weigh,
)
from tests.ingest.in_memory import make_rows, slice_windows
from tests.ingest.logs import START_NS, make_events, make_single_events
from tests.ingest.reference import NS, Event
from tests.ingest.shapes import find_upper

WINDOW_NS = 60 * NS
CENTURIES_NS = 170 * 365 * 86_400 * NS
EVENTS = [
    *make_single_events(150, seed=31),
    *make_events(60, seed=32, topology="nth", sample_every=3),
    *make_events(60, seed=33, topology="chance", sample_every=7, sampling="random"),
]
Groups = dict[tuple[Any, ...], list[Event]]


@pytest.fixture(scope="module")
def measured() -> tuple[TupleRows, Integers, Segments, Codes]:
    rows, codes, repeated = make_rows(EVENTS, slice_windows())
    assert repeated == 0
    return rows, rows.slice, cut_segments(rows.operator, rows.slice), codes


def group(pick: Callable[[Event], tuple[Any, ...]]) -> Groups:
    """The events by what is picked and the window, in order of arrival."""
    found: Groups = {}
    for e in sorted(EVENTS, key=lambda e: e.arrived_ns):
        found.setdefault((*pick(e), e.arrived_ns // WINDOW_NS), []).append(e)
    return found


def by_name(table: Table, names: list[Any], column: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    keys = zip(table[column].tolist(), table["window"].tolist(), strict=True)
    return {
        (*names[place], window): {name: values[row] for name, values in table.items()}
        for row, (place, window) in enumerate(keys)
    }


def spans_of(events: list[Event]) -> tuple[Integers, Integers, Integers]:
    times = np.array([(e.arrived_ns, e.started_ns, e.finished_ns) for e in events])
    return times[:, 0], times[:, 1] - times[:, 0], times[:, 2] - times[:, 1]


def square(values: Integers) -> float:
    return float(np.var(values) * len(values)) if len(values) else 0.0


def test_each_operator_is_measured_in_each_window(measured: tuple[TupleRows, Integers, Segments, Codes]):
    rows, window, spots, codes = measured
    found = by_name(
        measure_operators(rows, window, spots, WINDOW_NS, is_cut=False), codes.operators, "operator"
    )
    expected = group(lambda e: (e.topology, e.operator))
    assert found.keys() == expected.keys()
    for key, events in expected.items():
        row, (arrived, wait, service) = found[key], spans_of(events)
        counts = (row["tuples"], row["first_ns"], row["last_ns"], row["wait_ns"], row["service_ns"])
        assert counts == (len(events), arrived[0], arrived[-1], wait.sum(), service.sum())
        assert row["gap_squares"] == pytest.approx(square(np.diff(arrived)), rel=1e-9, abs=1e-3)
        assert row["service_squares"] == pytest.approx(square(service), rel=1e-9)
        for name, values in (("wait", wait), ("sojourn", wait + service)):
            for percent in (50, 95, 99):
                assert row[f"{name}_p{percent}"] == pytest.approx(np.quantile(values, percent / 100))


def test_each_instance_is_measured_in_each_window(measured: tuple[TupleRows, Integers, Segments, Codes]):
    rows, window, spots, codes = measured
    found = by_name(measure_instances(rows, window, spots, codes), codes.instances, "instance")
    expected = group(lambda e: (e.topology, e.operator, e.instance))
    assert found.keys() == expected.keys()
    for key, events in expected.items():
        row, (arrived, wait, service) = found[key], spans_of(events)
        every = np.array([e.sample_every for e in events])
        assert codes.operators[row["operator"]] == key[:2]
        assert (row["tuples"], row["first_ns"], row["last_ns"]) == (len(events), arrived[0], arrived[-1])
        assert (row["weight"], row["busy_ns"]) == (every.sum(), (every * service).sum())
        assert (row["begun_ns"], row["ended_ns"]) == (
            (arrived + wait).min(),
            (arrived + wait + service).max(),
        )
        assert row["service_ns"] == service.sum()
        assert row["gap_squares"] == pytest.approx(square(np.diff(arrived)), rel=1e-9, abs=1e-3)


def test_each_edge_is_counted_in_each_window(measured: tuple[TupleRows, Integers, Segments, Codes]):
    rows, window, spots, codes = measured
    found = by_name(measure_edges(rows, window, spots, codes), codes.edges, "edge")
    expected = group(lambda e: (e.topology, e.operator, e.from_operator))
    assert found.keys() == expected.keys()
    for key, events in expected.items():
        row = found[key]
        sampled = [e for e in events if e.sample_every > 1]
        assert [row[name] for name in ("tuples", "weight", "sampled", "thinned", "first_ns", "last_ns")] == [
            len(events),
            sum(e.sample_every for e in events),
            len(sampled),
            sum(e.sampling == "random" for e in sampled),
            events[0].arrived_ns,
            events[-1].arrived_ns,
        ]


def test_the_histogram_counts_every_service_in_its_bucket(
    measured: tuple[TupleRows, Integers, Segments, Codes],
):
    rows, window, spots, codes = measured
    table = count_services(rows, window, spots)
    found: dict[tuple[Any, ...], dict[float, int]] = {}
    columns = (table["operator"], table["window"], find_upper_ns(table["bucket"]), table["tuples"])
    for operator, at, upper, count in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault((*codes.operators[operator], at), {})[upper] = count
    expected = group(lambda e: (e.topology, e.operator))
    assert found == {
        key: Counter(find_upper(e.finished_ns - e.started_ns) for e in events)
        for key, events in expected.items()
    }


@given(st.integers(0, 2**53) | st.integers(0, 40))
def test_a_service_lies_below_the_bound_of_its_bucket_and_not_below_that_of_the_one_before(nanos: int):
    bucket = find_buckets(np.array([nanos]))
    upper, lower = find_upper_ns(bucket)[0], find_upper_ns(bucket - 1)[0]
    assert upper == find_upper(nanos)
    assert nanos == upper == 0 or max(lower, 1) <= nanos < upper
    assert upper <= max(1, nanos) * (1 + 1 / BUCKETS_PER_OCTAVE)


def test_the_longest_service_has_a_bucket_of_its_own_window():
    """More than 1,023 buckets would count it in another window."""
    assert find_upper_ns(np.array([1023]))[0] > 2 * CENTURIES_NS
    assert find_buckets(np.array([CENTURIES_NS]))[0] < 1023


def test_gaps_between_segments_are_none():
    spots = cut_segments(np.array([0, 0, 0, 1, 2, 2]))
    arrived = np.array([10, 20, 50, 7, START_NS, START_NS + 5])
    assert square_gaps(arrived, spots).tolist() == [200.0, 0.0, 0.0]
    assert square_gaps(arrived[:0], cut_segments(arrived[:0])).tolist() == []


@pytest.mark.parametrize("count", [1, MOST_SPANS, MOST_SPANS + 1, 3 * MOST_SPANS + 7])
def test_of_a_part_of_a_window_at_most_so_many_spans_are_kept(count: int):
    """Each stands for `stride`, and lies in the middle of these."""
    waits = np.random.default_rng(count).permutation(count)
    same = np.zeros(count, dtype=np.int64)
    rows = TupleRows(same, same, same, same, same, waits, same + 5)
    spots = cut_segments(same)
    kept = thin_spans(rows, same, spots, is_cut=True)
    stride = math.ceil(count / MOST_SPANS)
    assert len(kept["wait"]) <= MOST_SPANS
    assert set(kept["stride"].tolist()) == {stride}
    assert kept["wait"].tolist() == list(range(stride // 2, count, stride))
    assert (kept["sojourn"] - 5).tolist() == kept["wait"].tolist()
    assert len(thin_spans(rows, same, spots, is_cut=False)["wait"]) == 0


def test_centuries_of_service_are_weighed_without_overflow():
    services = np.array([CENTURIES_NS, CENTURIES_NS + 1, 5, 6])
    found = weigh(services, np.array([1_000_000, 1_000_000, 1, 2]), cut_segments(np.array([0, 0, 1, 1])))
    assert found.tolist() == pytest.approx([2e6 * CENTURIES_NS, 17.0], rel=1e-15)
    pool = weigh(np.full(20_000, 2 * NS), np.full(20_000, 1_000_000), cut_segments(np.zeros(20_000)))
    assert pool.tolist() == [20_000 * 2e15], "centuries of all services together"
