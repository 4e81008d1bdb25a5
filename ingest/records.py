"""What is read from a log: usable records as columns, and the lines that cannot be used, with their reasons."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_REJECTS = 100_000
LINE_LENGTH = 200


class Kind(NamedTuple):
    """What a record says besides its times and its root; a log has few distinct ones."""

    topology: str
    operator: str
    instance: str
    from_operator: str | None
    sample_every: int
    is_random: bool


class Records(NamedTuple):
    """Usable records; `kind` is a place in `kinds`, `root` a hash of topology and tuple_id."""

    kinds: list[Kind]
    kind: NDArray[np.int32]
    root: NDArray[np.uint64]
    arrived_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    service_ns: NDArray[np.int64]


class Reject(NamedTuple):
    """A record that cannot be used; `line` is its place in its block, from 0."""

    line: int
    reason: str
    text: str


class Judged(NamedTuple):
    """What was read from one block; `block` orders the blocks of a file.

    `lines` counts blank ones and headers too; `reasons` counts all rejects, of which MOST_REJECTS are listed.
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


def join_records(parts: list[Records]) -> Records:
    """One after the other; equal kinds become one."""
    if len(parts) == 1:
        return parts[0]
    places: dict[Kind, int] = {}
    moved = [
        np.array([places.setdefault(kind, len(places)) for kind in part.kinds], np.int32)[part.kind]
        for part in parts
    ]
    columns = [np.concatenate(column) for column in zip(*(part[2:] for part in parts), strict=True)]
    return Records(list(places), np.concatenate(moved), *columns)


def number_rejects(
    judged: Iterable[tuple[str, int, int, list[Reject]]],
) -> Iterator[tuple[str, int, str, str]]:
    """File, line number, reason and text of the first MOST_REJECTS, from (file, block, lines, rejects) in any order.

    A line's number is the number of lines in all earlier blocks of its file, plus its place in its own, plus one.
    """
    blocks: defaultdict[str, list[tuple[int, int, list[Reject]]]] = defaultdict(list)
    for file, *block in judged:
        blocks[file].append(tuple(block))  # type: ignore[arg-type]  # a tuple of three
    return islice(_number_all(blocks), MOST_REJECTS)


def _number_all(
    blocks: dict[str, list[tuple[int, int, list[Reject]]]],
) -> Iterator[tuple[str, int, str, str]]:
    for file in sorted(blocks):
        before = 0
        for _, lines, rejects in sorted(blocks[file], key=lambda block: block[0]):
            for reject in sorted(rejects):
                yield file, before + reject.line + 1, reject.reason, reject.text
            before += lines


def show_line(line: bytes) -> str:
    """The line cut short, as Postgres can store it: valid UTF-8, without NUL."""
    text = line[: 4 * LINE_LENGTH + 8].rstrip(b"\r\n").decode(errors="replace").removeprefix("\ufeff")
    shown = text[: LINE_LENGTH + 1].replace("\x00", "")
    return shown[:LINE_LENGTH] + "…" if len(text) > LINE_LENGTH else shown
