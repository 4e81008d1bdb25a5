"""The time that a log covers for each topology; it seldom covers the first and the last window completely."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.measuring.columns import Integers, Table, cut_segments, sort_by
from ingest.request import RunDiagnosticRow

# The number of arrivals that give the mean gap at an end of a log; in the middle of the log the rate may differ.
END_ARRIVALS = 11
# A longer gap would cover no additional window, and might overflow 64 bits.
LONGEST_GAP_NS = 1 << 55


@dataclass(frozen=True, slots=True)
class Ends:
    """The first and the last arrivals of a topology in a run, and how its records were sampled."""

    topology: str
    first_ns: int
    last_ns: int
    arrivals: int
    span_ns: int
    head_ns: int
    head_arrivals: int
    tail_ns: int
    tail_arrivals: int
    sampled: int
    thinned: int

    def find_cover(self) -> tuple[int, int] | None:
        """The covered time: from one mean gap before the first arrival to one after the last; None without a gap.

        If n arrivals are uniform over an unknown interval, the first lies on average one mean gap after the interval's
        beginning, and the last one mean gap before its end: (n + 1) / (n − 1) times their distance is an unbiased
        estimate of its length. At an end where all arrivals have the same time (a batch), the mean gap of the whole
        log is used.
        """
        if self.arrivals < 2 or self.span_ns <= 0:
            return None
        usual = self.span_ns // (self.arrivals - 1)
        before = self.head_ns // (self.head_arrivals - 1) if self.head_ns > 0 else usual
        after = self.tail_ns // (self.tail_arrivals - 1) if self.tail_ns > 0 else usual
        before, after = (min(max(1, gap), LONGEST_GAP_NS) for gap in (before, after))
        return self.first_ns - before, self.last_ns + after


def find_ends(topologies: list[str], edges: Table) -> list[Ends]:
    """The ends of each topology's log, from a table of edges with columns `topology` and `is_outside`.

    Gaps are measured between tuples from outside, since derived tuples arrive in clusters; a topology without tuples
    from outside uses the gaps between all arrivals.
    """
    edges = sort_by(edges, "topology", "window")
    segments = cut_segments(edges["topology"])
    ranges = zip(segments.begins, segments.begins + segments.sizes, strict=True)
    parts = [{name: column[begin:end] for name, column in edges.items()} for begin, end in ranges]
    return [find_topology_ends(topologies[int(part["topology"][0])], part) for part in parts]


def find_topology_ends(topology: str, edges: Table) -> Ends:
    counted = edges["is_outside"] if edges["is_outside"].any() else np.ones(len(edges["window"]), dtype=bool)
    window, tuples = edges["window"][counted], edges["tuples"][counted]
    first, last = edges["first_ns"][counted], edges["last_ns"][counted]
    windows = cut_segments(window)
    arrivals = windows.sum(tuples)
    so_far, total = np.cumsum(arrivals), int(tuples.sum())
    is_head = windows.spread(so_far - arrivals < END_ARRIVALS)
    is_tail = windows.spread(total - so_far < END_ARRIVALS)

    def span(chosen: NDArray[np.bool_]) -> int:
        return int(last[chosen].max() - first[chosen].min())

    return Ends(
        topology,
        int(edges["first_ns"].min()),
        int(edges["last_ns"].max()),
        total,
        span(np.ones(len(first), dtype=bool)),
        span(is_head),
        int(tuples[is_head].sum()),
        span(is_tail),
        int(tuples[is_tail].sum()),
        int(edges["sampled"].sum()),
        int(edges["thinned"].sum()),
    )


def cover_windows(begin_ns: Integers, end_ns: Integers, window: Integers, window_ns: int) -> Integers:
    """The nanoseconds of each window that the log covers; −1 if unknown (`end_ns` is 0)."""
    inside = np.minimum((window + 1) * window_ns, end_ns) - np.maximum(window * window_ns, begin_ns)
    return np.where(end_ns > 0, inside, -1)


def report_ends(ends: Iterable[Ends]) -> list[RunDiagnosticRow]:
    """Notes about topologies with unknown covered time, or with records sampled in two ways."""
    notes = []
    for one in ends:
        if one.find_cover() is None:
            found = "only one arrival" if one.arrivals < 2 else "all arrivals at one time"
            detail = (
                f"The log holds {found}, so that the time it covers is unknown: rates are tuples per whole window, and "
                "processors are counted by instance names."
            )
            notes.append(RunDiagnosticRow("coverage-unknown", one.topology, detail))
        if 0 < one.thinned < one.sampled:
            detail = (
                f"{one.thinned} of {one.sampled} sampled records were sampled at random, the others every n-th: if a "
                "window of an operator has both, its arrival_scv is null."
            )
            notes.append(RunDiagnosticRow("sampling-mixed", one.topology, detail))
    return notes
