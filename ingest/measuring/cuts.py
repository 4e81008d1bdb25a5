"""Records of a block -> cuts: the records of one part, in order of time.

A part holds whole slices of time of a topology; a slice is a window, or a part of a long one. The key is the time and
not the operator, so that one busy operator does not make one task longer than the others.
"""

from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np

from ingest.measuring.dispersion import FINEST, find_bin_lengths
from ingest.measuring.segments import Column, Integers, cut_segments, number, sort_by_code
from ingest.reading.records import Records, TupleKind
from ingest.request import Request

LONG_WINDOW_NS = 600 * 1_000_000_000
PART_RECORDS, MOST_PARTS = 500_000, 256
MOST_SLICES = 128  # bins of the dispersion are not cut: the longest is a slice
ARRIVAL, START, FINISH = 0, 1, 2


class Slicing(NamedTuple):
    """How a run's records are cut: `slice_ns` is a window or a part of it; `most_records` are held at once."""

    window_ns: int
    slice_ns: int
    parts: int
    most_records: int
    day_ns: tuple[int, ...] | None

    @property
    def root_parts(self) -> int:
        """The parts in which roots are finished: they are fewer and shorter than records."""
        return -(-self.parts // 4)

    @property
    def per_window(self) -> int:
        """The slices of a window."""
        return -(-self.window_ns // self.slice_ns)


class Cut(NamedTuple):
    """Records of one part from one block, in order of `at_ns`.

    `role` says what `at_ns` is: the record's arrival, or its start or finish, where that lies in a later slice.
    """

    kinds: list[TupleKind]
    kind: Column
    root: Column
    at_ns: Column
    wait_ns: Column
    service_ns: Column
    role: Column


def plan_slices(request: Request, records: int) -> Slicing:
    """`records` is a guess. Long windows are cut so that all cores have work, even if all records lie in one window."""
    wanted = -(-records // PART_RECORDS)
    slices = (
        min(MOST_SLICES, 1 << max(0, wanted - 1).bit_length()) if request.window_ns > LONG_WINDOW_NS else 1
    )
    bounds = request.day_bounds()
    day_ns = tuple(int(bound.timestamp()) * 1_000_000_000 for bound in bounds) if bounds else None
    slice_ns = find_slice_length(request.window_ns, slices)
    return Slicing(request.window_ns, slice_ns, min(max(wanted, 1), MOST_PARTS), request.most_records, day_ns)


def find_slice_length(window_ns: int, slices: int) -> int:
    """A window or the 2nd, 4th, ... 128th part of it, rounded up to whole bins of the dispersion."""
    return min(window_ns, int(find_bin_lengths(window_ns)[0]) * (1 << FINEST) // slices)


def keep_day(records: Records, slicing: Slicing) -> Records:
    """With a day, only records that arrived on it: the others would replace windows of another day by parts."""
    if slicing.day_ns is None:
        return records
    begin, end = slicing.day_ns
    inside = (records.arrived_ns >= begin) & (records.arrived_ns < end)
    columns: list[Column] = [column[inside] for column in records[1:]]
    return Records(records.kinds, *columns)


def number_slices(at: Integers, slicing: Slicing) -> Integers:
    """Slices begin with each window anew: a window need not be a whole number of slices."""
    window = at // slicing.window_ns
    if slicing.per_window == 1:
        return window
    return window * slicing.per_window + (at - window * slicing.window_ns) // slicing.slice_ns


def cut_records(records: Records, slicing: Slicing) -> Iterator[tuple[int, Cut]]:
    """The number of the part and its records, for each part of which the block has some."""
    arrived, wait, service = records.arrived_ns, records.wait_ns, records.service_ns
    starts, finishes = arrived + wait, arrived + wait + service
    slices = [number_slices(at, slicing) for at in (arrived, starts, finishes)]
    late = [np.flatnonzero(one != slices[ARRIVAL]) for one in slices[START:]]
    row = np.concatenate([np.arange(len(arrived)), *late])
    role = np.repeat(np.arange(3, dtype=np.uint8), [len(arrived), *map(len, late)])
    at = np.concatenate([arrived, starts[late[0]], finishes[late[1]]])
    spread = np.array([crc32(kind.topology.encode()) for kind in records.kinds], dtype=np.int64)
    places = [slices[ARRIVAL], slices[START][late[0]], slices[FINISH][late[1]]]
    part = (np.concatenate(places) + spread[records.kind[row]]) % slicing.parts
    order = np.argsort(at, kind="stable")
    order = order[sort_by_code(part[order])]
    row, role, at, part = row[order], role[order], at[order], part[order]
    segments = cut_segments(part)
    for begin, size in zip(segments.begins, segments.sizes, strict=True):
        inside = slice(begin, begin + size)
        rows = row[inside]
        used, kind = number(records.kind[rows].astype(np.int64))
        yield (
            int(part[begin]),
            Cut(
                [records.kinds[place] for place in used],
                kind.astype(np.int32),
                records.root[rows],
                at[inside],
                wait[rows],
                service[rows],
                role[inside],
            ),
        )
