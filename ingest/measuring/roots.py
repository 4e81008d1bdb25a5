"""Root tuples: total and completion time of each, and histograms of both that can be added up over all parts.

A root's total = Σ (finished − arrived) over all that derives from it; its completion = last finish − first arrival.
It counts in the window of its first arrival. Roots are told apart by 64 bits: among ten million two have equal ones
with a probability of 3e-6. A bucket of a histogram is at most 1/32 wider than its lower bound, so no quantile is wrong
by more than 3.2%, and by 1% on average.
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
    """Per group of roots and kind of time (its place in TIMES), the roots in each bucket."""
    group = groups.spread(np.arange(len(groups.begins)))
    tables = []
    for place, name in enumerate(TIMES):
        owner, bucket, counts = count_pairs(group, find_buckets(times[name], SPREAD_PER_OCTAVE))
        columns = {key: roots[key][groups.begins[owner]] for key in KEYS[:3]}
        tables.append(columns | {"time": owner * 0 + place, "bucket": bucket, "roots": counts})
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def add_up(spread: Table, *keys: str) -> Table:
    """One row per bucket."""
    ordered = sort_by(spread, *keys)
    found = cut_segments(*(ordered[name] for name in keys))
    return take({name: ordered[name] for name in keys}, found.begins) | {"roots": found.sum(ordered["roots"])}


def find_spread_quantiles(counts: Table, spots: Segments) -> dict[str, Floats]:
    """Per spot, whose buckets stand in order, its quantiles in nanoseconds: linear between neighbours.

    The roots of a bucket are taken as spread over it evenly.
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
    """Sums of roots; the column `topology` is a place in the list of names. `spread` has counts of finished roots."""

    topologies: list[str]
    table: Table
    spread: Table = {}  # noqa: RUF012  # nobody writes into it


def sum_roots(rows: TupleRows, codes: Codes) -> RootSums:
    """The sums of a batch's records by their roots. Totals have two parts, which do not overflow 64 bits."""
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
    """One row per root."""
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
    """The sums by the part in which all rows of a root come together."""
    part = (sums.table["root"] % np.uint64(parts)).astype(np.int64)
    for number in np.unique(part).tolist():
        yield number, RootSums(sums.topologies, take(sums.table, part == number))


def finish_roots(sums: Iterable[RootSums], window_ns: int) -> RootSums:
    """Per topology, window, and whether the log has the root's own record: roots, totals and completions."""
    names: dict[str, int] = {}
    tables = []
    for one in sums:
        codes = np.array([names.setdefault(name, len(names)) for name in one.topologies], dtype=np.int64)
        tables.append(one.table | {"topology": codes[one.table["topology"]]})
    if not tables:
        return RootSums([], {})
    roots = join_roots(stack(tables))
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
    return RootSums(list(names), table, spread)


def join_finished(sums: Sequence[RootSums]) -> RootSums:
    """Finished roots of several parts under common names, with one row per bucket."""
    names: dict[str, int] = {}
    tables, spreads = [], []
    for one in sums:
        if one.topologies:
            codes = np.array([names.setdefault(name, len(names)) for name in one.topologies], dtype=np.int64)
            tables.append(one.table | {"topology": codes[one.table["topology"]]})
            spreads.append(one.spread | {"topology": codes[one.spread["topology"]]})
    if not tables:
        return RootSums([], {})
    return RootSums(list(names), stack(tables), add_up(stack(spreads), *KEYS))
