"""The one Spark job of a run: it cuts blocks of files by time, measures windows, and sums up root tuples for the
driver.

Tasks exchange columns of numbers, never rows; names and rejected lines are sent beside the columns.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

from pyspark import RDD

from ingest.measuring.cuts import Cut, Slicing, cut_records, keep_day
from ingest.measuring.merge import merge_part
from ingest.measuring.pieces import Packed, Pieces, pack, unpack
from ingest.measuring.roots import RootSums, finish_roots, join_finished, split_roots
from ingest.reading.records import Judged, Reject
from ingest.request import Totals

MOST_REJECTS = 100_000
MOST_COUNTS = 2_000_000  # buckets of root histograms that the driver holds before it adds them up
LINES_PART = 0  # the part that receives the line counts and rejects of all blocks


class Lines(NamedTuple):
    """The number of lines and the rejects of a block; `usable` counts the usable records of the requested day."""

    file: str
    block: int
    lines: int
    usable: int
    rejects: list[Reject]
    reasons: dict[str, int]


class JobResults(NamedTuple):
    """The results of the Spark job, as the driver receives them."""

    lines: list[Lines]
    pieces: list[Pieces]
    roots: list[RootSums]

    def add_up(self) -> Totals:
        """The totals over all records of the run: the sum of the totals of its blocks."""
        reasons: Counter[str] = sum((Counter(one.reasons) for one in self.lines), Counter())
        read = sum(one.usable for one in self.lines) + reasons.total()
        return Totals(
            read, reasons.total(), sum(one.duplicates for one in self.pieces), dict(sorted(reasons.items()))
        )


def roll_up(judged: RDD[Judged], slicing: Slicing) -> JobResults:
    """Runs the Spark job. Its results are fetched part by part, since Java holds several copies of each call's
    result.
    """
    cuts = judged.flatMap(partial(encode, slicing=slicing)).partitionBy(slicing.parts, int)
    pieces = cuts.mapPartitions(partial(merge, slicing=slicing)).partitionBy(slicing.root_parts, int)
    return sort_results(
        pieces.mapPartitions(partial(finish, slicing=slicing)).toLocalIterator(prefetchPartitions=True)
    )


def sort_results(found: Iterable[Any], most_counts: int = MOST_COUNTS) -> JobResults:
    """Sorts the job's results by type. Histograms of roots are added up at once, since all parts would take
    gigabytes.
    """
    results = JobResults([], [], [])
    held = 0
    for packed in found:
        one = unpack(packed) if isinstance(packed, Packed) else packed
        if isinstance(one, RootSums):
            results.roots.append(one)
            held += len(one.spread.get("roots", ()))
            if held > most_counts:
                results.roots[:] = [join_finished(results.roots)]
                held = 0
        elif isinstance(one, Pieces):
            results.pieces.append(one)
        else:
            results.lines.append(one)
    return results


def encode(judged: Judged, slicing: Slicing) -> Iterator[tuple[int, Cut | Lines]]:
    """Divides the records of a block among parts; yields part numbers with records, and the lines of the block."""
    records = keep_day(judged.records, slicing)
    yield LINES_PART, Lines(*judged[:3], len(records.kind), judged.rejects, judged.reasons)
    yield from cut_records(records, slicing)


def merge(
    cuts: Iterable[tuple[int, Cut | Lines]], slicing: Slicing
) -> Iterator[tuple[int, Packed | RootSums | Lines]]:
    """Measures a part; yields its measures, its sums of root tuples with the part that finishes them, and its lines."""
    lines: list[Lines] = []
    ahead = iter(cuts)
    first = list(islice(ahead, 1))
    for found in merge_part(pick_cuts(chain(first, ahead), lines), slicing):
        if isinstance(found, Pieces):
            yield first[0][0], pack(found)
        else:
            yield from split_roots(found, slicing.root_parts)
    yield from ((LINES_PART, one) for one in lines)


def pick_cuts(cuts: Iterable[tuple[int, Cut | Lines]], lines: list[Lines]) -> Iterator[Cut]:
    """Yields the cuts, and appends the other results to `lines`, with at most about as many rejects as the
    database stores.
    """
    held = 0
    for _, one in cuts:
        if isinstance(one, Cut):
            yield one
            continue
        lines.append(one)
        held += len(one.rejects)
        if held > 2 * MOST_REJECTS:
            held = drop_rejects(lines)


def drop_rejects(lines: list[Lines]) -> int:
    """Keeps the first MOST_REJECTS rejects in the order of files and blocks; returns the number kept."""
    lines.sort(key=lambda one: one[:2])
    left = MOST_REJECTS
    for place, one in enumerate(lines):
        lines[place] = one._replace(rejects=one.rejects[:left])
        left -= len(lines[place].rejects)
    return MOST_REJECTS - left


def finish(
    found: Iterable[tuple[int, Packed | RootSums | Lines]], slicing: Slicing
) -> Iterator[Packed | Lines]:
    """Joins the sums of the root tuples of a part, and passes everything else on."""
    roots = []
    for _, one in found:
        if isinstance(one, RootSums):
            roots.append(one)
        else:
            yield one
    yield pack(finish_roots(roots, slicing.window_ns))
