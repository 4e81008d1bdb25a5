"""The topologies of a run, the time that the log covers of each, and their rows per window: rate and times of root
tuples.

A log seldom covers the first and the last window completely.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.measuring.columns import Column, Integers, Table, cut_segments, sort_by, take
from ingest.measuring.measures import QUANTILES
from ingest.measuring.pieces import Pieces, group_by
from ingest.measuring.roots import LOW, TIMES, RootSums, add_up, find_spread_quantiles, join_finished
from ingest.request import RunDiagnosticRow
from ingest.windows.discovery import SeenFlow
from ingest.windows.listing import Row, find_start, list_rows

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
        """The time that the log covers: from one mean gap before the first arrival to one after the last; None without
        a gap.

        If n arrivals are uniform over an unknown interval, the first lies on average one mean gap after the interval's
        beginning, and the last one mean gap before its end: (n + 1) / (n − 1) times their distance is an unbiased
        estimate of its length. At an end where all arrivals have the same time (a batch), the mean gap of the whole log
        is used.
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
    """The nanoseconds of each window that the log covers; −1 if the end of the log is unknown (`end_ns` is 0)."""
    inside = np.minimum((window + 1) * window_ns, end_ns) - np.maximum(window * window_ns, begin_ns)
    return np.where(end_ns > 0, inside, -1)


def report_ends(ends: Iterable[Ends]) -> list[RunDiagnosticRow]:
    """Notes about topologies with unknown covered time, or with records sampled in two ways."""
    notes = []
    for one in ends:
        if one.find_cover() is None:
            found = "only one arrival" if one.arrivals < 2 else "all arrivals at one time"
            detail = (
                f"The log holds {found}, so the time that the log covers is unknown: rates are tuples per whole "
                "window, and processors are counted by instance names."
            )
            notes.append(RunDiagnosticRow("coverage-unknown", one.topology, detail))
        if 0 < one.thinned < one.sampled:
            detail = (
                f"{one.thinned:,} of {one.sampled:,} sampled records were sampled at random, the others every n-th. "
                "Where a window of an operator has both, the variation of its arrivals is unknown."
            )
            notes.append(RunDiagnosticRow("sampling-mixed", one.topology, detail))
    return notes


class Topologies(NamedTuple):
    """The topologies of a run, and for each operator its topology and the time that the log covers (0 means
    unknown).
    """

    names: list[str]
    of_operator: Column
    ends: list[Ends]
    begin_ns: Column
    end_ns: Column


def find_topologies(log: Pieces) -> Topologies:
    names = sorted({str(name[0]) for name in log.operators})
    places = {name: place for place, name in enumerate(names)}
    of_operator = np.array([places[str(name[0])] for name in log.operators], dtype=np.int64)
    edges = log.tables["edges"]
    is_outside = np.array([name[2] is None for name in log.edges], dtype=bool)
    named = edges | {"topology": of_operator[edges["operator"]], "is_outside": is_outside[edges["edge"]]}
    log.tables["edges"] = named
    ends = find_ends(names, named)
    covers = np.array([one.find_cover() or (0, 0) for one in ends], dtype=np.int64).reshape(-1, 2)
    return Topologies(names, of_operator, ends, *covers[of_operator].T)


def list_flows(log: Pieces) -> list[SeenFlow]:
    """The number of tuples that each edge carried over the whole run, corrected for sampling."""
    weights = np.bincount(log.tables["edges"]["edge"], log.tables["edges"]["weight"], len(log.edges))
    return [
        SeenFlow(str(topology), str(operator), upstream, int(weight))
        for (topology, operator, upstream), weight in zip(log.edges, weights.tolist(), strict=True)
    ]


TIME_COLUMNS = {"total_mean": "mean_total_sojourn_seconds", "completion_mean": "mean_completion_seconds"} | {
    f"{name}_{label}": f"{name}_{label}_seconds" for name in TIMES for label in QUANTILES
}


def make_topology_rows(
    log: Pieces, topologies: Topologies, roots: Sequence[RootSums], window_ns: int
) -> Iterator[Row]:
    """Yields a row per topology and window: the external rate, and the sojourns of the root tuples that arrived in the
    window.

    If the log has tuples from outside, root tuples that arrived before the log began are left out.
    """
    edges, windows = group_by(log.tables["edges"], "topology", "window")
    topology, window = windows.first(edges["topology"]), windows.first(edges["window"])
    outside = windows.sum(np.where(edges["is_outside"], edges["weight"], 0))
    operator = windows.first(
        edges["operator"]
    )  # any operator of the topology: all have the same covered time
    covered = cover_windows(topologies.begin_ns[operator], topologies.end_ns[operator], window, window_ns)
    known = sum_counted_roots(topologies.names, roots)
    places = {
        key: row
        for row, key in enumerate(zip(known["topology"].tolist(), known["window"].tolist(), strict=True))
    }
    row = np.array([places.get(key, -1) for key in zip(topology.tolist(), window.tolist(), strict=True)])
    found = {
        name: np.append(column, 0)[row] for name, column in known.items()
    }  # the added last row stands for no roots
    times = {column: np.where(row >= 0, found[name] / 1e9, np.nan) for name, column in TIME_COLUMNS.items()}
    return list_rows(
        {
            "topology": [topologies.names[place] for place in topology.tolist()],
            "window_start": [find_start(one, window_ns) for one in window.tolist()],
            "covered_seconds": np.where(covered > 0, covered / 1e9, np.nan),
            "external_rate": outside / (np.where(covered > 0, covered, window_ns) / 1e9),
            "root_tuples": found["roots"],
            **times,
        }
    )


def sum_counted_roots(names: list[str], roots: Sequence[RootSums]) -> Table:
    """The root tuples that count per topology and window: number, mean times and quantiles in nanoseconds."""
    places = {name: place for place, name in enumerate(names)}
    joined = join_finished(roots)
    codes = np.array([places[name] for name in joined.topologies], dtype=np.int64)
    table, spread = (one | {"topology": codes[one["topology"]]} for one in (joined.table, joined.spread))
    has_begun = np.zeros(len(names), dtype=bool)
    has_begun[table["topology"][table["is_begun"]]] = True
    table, spread = (take(one, one["is_begun"] == has_begun[one["topology"]]) for one in (table, spread))
    table, windows = group_by(table, "topology", "window")
    count = windows.sum(table["roots"])
    sums = {
        name: windows.sum(table[f"{name}_high"]) * float(LOW + 1) + windows.sum(table[f"{name}_low"])
        for name in TIMES
    }
    means = {f"{name}_mean": sums[name] / count for name in TIMES}
    topology, window = windows.first(table["topology"]), windows.first(table["window"])
    return {"topology": topology, "window": window, "roots": count, **means, **find_quantiles(spread)}


def find_quantiles(spread: Table) -> Table:
    """The quantiles of total and completion times for each topology and window, in order."""
    found: Table = {}
    for place, name in enumerate(TIMES):
        counts = add_up(take(spread, spread["time"] == place), "topology", "window", "bucket")
        quantiles = find_spread_quantiles(counts, cut_segments(counts["topology"], counts["window"]))
        found |= {f"{name}_{label}": values for label, values in quantiles.items()}
    return found
