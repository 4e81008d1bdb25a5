"""Tables of numeric columns, codes (numbers that stand for names), and segments (runs of rows with equal codes)."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.reading.records import TupleKind

Column = NDArray[Any]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
SMALL = 1 << 16  # numpy sorts 16-bit integers by radix, in a fraction of the time
LOW_BITS = 30


class Segments(NamedTuple):
    """Segments of a sorted table: for each run of rows with equal codes, the place of its first row and its
    number of rows.
    """

    begins: Integers
    sizes: Integers

    def sum(self, values: Column) -> Column:
        return np.asarray(np.add.reduceat(values, self.begins) if len(self.begins) else values[:0])

    def min(self, values: Column) -> Column:
        return np.asarray(np.minimum.reduceat(values, self.begins) if len(self.begins) else values[:0])

    def max(self, values: Column) -> Column:
        return np.asarray(np.maximum.reduceat(values, self.begins) if len(self.begins) else values[:0])

    def first(self, values: Column) -> Column:
        return np.asarray(values[self.begins])

    def last(self, values: Column) -> Column:
        return np.asarray(values[self.begins + self.sizes - 1])

    def spread(self, values: Column) -> Column:
        """A column that repeats the value of each segment in all rows of the segment."""
        return np.repeat(values, self.sizes)

    def sum_exactly(self, values: Integers) -> Floats:
        """The sum of integers over each segment, as floats: it cannot overflow and does not depend on the
        order of rows.
        """
        if not len(values) or int(values.max()) < (1 << 62) // len(values):
            return self.sum(values).astype(np.float64)
        low = (1 << LOW_BITS) - 1
        return np.asarray(self.sum(values >> LOW_BITS) * float(low + 1) + self.sum(values & low))

    def square(self, values: Column) -> Floats:
        """The sum of squared differences from the segment's mean m, Σ(x − m)², for each segment.

        It is computed from differences to the segment's first value, which keep all digits.
        """
        offsets = (values - self.spread(self.first(values))).astype(np.float64)
        squares: Floats = self.sum((offsets - self.spread(self.sum(offsets) / self.sizes)) ** 2)
        return squares


def cut_segments(*sorted_codes: Column) -> Segments:
    """The segments of sorted columns: each is a run of rows that are equal in all of the columns."""
    count = len(sorted_codes[0])
    if not count:
        return Segments(np.zeros(0, np.int64), np.zeros(0, np.int64))
    differs = np.zeros(count - 1, dtype=bool)
    for codes in sorted_codes:
        differs |= codes[1:] != codes[:-1]
    begins = np.concatenate([[0], np.flatnonzero(differs) + 1])
    return Segments(begins, np.diff(np.append(begins, count)))


def number(values: Integers) -> tuple[Integers, Integers]:
    """The distinct values in order, and for each value its place among the distinct ones."""
    if not len(values):
        return values, values
    least = int(values.min())
    span = int(values.max()) - least + 1
    if span > 4 * len(values) + SMALL:
        distinct, codes = np.unique(values, return_inverse=True)
        return distinct, codes.astype(np.int64)
    offsets = values - least
    is_there = np.zeros(span, dtype=bool)
    is_there[offsets] = True
    places = np.cumsum(is_there) - 1
    return np.flatnonzero(is_there) + least, places[offsets]


def sort_by_code(codes: Integers) -> Integers:
    """The places that bring codes (whole numbers from 0) into ascending order; equal codes keep their order."""
    is_small = len(codes) == 0 or int(codes.max()) < SMALL
    order: Integers = np.argsort(codes.astype(np.uint16) if is_small else codes, kind="stable")
    return order


def number_pairs(first: Integers, second: Integers) -> Integers:
    """A number for each pair, equal for equal pairs; numbers begin at 0 and follow the order of pairs."""
    if not len(first):
        return first
    least = int(second.min())
    return number(first * (int(second.max()) - least + 1) + (second - least))[1]


def count_pairs(first: Integers, second: Integers) -> tuple[Integers, Integers, Integers]:
    """The first and second codes of the distinct pairs, in order, and how often each pair occurs."""
    if not len(first):
        return first, second, first
    least, width = int(second.min()), int(np.ptp(second)) + 1
    keys = first * width + (second - least)
    if int(first.max()) * width < 4 * len(keys) + SMALL:
        counts = np.bincount(keys)
        distinct = np.flatnonzero(counts)
        counts = counts[distinct]
    else:
        distinct, counts = np.unique(keys, return_counts=True)
    return distinct // width, distinct % width + least, counts


Table = dict[str, NDArray[Any]]


def take(table: Table, rows: NDArray[Any]) -> Table:
    """The rows of a table at the given places, or those where a mask is true."""
    return {name: column[rows] for name, column in table.items()}


def stack(tables: Iterable[Table]) -> Table:
    """Joins tables that have equal columns, one below the other."""
    held = list(tables)
    return {name: np.concatenate([table[name] for table in held]) for name in held[0]}


def sort_by(table: Table, *names: str) -> Table:
    """The table sorted by its first column, rows of equal values by the second column, and so on."""
    return take(table, np.lexsort([table[name] for name in reversed(names)]))


Name = tuple[str | None, ...]


class Codes(NamedTuple):
    """The names in a log, and for each kind of record the places of its names in these lists, and how it was
    sampled.
    """

    operators: list[Name]
    instances: list[Name]
    edges: list[Name]
    topologies: list[Name]
    operator: Column
    instance: Column
    edge: Column
    topology: Column
    every: Column
    is_random: Column
    is_outside: Column


class TupleRows(NamedTuple):
    """The records of a batch without duplicates, sorted by operator, slice of time and arrival."""

    kind: Column
    operator: Column
    slice: Column
    root: Column
    arrived_ns: Column
    wait_ns: Column
    service_ns: Column

    def take(self, order: Integers) -> "TupleRows":
        return TupleRows(*(column[order] for column in self))


def number_names(kinds: list[TupleKind], pick: Callable[[TupleKind], Name]) -> tuple[list[Name], Integers]:
    """The distinct names that `pick` gives for the kinds of records, and for each kind the place of its name
    among them.
    """
    places: dict[Name, int] = {}
    codes = [places.setdefault(pick(kind), len(places)) for kind in kinds]
    return list(places), np.array(codes, dtype=np.int64)


def make_codes(kinds: list[TupleKind]) -> Codes:
    picks: tuple[Callable[[TupleKind], Name], ...] = (
        lambda kind: kind[:2],
        lambda kind: kind[:3],
        lambda kind: (*kind[:2], kind.from_operator),
        lambda kind: kind[:1],
    )
    (operators, operator), (instances, instance), (edges, edge), (topologies, topology) = (
        number_names(kinds, pick) for pick in picks
    )
    every = np.array([kind.sample_every for kind in kinds], dtype=np.int64)
    is_random = np.array([kind.is_random for kind in kinds], dtype=np.int64)
    is_outside = np.array([kind.from_operator is None for kind in kinds], dtype=bool)
    names = (operators, instances, edges, topologies)
    return Codes(*names, operator, instance, edge, topology, every, is_random, is_outside)
