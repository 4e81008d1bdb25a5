"""The content of a log: usable records as columns, and rejected lines with their reasons."""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_REJECTS = 100_000
LINE_LENGTH, LINE_SHOWN = 200, 80


class TupleKind(NamedTuple):
    """The fields of a record other than its times and its root; a log has few distinct kinds."""

    topology: str
    operator: str
    instance: str
    from_operator: str | None
    sample_every: int
    is_random: bool


class Records(NamedTuple):
    """Usable records as columns: `kind` is a place in the list `kinds`, `root` a hash of topology and tuple_id."""

    kinds: list[TupleKind]
    kind: NDArray[np.int32]
    root: NDArray[np.uint64]
    arrived_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    service_ns: NDArray[np.int64]


class Reject(NamedTuple):
    """A rejected record; `line` is the number of its line within the block, from 0."""

    line: int
    reason: str
    text: str


class Judged(NamedTuple):
    """The usable records and the rejects of a block.

    `block` numbers the blocks of a file in order; `lines` counts blank lines and headers too; `reasons` counts all
    rejects by reason, of which at most MOST_REJECTS are listed.
    """

    file: str
    block: int
    lines: int
    records: Records
    rejects: list[Reject]
    reasons: dict[str, int]

    @property
    def read(self) -> int:
        return len(self.records.kind) + sum(self.reasons.values())


def number_rejects(
    judged: Iterable[tuple[str, int, int, list[Reject]]],
) -> Iterator[tuple[str, int, str, str]]:
    """Yields file, line number, reason and text of the first MOST_REJECTS rejected lines, in the order of
    files and lines.
    """
    return islice(_number_all(judged), MOST_REJECTS)


def _number_all(
    judged: Iterable[tuple[str, int, int, list[Reject]]],
) -> Iterator[tuple[str, int, str, str]]:
    for file, blocks in groupby(sorted(judged, key=itemgetter(0, 1)), itemgetter(0)):
        before = 0  # lines of all earlier blocks of the file
        for _, _, lines, rejects in blocks:
            for place, reason, text in rejects:
                yield show_path(file), before + place + 1, reason, text
            before += lines


def show_line(text: str) -> str:
    """The beginning of a rejected line, without the character NUL, which Postgres cannot store."""
    shown = text[:LINE_LENGTH].replace("\x00", "")
    return shown + "…" if len(text) > LINE_LENGTH else shown


def describe_reject(file: str, line: int, reason: str, text: str) -> str:
    """A rejected line for a terminal, without control characters: its file, its number, the reason and its text."""
    shown = "".join(mark if mark.isprintable() else "\ufffd" for mark in text[:LINE_SHOWN])
    return f"  {file}, line {line}: {reason}: {shown}{'…' if len(text) > LINE_SHOWN else ''}"


def show_path(path: str) -> str:
    """A path as valid UTF-8, which Postgres requires, because a file name may hold any bytes."""
    return path.encode(errors="surrogateescape").decode(errors="replace")
