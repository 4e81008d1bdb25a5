"""The records of a part in batches of limited size, each a stretch of time, in memory or from a temporary file."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.measuring.cuts import Cut, Slicing, number_slices
from ingest.measuring.dispersion import find_bin_lengths
from ingest.measuring.segments import Column, Integers
from ingest.reading.records import TupleKind

COLUMNS = 6


class RecordBatch(NamedTuple):
    """All records and late events of the part in [begin_ns, end_ns); `is_cut` if a window may lie in it in part."""

    begin_ns: int
    end_ns: int
    is_cut: bool
    kind: Column
    root: Column
    at_ns: Column
    wait_ns: Column
    service_ns: Column
    role: Column


def gather_batches(
    stack: ExitStack, cuts: Iterable[Cut], slicing: Slicing
) -> tuple[list[TupleKind], Iterator[RecordBatch]]:
    """The kinds of records in the part, sorted, and its batches in order of time.

    Beyond `most_records` the columns lie in a temporary file, of which each batch reads its stretch.
    """
    held: list[Cut] = []
    file: IO[bytes] | None = None
    records = 0
    for cut in cuts:
        records += len(cut.at_ns)
        if records > slicing.most_records and file is None:
            file = stack.enter_context(TemporaryFile())  # noqa: SIM115  # the stack closes it
            held = [lay_down(one, file) for one in held]
        held.append(cut if file is None else lay_down(cut, file))
    kinds = sorted(
        {kind for cut in held for kind in cut.kinds}, key=lambda kind: (*kind[:3], kind[3] or "", *kind[4:])
    )
    return kinds, cut_batches(held, kinds, slicing)


def lay_down(cut: Cut, file: IO[bytes]) -> Cut:
    """The same cut, with its columns in the file."""
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
            for place in range(2, 2 + COLUMNS - 1)
        ]
        kind = np.concatenate(
            [code[cut.kind[part]] for code, cut, part in zip(codes, cuts, inside, strict=True)]
        )
        yield RecordBatch(begin, end, is_cut, kind, *columns)


def plan_stretches(times: list[Integers], slicing: Slicing) -> Iterator[tuple[int, int, bool]]:
    """Whole slices as long as they have at most `most_records`; a slice that has more is halved, and halved again."""
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
    """Beginning and end of each slice that has records."""
    for slice_ in sorted({one for at in times for one in np.unique(number_slices(at, slicing)).tolist()}):
        window, place = divmod(slice_, slicing.per_window)
        begin = window * slicing.window_ns + place * slicing.slice_ns
        yield begin, min(begin + slicing.slice_ns, (window + 1) * slicing.window_ns)


def halve(times: list[Integers], begin: int, end: int, slicing: Slicing) -> Iterator[tuple[int, int]]:
    """Between two bins of the dispersion, as long as there are several."""
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
