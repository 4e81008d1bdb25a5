"""Columns as rows, and rows as JSON texts."""

import json
from datetime import UTC, datetime

import numpy as np

from ingest.measuring.columns import cut_segments
from ingest.windows.listing import MOST_ROWS, find_start, list_buckets, list_objects, list_rows, remember


def test_what_is_not_a_number_is_null():
    rows = list_rows({"n": np.array([1, 2]), "x": np.array([np.nan, 0.5]), "name": ["a", None]})
    assert list(rows) == [{"n": 1, "x": None, "name": "a"}, {"n": 2, "x": 0.5, "name": None}]


def test_rows_hold_pythons_own_numbers():
    (row,) = list_rows({"n": np.array([1], dtype=np.int32), "x": np.array([2.0])})
    assert [type(value) for value in row.values()] == [int, float]


def test_each_segment_is_one_text():
    texts = list_objects({"n": np.array([1.0, np.nan, 3.0])}, cut_segments(np.array([0, 0, 4])))
    assert [json.loads(text) for text in texts(0, 2)] == [[{"n": 1.0}, {"n": None}], [{"n": 3.0}]]
    assert [json.loads(text) for text in texts(1, 2)] == [[{"n": 3.0}]]


def test_objects_are_made_of_a_stretch_of_rows_at_a_time():
    """Those of a day of a thousand operators would take eight gigabytes."""
    asked = []

    def give_halves(begin: int, end: int) -> list[float]:
        asked.append((begin, end))
        return [place / 2 for place in range(begin, end)]

    rows = list_rows({"n": np.arange(2 * MOST_ROWS + 1), "half": give_halves})
    assert (next(rows), asked) == ({"n": 0, "half": 0.0}, [(0, MOST_ROWS)])
    assert list(rows)[-1] == {"n": 2 * MOST_ROWS, "half": MOST_ROWS}
    assert asked[-1] == (2 * MOST_ROWS, 2 * MOST_ROWS + 1)


def test_windows_begin_at_multiples_of_their_length_since_the_epoch():
    assert find_start(29_916_000, 60 * 10**9) == datetime(2026, 11, 18, tzinfo=UTC)
    assert find_start(3, 86_400 * 10**9) == datetime(1970, 1, 4, tzinfo=UTC)


def test_buckets_are_the_same_texts_as_objects():
    bucket, count, spots = np.array([0, 2, 1]), np.array([7, 1, 5]), cut_segments(np.array([3, 3, 4]))
    bounds = [0.0, 1.125e-9, 0.1]
    texts = list_buckets(bucket, count, bounds, spots)
    assert texts(0, 2) == list_objects({"upper_seconds": np.array(bounds)[bucket], "count": count}, spots)(
        0, 2
    )
    assert texts(1, 2) == texts(0, 2)[1:]


def test_what_several_columns_are_made_of_is_computed_once():
    asked = []

    def make(begin: int, end: int) -> list[int]:
        asked.append((begin, end))
        return list(range(begin, end))

    values = remember(make)
    assert [values(*span) for span in ((0, 2), (0, 2), (2, 3))] == [[0, 1], [0, 1], [2]]
    assert asked == [(0, 2), (2, 3)]
