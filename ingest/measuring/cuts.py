"""Divides the records of a log among Spark's tasks by time, and reads the records of a task in batches.

A task gets a part: whole slices of time of a topology. A slice is a window, or a fraction of a long window. Records
are divided by time and not by operator, so that a busy operator does not make one task longer than the others.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ingest.measuring.columns import Column, Integers, cut_segments, number, sort_by_code
from ingest.measuring.dispersion import FINEST, find_bin_lengths
from ingest.reading.records import Records, TupleKind
from ingest.request import Request

LONG_WINDOW_NS = 600 * 1_000_000_000
PART_RECORDS, MOST_PARTS = 500_000, 256
MOST_SLICES = 128  # a slice is at least as long as the longest bin of the dispersion
ARRIVAL, START, FINISH = 0, 1, 2


class Slicing(NamedTuple):
    """How a run divides time: into slices, which are windows or fractions of a window, and slices into parts for tasks.

    A task holds at most `most_records` in memory; `day_ns` is the beginning and the end of the only day that is read.
    """

    window_ns: int
    slice_ns: int
    parts: int
    most_records: int
    day_ns: tuple[int, ...] | None

    @property
    def root_parts(self) -> int:
        """The number of parts that sum up root tuples; fewer than other parts, since root tuples are fewer and
        smaller than records.
        """
        return -(-self.parts // 4)

    @property
    def per_window(self) -> int:
        """The number of slices into which each window is divided."""
        return -(-self.window_ns // self.slice_ns)


class Cut(NamedTuple):
    """The records that a block of a file sends to one part, in order of `at_ns`.

    `at_ns` is the arrival of a record, or its start or finish if that lies in a later slice than the arrival; `role`
    is ARRIVAL, START or FINISH.
    """

    kinds: list[TupleKind]
    kind: Column
    root: Column
    at_ns: Column
    wait_ns: Column
    service_ns: Column
    role: Column


def plan_slices(request: Request, records: int) -> Slicing:
    """Plans slices and parts from an estimated number of records; long windows are cut, so that all cores have work."""
    wanted = -(-records // PART_RECORDS)
    slices = (
        min(MOST_SLICES, 1 << max(0, wanted - 1).bit_length()) if request.window_ns > LONG_WINDOW_NS else 1
    )
    bounds = request.day_bounds()
    day_ns = tuple(int(bound.timestamp()) * 1_000_000_000 for bound in bounds) if bounds else None
    slice_ns = find_slice_length(request.window_ns, slices)
    return Slicing(request.window_ns, slice_ns, min(max(wanted, 1), MOST_PARTS), request.most_records, day_ns)


def find_slice_length(window_ns: int, slices: int) -> int:
    """The length of a window, or 1/2, 1/4 ... 1/128 of it, rounded up to whole bins of the dispersion."""
    return min(window_ns, int(find_bin_lengths(window_ns)[0]) * (1 << FINEST) // slices)


def keep_day(records: Records, slicing: Slicing) -> Records:
    """The records that arrived on the day of the run, if it has one: others would replace whole windows of other days
    by incomplete ones.
    """
    if slicing.day_ns is None:
        return records
    begin, end = slicing.day_ns
    inside = (records.arrived_ns >= begin) & (records.arrived_ns < end)
    columns: list[Column] = [column[inside] for column in records[1:]]
    return Records(records.kinds, *columns)


def number_slices(at: Integers, slicing: Slicing) -> Integers:
    """The slice number of each time. The first slice of a window begins with the window; its last may be shorter."""
    window = at // slicing.window_ns
    if slicing.per_window == 1:
        return window
    return window * slicing.per_window + (at - window * slicing.window_ns) // slicing.slice_ns


def cut_records(records: Records, slicing: Slicing) -> Iterator[tuple[int, Cut]]:
    """Divides the records of a block among the parts: yields the number of each part, with the records that
    belong to it.
    """
    arrived, wait, service = records.arrived_ns, records.wait_ns, records.service_ns
    starts, finishes = arrived + wait, arrived + wait + service
    slices = [number_slices(at, slicing) for at in (arrived, starts, finishes)]
    late = [np.flatnonzero(one != slices[ARRIVAL]) for one in slices[START:]]
    row = np.concatenate([np.arange(len(arrived)), *late])
    role = np.repeat(np.arange(3, dtype=np.uint8), [len(arrived), *map(len, late)])
    at = np.concatenate([arrived, starts[late[0]], finishes[late[1]]])
    offsets = np.array([crc32(kind.topology.encode()) for kind in records.kinds], dtype=np.int64)
    places = [slices[ARRIVAL], slices[START][late[0]], slices[FINISH][late[1]]]
    part = (np.concatenate(places) + offsets[records.kind[row]]) % slicing.parts
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


class RecordBatch(NamedTuple):
    """The records of a part between two times, with starts and finishes of records that arrived in earlier slices.

    `is_cut`: the batch may hold only a part of a window.
    """

    begin_ns: int
    end_ns: int
    is_cut: bool
    cut: Cut


def gather_batches(
    stack: ExitStack, cuts: Iterable[Cut], slicing: Slicing
) -> tuple[list[TupleKind], Iterator[RecordBatch]]:
    """The kinds of records in the part, sorted, and its batches in order of time.

    With more than `most_records` records, the columns are in a temporary file, from which each batch is read.
    """
    held: list[Cut] = []
    file: IO[bytes] | None = None
    records = 0
    for cut in cuts:
        records += len(cut.at_ns)
        if records > slicing.most_records and file is None:
            file = stack.enter_context(TemporaryFile())  # noqa: SIM115  # the stack closes it
            held = [write_columns(one, file) for one in held]
        held.append(cut if file is None else write_columns(cut, file))
    kinds = sorted(
        {kind for cut in held for kind in cut.kinds}, key=lambda kind: (*kind[:3], kind[3] or "", *kind[4:])
    )
    return kinds, cut_batches(held, kinds, slicing)


def write_columns(cut: Cut, file: IO[bytes]) -> Cut:
    """Writes the columns of a cut to the file, and returns the cut with columns that are read from there."""
    columns: list[NDArray[Any]] = []
    for column in cut[1:]:
        begin = file.seek(0, 2)
        file.write(column.tobytes())
        columns.append(np.memmap(file, column.dtype, "r", begin, column.shape) if len(column) else column)
    file.flush()
    return Cut(cut.kinds, *columns)


def cut_batches(cuts: list[Cut], kinds: list[TupleKind], slicing: Slicing) -> Iterator[RecordBatch]:
    places = {kind: place for place, kind in enumerate(kinds)}
    codes = [np.array([places[kind] for kind in cut.kinds], dtype=np.int64) for cut in cuts]
    for begin, end, is_cut in plan_stretches([cut.at_ns for cut in cuts], slicing):
        inside = [slice(*np.searchsorted(cut.at_ns, (begin, end))) for cut in cuts]
        columns = [
            np.concatenate([cut[place][part] for cut, part in zip(cuts, inside, strict=True)])
            for place in range(2, len(Cut._fields))
        ]
        kind = np.concatenate(
            [code[cut.kind[part]] for code, cut, part in zip(codes, cuts, inside, strict=True)]
        )
        yield RecordBatch(begin, end, is_cut, Cut(kinds, kind, *columns))


def plan_stretches(times: list[Integers], slicing: Slicing) -> Iterator[tuple[int, int, bool]]:
    """Yields the beginning and end of stretches of time with at most `most_records` records, and whether a window is
    cut.

    A stretch is whole slices; a slice with more records is halved until its parts fit.
    """
    stretch: tuple[int, int] | None = None
    held = 0
    is_part = slicing.slice_ns < slicing.window_ns
    for first, end in find_slices(times, slicing):
        size = count_between(times, first, end)
        if stretch and held + size > slicing.most_records:
            yield *stretch, is_part
            stretch, held = None, 0
        if size > slicing.most_records:
            yield from ((*half, True) for half in halve(times, first, end, slicing))
            continue
        stretch, held = (stretch[0] if stretch else first, end), held + size
    if stretch:
        yield *stretch, is_part


def find_slices(times: list[Integers], slicing: Slicing) -> Iterator[tuple[int, int]]:
    """Yields the beginning and the end, in nanoseconds since 1970, of each slice that has records."""
    for slice_ in sorted({one for at in times for one in np.unique(number_slices(at, slicing)).tolist()}):
        window, place = divmod(slice_, slicing.per_window)
        begin = window * slicing.window_ns + place * slicing.slice_ns
        yield begin, min(begin + slicing.slice_ns, (window + 1) * slicing.window_ns)


def halve(times: list[Integers], begin: int, end: int, slicing: Slicing) -> Iterator[tuple[int, int]]:
    """Yields the parts of a slice after halving it until each has at most `most_records`.

    A slice is cut between two bins of the index of dispersion as long as it has several bins.
    """
    if end - begin < 2 or count_between(times, begin, end) <= slicing.most_records:
        yield begin, end
        return
    bin_ns = int(find_bin_lengths(slicing.window_ns)[0])
    bins = 1 << ((end - begin - 1) // bin_ns).bit_length() >> 1
    middle = begin + bins * bin_ns if bins else (begin + end) // 2
    yield from halve(times, begin, middle, slicing)
    yield from halve(times, middle, end, slicing)


def count_between(times: list[Integers], begin: int, end: int) -> int:
    return sum(int(np.diff(np.searchsorted(one, (begin, end)))[0]) for one in times)
