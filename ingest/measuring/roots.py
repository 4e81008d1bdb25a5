"""Root tuples: total and completion time of each, and histograms of both that can be added up over all parts.

A root's total = Σ (finished − arrived) over all tuples that derive from it; its completion = last finish − first
arrival. A root counts in the window of its first arrival. Roots are identified by a hash of 64 bits: among ten million,
two share a hash with a probability of 3e-6. A bucket of a histogram is at most 1/32 wider than its lower bound, so that
quantiles are wrong by at most 3.2%, and by 1% on average.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ingest.measuring.columns import (
    LOW_BITS,
    Codes,
    Column,
    Floats,
    Integers,
    Segments,
    Table,
    TupleRows,
    count_pairs,
    cut_segments,
    sort_by,
    stack,
    take,
)
from ingest.measuring.measures import QUANTILES, find_buckets, find_upper_ns

SPREAD_PER_OCTAVE = 32
TIMES = ("total", "completion")
KEYS = ("topology", "window", "is_begun", "time", "bucket")


def count_times(roots: Table, groups: Segments, times: dict[str, Column]) -> Table:
    """The number of root tuples in each bucket of the histogram, for each group of them and for both times in TIMES."""
    group = groups.spread(np.arange(len(groups.begins)))
    tables = []
    for place, name in enumerate(TIMES):
        owner, bucket, counts = count_pairs(group, find_buckets(times[name], SPREAD_PER_OCTAVE))
        columns = {key: roots[key][groups.begins[owner]] for key in KEYS[:3]}
        tables.append(columns | {"time": owner * 0 + place, "bucket": bucket, "roots": counts})
    return stack(tables)


def add_up(spread: Table, *keys: str) -> Table:
    """Adds up the counts of rows that have equal values in the other columns of a histogram's table."""
    ordered = sort_by(spread, *keys)
    found = cut_segments(*(ordered[name] for name in keys))
    return take({name: ordered[name] for name in keys}, found.begins) | {"roots": found.sum(ordered["roots"])}


def find_spread_quantiles(counts: Table, spots: Segments) -> dict[str, Floats]:
    """The quantiles of each histogram in nanoseconds, interpolated linearly within a bucket.

    The root tuples of a bucket are assumed to be spread evenly over it.
    """
    ends = np.cumsum(counts["roots"])
    begins = ends - counts["roots"]
    before, size = spots.first(begins), spots.sum(counts["roots"])
    high = find_upper_ns(counts["bucket"], SPREAD_PER_OCTAVE)
    below = find_upper_ns(np.maximum(counts["bucket"] - 1, 0), SPREAD_PER_OCTAVE)
    low = np.where(counts["bucket"] == 1, 1.0, below)

    def read(rank: Integers) -> Floats:
        at = before + rank
        place = np.searchsorted(ends, at, "right")
        part = (at - begins[place] + 0.5) / counts["roots"][place]
        return np.asarray(low[place] + (high[place] - low[place]) * part)

    found = {}
    for label, fraction in QUANTILES.items():
        rank = fraction * (size - 1)
        under, over = (read(way(rank).astype(np.int64)) for way in (np.floor, np.ceil))
        found[label] = under + (over - under) * (rank - np.floor(rank))
    return found


LOW = (1 << LOW_BITS) - 1


class RootSums(NamedTuple):
    """Sums per root tuple in `table`, and numbers of finished root tuples per bucket in `spread`.

    The column `topology` of both is a place in `topologies`.
    """

    topologies: list[str]
    table: Table
    spread: Table = {}  # noqa: RUF012  # never changed


def sum_roots(rows: TupleRows, codes: Codes) -> RootSums:
    """The sums of a batch's records for each root tuple. Totals are split into two numbers, which do not
    overflow 64 bits.
    """
    sojourn = rows.wait_ns + rows.service_ns
    table = {
        "root": rows.root,
        "topology": codes.topology[rows.kind],
        "first_ns": rows.arrived_ns,
        "last_ns": rows.arrived_ns + sojourn,
        "high": sojourn >> LOW_BITS,
        "low": sojourn & LOW,
        "is_begun": codes.is_outside[rows.kind],
    }
    return RootSums([str(name[0]) for name in codes.topologies], join_roots(table))


def join_roots(table: Table) -> Table:
    """The table with one row for each root tuple, which joins all rows of the root tuple."""
    table = take(table, np.argsort(table["root"]))
    found = cut_segments(table["root"], table["topology"])
    joined: Table = {name: found.first(table[name]) for name in ("root", "topology")}
    joined |= {name: found.sum(table[name]) for name in ("high", "low")}
    return joined | {
        "first_ns": found.min(table["first_ns"]),
        "last_ns": found.max(table["last_ns"]),
        "is_begun": found.max(table["is_begun"]),
    }


def split_roots(sums: RootSums, parts: int) -> Iterable[tuple[int, RootSums]]:
    """Divides the sums among `parts` tasks, so that all rows of a root tuple go to one; yields task numbers
    and sums.
    """
    part = (sums.table["root"] % np.uint64(parts)).astype(np.int64)
    for number in np.unique(part).tolist():
        yield number, RootSums(sums.topologies, take(sums.table, part == number))


def finish_roots(sums: Iterable[RootSums], window_ns: int) -> RootSums:
    """Counts the root tuples, and sums up their total and completion times, for each topology and window.

    Root tuples whose own record is in the log (`is_begun`) are counted separately from the others.
    """
    joined = stack_sums(sums)
    if not joined.table:
        return joined
    roots = join_roots(joined.table)
    completion = roots["last_ns"] - roots["first_ns"]
    window = roots["first_ns"] // window_ns
    order = np.lexsort((roots["is_begun"], window, roots["topology"]))
    roots, completion, window = take(roots, order), completion[order], window[order]
    found = cut_segments(roots["topology"], window, roots["is_begun"])
    table: Table = {
        "topology": found.first(roots["topology"]),
        "window": found.first(window),
        "is_begun": found.first(roots["is_begun"]),
        "roots": found.sizes,
        "total_high": found.sum(roots["high"]),
        "total_low": found.sum(roots["low"]),
        "completion_high": found.sum(completion >> LOW_BITS),
        "completion_low": found.sum(completion & LOW),
    }
    total = roots["high"] * float(LOW + 1) + roots["low"]
    spread = count_times(roots | {"window": window}, found, {"total": total, "completion": completion})
    return RootSums(joined.topologies, table, spread)


def join_finished(sums: Sequence[RootSums]) -> RootSums:
    """Joins the finished root tuples of several parts; buckets of one histogram are added up."""
    joined = stack_sums(sums)
    return joined._replace(spread=add_up(joined.spread, *KEYS)) if joined.table else joined


def stack_sums(sums: Iterable[RootSums]) -> RootSums:
    """Joins the rows of several sums into one table with one list of topologies; rows are not added up."""
    names: dict[str, int] = {}
    tables, spreads = [], []
    for one in sums:
        if one.topologies:
            codes = np.array([names.setdefault(name, len(names)) for name in one.topologies], dtype=np.int64)
            tables.append(one.table | {"topology": codes[one.table["topology"]]})
            spreads.append(one.spread and one.spread | {"topology": codes[one.spread["topology"]]})
    return RootSums(list(names), stack(tables), stack(spreads)) if tables else RootSums([], {})
