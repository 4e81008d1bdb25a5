"""Sums, orders and numbers of segments, beside loops over plain lists."""

from collections import Counter
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.measuring.columns import SMALL, count_pairs, cut_segments, number, number_pairs, sort_by_code

CODES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=12).map(sorted)
LARGE = 1 << 60


@given(CODES)
def test_segments_are_the_runs_of_equal_codes(codes: list[tuple[int, int]]):
    columns = np.array(codes, dtype=np.int64).reshape(-1, 2).T
    values = np.arange(len(codes)) * 7 % 5
    found = cut_segments(*columns)
    runs = [[place for place, _ in run] for _, run in groupby(enumerate(codes), lambda pair: pair[1])]
    assert [list(range(b, b + n)) for b, n in zip(found.begins, found.sizes, strict=True)] == runs
    assert found.sum(values).tolist() == [sum(values[run]) for run in runs]
    assert found.min(values).tolist() == [min(values[run]) for run in runs]
    assert found.max(values).tolist() == [max(values[run]) for run in runs]
    assert found.first(values).tolist() == [values[run[0]] for run in runs]
    assert found.last(values).tolist() == [values[run[-1]] for run in runs]
    assert found.spread(np.arange(len(runs))).tolist() == [n for n, run in enumerate(runs) for _ in run]


def test_sums_of_large_integers_neither_overflow_nor_depend_on_order():
    values = np.array([LARGE + 3 * n for n in range(20)] + [1, 2, 3], dtype=np.int64)
    found = cut_segments(np.array([0] * 20 + [1] * 3))
    sums = found.sum_exactly(values).tolist()
    assert sums == [float(20 * LARGE + 570), 6.0]
    assert found.sum_exactly(np.append(values[19::-1], values[:19:-1])).tolist() == sums


def test_squares_of_large_values_lose_no_digits():
    values = np.array([5, 6, 7, 9], dtype=np.int64) + LARGE
    assert cut_segments(np.zeros(4)).square(values).tolist() == pytest.approx([4 * np.var([5, 6, 7, 9])])


@given(st.lists(st.integers(-5, 5) | st.integers(LARGE, LARGE + 3) | st.integers(0, 10**6), max_size=10))
def test_numbers_are_places_among_the_distinct_values(values: list[int]):
    distinct, codes = number(np.array(values, dtype=np.int64))
    assert distinct.tolist() == sorted(set(values))
    assert distinct[codes].tolist() == values


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3) | st.integers(900, 903)), max_size=10))
def test_pairs_are_numbered_in_their_order(pairs: list[tuple[int, int]]):
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    places = {pair: place for place, pair in enumerate(sorted(set(pairs)))}
    assert number_pairs(*columns).tolist() == [places[pair] for pair in pairs]


@pytest.mark.parametrize("most", [3, SMALL - 1, SMALL, SMALL + 5])
def test_sorting_is_stable_whatever_the_largest_code(most: int):
    codes = np.array([most, 1, 0, most, 1, 0], dtype=np.int64)
    assert sort_by_code(codes).tolist() == [2, 5, 1, 4, 0, 3]


@given(
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5) | st.integers(2000, 10**7)), max_size=30)
)
def test_pairs_are_counted_in_order(pairs: list[tuple[int, int]]):
    """By a table where they are dense, by sorting where they are not."""
    first, second = (
        np.array(column, dtype=np.int64) for column in (zip(*pairs, strict=True) if pairs else ([], []))
    )
    found = zip(*(column.tolist() for column in count_pairs(first, second)), strict=True)
    assert list(found) == [(*pair, count) for pair, count in sorted(Counter(pairs).items())]
