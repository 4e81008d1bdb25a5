"""Columns of equal length under names: what tasks hand to each other and to the driver."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = dict[str, NDArray[Any]]


def take(table: Table, rows: NDArray[Any]) -> Table:
    """The rows at these places, or where true."""
    return {name: column[rows] for name, column in table.items()}


def stack(tables: Iterable[Table]) -> Table:
    """The rows of tables of equal columns, one after another."""
    held = list(tables)
    return {name: np.concatenate([table[name] for table in held]) for name in held[0]}


def sort_by(table: Table, *names: str) -> Table:
    """By the first name, rows of equal values by the second, and so on."""
    return take(table, np.lexsort([table[name] for name in reversed(names)]))
