"""Columns -> rows, and rows of a segment -> one JSON text."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np

from ingest.segments import Segments

Row = dict[str, Any]


@cache
def find_start(window: int, window_ns: int) -> datetime:
    return datetime.fromtimestamp(window * window_ns // 1_000_000_000, UTC)


def list_rows(columns: dict[str, Any]) -> Iterator[Row]:
    """One dictionary per row; NaN becomes None."""
    lists = [
        [None if value != value else value for value in column.tolist()]  # noqa: PLR0124  # true of NaN alone
        if isinstance(column, np.ndarray)
        else column
        for column in columns.values()
    ]
    for values in zip(*lists, strict=True):
        yield dict(zip(columns, values, strict=True))


def list_objects(columns: dict[str, Any], spots: Segments) -> list[str]:
    """The rows of each segment as a JSON text."""
    rows = list(list_rows(columns))
    ends = spots.begins + spots.sizes
    return [
        json.dumps(rows[begin:end]) for begin, end in zip(spots.begins.tolist(), ends.tolist(), strict=True)
    ]
