"""Gaps, services, levels and quantiles of a window, whole or in pieces."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.measuring.columns import Table, cut_segments
from ingest.measuring.measures import MOST_SPANS, QUANTILES
from ingest.windows.timeline import find_scv, join_gaps, join_quantiles, join_services, weigh_quantiles
from tests.ingest import reference
from tests.ingest.in_memory import assert_same, roll_up, slice_windows
from tests.ingest.logs import START_NS, make_events
from tests.ingest.reference import NS, Event

ONE = Event("t", "o", "i", "a", None, START_NS, START_NS, START_NS)
FRACTIONS = list(QUANTILES.values())
VALUES = st.lists(st.integers(0, 30), min_size=1, max_size=12)


def make_pieces(parts: list[list[int]]) -> Table:
    """What measures.py says of the arrivals of each piece."""
    found = [np.array(part) for part in parts]
    gaps = [np.diff(part) for part in found]
    return {
        "tuples": np.array([len(part) for part in found]),
        "first_ns": np.array([part[0] for part in found]),
        "last_ns": np.array([part[-1] for part in found]),
        "gap_squares": np.array([((g - g.mean()) ** 2).sum() if len(g) else 0.0 for g in gaps]),
    }


@given(st.lists(VALUES, min_size=1, max_size=5), st.integers(0, 2))
def test_gaps_over_borders_count_in_the_window_of_the_later_tuple(parts: list[list[int]], whole: int):
    """The pieces follow each other; the first `whole` of them are one window, the others another."""
    ordered = np.cumsum([value for part in parts for value in part])
    sizes = [len(part) for part in parts]
    pieces = np.split(ordered, np.cumsum(sizes)[:-1])
    window = np.array([int(n >= whole) for n in range(len(pieces))])
    found = join_gaps(make_pieces([piece.tolist() for piece in pieces]), window * 0, cut_segments(window))
    of_later = np.repeat(window, sizes)[1:]
    for one, scv in zip(np.unique(window), found.tolist(), strict=True):
        known = reference.scv(np.diff(ordered)[of_later == one])
        assert math.isnan(scv) if known is None else scv == pytest.approx(known, rel=1e-9, abs=1e-12)


def test_no_gap_lies_between_two_owners():
    """The same pieces of one operator, and of two."""
    table = make_pieces([[0, 2, 4], [100, 102, 105]])
    windows = cut_segments(np.array([0, 1]))
    assert join_gaps(table, np.array([0, 1]), windows)[1] == pytest.approx(reference.scv([2, 3]))
    assert join_gaps(table, np.array([0, 0]), windows)[1] == pytest.approx(reference.scv([96, 2, 3]))


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_services_of_pieces_have_the_scv_of_all(parts: list[list[int]]):
    table = {
        "tuples": np.array([len(part) for part in parts]),
        "service_ns": np.array([float(sum(part)) for part in parts]),
        "service_squares": np.array([np.var(part) * len(part) for part in parts]),
    }
    (found,) = join_services(table, cut_segments(np.zeros(len(parts)))).tolist()
    known = reference.scv([value for part in parts for value in part])
    assert math.isnan(found) if known is None else found == pytest.approx(known, rel=1e-9, abs=1e-12)


def test_fewer_than_two_values_or_a_mean_of_nothing_have_no_scv():
    found = find_scv(np.array([4.0, 4.0, 4.0]), np.array([1.0, 0.0, 2.0]), np.array([1, 2, 2]))
    assert np.isnan(found[:2]).all()
    assert found[2] == 0.5


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=12))
def test_weighed_quantiles_are_those_of_repeated_values(pairs: list[tuple[int, int]]):
    values, strides = np.array(pairs).T
    found = weigh_quantiles(values, strides)
    assert found == pytest.approx(np.quantile(np.repeat(values, strides), FRACTIONS))


@pytest.mark.parametrize("limit", [7, 100])
def test_cutting_windows_into_batches_changes_no_number(limit: int):
    events = make_events(300, seed=4, seconds=150)
    assert_same([events, events[100:130]], slice_windows(most_records=limit))


def test_thinned_quantiles_stay_within_their_rank_error():
    """Pieces of different sizes and waits, of which each kept value stands for several."""
    random = np.random.default_rng(5)
    parts = [
        np.sort(random.exponential(scale, size).astype(int))
        for scale, size in ((900, 35_000), (3000, 12_000))
    ]
    strides = [math.ceil(len(part) / MOST_SPANS) for part in parts]
    kept = [part[stride // 2 :: stride] for part, stride in zip(parts, strides, strict=True)]
    spans = {
        "operator": np.zeros(sum(map(len, kept)), dtype=int),
        "window": np.zeros(sum(map(len, kept)), dtype=int),
        "wait": np.concatenate(kept),
        "sojourn": np.concatenate(kept) + 7,
        "stride": np.repeat(strides, [len(one) for one in kept]),
    }
    names = {f"{span}_{label}" for span in ("wait", "sojourn") for label in QUANTILES}
    table: Table = {name: np.zeros(2, dtype=int) for name in ("operator", "window", *names)}
    found = join_quantiles(table, cut_segments(np.zeros(2)), spans)
    ordered = np.sort(np.concatenate(parts))
    for label, fraction in QUANTILES.items():
        rank = fraction * (len(ordered) - 1)
        low, high = math.floor(rank - sum(strides) / 2), math.ceil(rank + sum(strides) / 2)
        assert ordered[low] <= found[f"wait_{label}"][0] <= ordered[min(high, len(ordered) - 1)]
        assert found[f"sojourn_{label}"][0] == found[f"wait_{label}"][0] + 7


def test_a_lone_tuple_has_no_scv_and_the_next_has_its_gap():
    """Three tuples, hours apart: the gap belongs to the window of the later one, however far the earlier."""
    events = [ONE, ONE.moved(3600 * NS), ONE.moved(3600 * NS + NS)]
    operators, _, _ = roll_up([events], slice_windows())
    rows = [operators[key] for key in sorted(operators)]
    assert [row["arrival_scv"] for row in rows] == [
        None,
        pytest.approx(np.var([3600, 1]) / 1800.5**2, rel=1e-12),
    ]
    assert [row["service_scv"] for row in rows] == [None, None], "a mean of nothing has no variation"
    assert [row["service_rate"] for row in rows] == [None, None], "nothing was served in no time"


def test_gaps_all_equal_have_scv_zero():
    one = replace(ONE, started_ns=START_NS + NS, finished_ns=START_NS + 2 * NS)
    operators, _, _ = roll_up([[one.moved(i * 100_000_000) for i in range(900)]], slice_windows())
    assert {row["arrival_scv"] for row in operators.values()} == {0.0}
    assert {row["service_scv"] for row in operators.values()} == {0.0}


def test_a_service_over_several_windows_is_under_way_in_each():
    """No start and no finish lies in the second window: its level is carried over."""
    long = replace(ONE, operator="long", finished_ns=START_NS + 150 * NS)
    after = START_NS + 200 * NS
    late = replace(long, instance="j", started_ns=after, finished_ns=after)
    marks = [replace(late, arrived_ns=START_NS + n * 30 * NS) for n in range(7)]
    operators, _, _ = roll_up([[long, *marks]], slice_windows())
    rows = [operators[key] for key in sorted(operators)]
    assert [row["most_busy"] for row in rows] == [1, 1, 1, 0]
    assert rows[1]["mean_busy"] == pytest.approx(1.0)
    assert rows[2]["mean_busy"] == pytest.approx(0.5)
