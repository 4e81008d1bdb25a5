"""Checks a log before a run: judges the first records of each file, without Spark and without a database."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reading.blocks import TornFile, named, read_header, read_pieces
from ingest.reading.columns import connect
from ingest.reading.parquet_rows import read_row_groups
from ingest.reading.records import Judged, describe_reject, number_rejects
from ingest.reading.sources import LogFile, NeedsSpark, find_sources
from ingest.reading.text_lines import judge_csv, judge_json

FIRST = 1_000
FIRST_BYTES = 1 << 20
REJECTS_SHOWN = 3


class Head(NamedTuple):
    """The judged first records of a file, or the reason why the file could not be read."""

    path: str
    judged: Judged | None
    fault: str = ""

    def is_fine(self, max_rejected: float) -> bool:
        """Whether a run would accept a log with this share of rejects."""
        return (
            self.judged is not None and sum(self.judged.reasons.values()) <= max_rejected * self.judged.read
        )

    def describe(self) -> str:
        """A text with the number of usable records, the reasons of rejects and the first rejects."""
        if self.judged is None:
            return self.fault
        read, reasons = self.judged.read, self.judged.reasons
        lines = [f"{self.path}: {read - sum(reasons.values())} of the first {read} records are usable"]
        lines += [
            f"  {count} × {reason}" for reason, count in sorted(reasons.items(), key=lambda one: -one[1])
        ]
        rejects = number_rejects([(self.path, 0, 0, self.judged.rejects[:REJECTS_SHOWN])])
        return "\n".join([*lines, *(describe_reject(*one) for one in rejects)])


def judge_heads(paths: Iterable[str], day: str | None) -> Iterator[Head]:
    """Judges the first records of each file below the paths."""
    for file in find_sources(paths, day).files:
        try:
            with named(file):
                yield Head(file.path, judge_head(file))
        except (TornFile, NeedsSpark) as error:
            yield Head(file.path, None, str(error))


def judge_head(file: LogFile) -> Judged:
    connect()
    if file.needs_spark:
        raise NeedsSpark(file.path)
    if file.format == "parquet":
        return next(read_row_groups(file.path, range(1), 0, most=FIRST))
    # The last line of a file may lack its line feed, and is then a separate piece.
    data = b"".join(piece for _, piece in islice(read_pieces(file, FIRST_BYTES), 2))
    lines = b"\n".join(data.split(b"\n", FIRST + 1)[: FIRST + (file.format == "csv")])
    return (
        judge_csv(file.path, 0, lines, read_header(file))
        if file.format == "csv"
        else judge_json(file.path, 0, lines)
    )
