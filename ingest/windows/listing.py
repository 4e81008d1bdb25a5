"""Turns columns into rows for the database, and the rows of each segment into one JSON text."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from ingest.measuring.columns import Integers, Segments

Row = dict[str, Any]
Values = Callable[[int, int], list[Any]]  # computes the values of rows begin to end
MOST_ROWS = 10_000


@cache
def find_start(window: int, window_ns: int) -> datetime:
    return datetime.fromtimestamp(window * window_ns // 1_000_000_000, UTC)


def list_rows(columns: dict[str, Any]) -> Iterator[Row]:
    """One dictionary per row; NaN becomes None. The first column is an array or a list, others may be `Values`.

    Objects take ten times the memory of arrays, so at most MOST_ROWS rows are made at one time.
    """
    count = len(next(iter(columns.values())))
    for begin in range(0, count, MOST_ROWS):
        end = min(begin + MOST_ROWS, count)
        lists = [list_values(column, begin, end) for column in columns.values()]
        yield from (dict(zip(columns, values, strict=True)) for values in zip(*lists, strict=True))


def list_values(column: Any, begin: int, end: int) -> list[Any]:
    if callable(column):
        return list(column(begin, end))
    values = column[begin:end]
    if not isinstance(values, np.ndarray):
        return list(values)
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124  # true of NaN alone


def list_objects(columns: dict[str, Any], spots: Segments) -> Values:
    """A function that gives the rows of each segment as a JSON text."""
    edges = np.append(spots.begins, spots.sizes.sum())

    def make(begin: int, end: int) -> list[str]:
        places = edges[begin : end + 1]
        rows = list(list_rows({name: column[places[0] : places[-1]] for name, column in columns.items()}))
        return [json.dumps(rows[one:other]) for one, other in pairwise((places - places[0]).tolist())]

    return make


def list_buckets(bucket: Integers, count: Integers, bounds: Sequence[float], spots: Segments) -> Values:
    """A function that gives the rows of each segment's histogram (`upper_seconds`, `count`) as a JSON text,
    faster than `list_objects`.
    """
    edges = np.append(spots.begins, spots.sizes.sum())
    heads = [f'{{"upper_seconds": {bound!r}, "count": ' for bound in bounds]

    def make(begin: int, end: int) -> list[str]:
        places = edges[begin : end + 1]
        inside = slice(places[0], places[-1])
        pairs = zip(bucket[inside].tolist(), count[inside].tolist(), strict=True)
        texts = [f"{heads[one]}{tuples}}}" for one, tuples in pairs]
        return [f"[{', '.join(texts[one:other])}]" for one, other in pairwise((places - places[0]).tolist())]

    return make


def remember(values: Values) -> Values:
    """A function with the answers of `values`, which keeps the last answer for other columns that ask for the
    same rows.
    """
    last: dict[tuple[int, int], list[Any]] = {}

    def make(begin: int, end: int) -> list[Any]:
        if (begin, end) not in last:
            last.clear()
            last[begin, end] = values(begin, end)
        return last[begin, end]

    return make
