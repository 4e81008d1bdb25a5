"""Root tuples: how long all that derives from each one took, and when the last of it was finished.

A root's total = Σ (finished − arrived) over all that derives from it; its completion = last finish − first arrival.
It counts in the window of its first arrival. Roots are told apart by 64 bits: among ten million two have equal ones
with a probability of 3e-6.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ingest.measuring.rows import Codes, TupleRows
from ingest.measuring.segments import LOW_BITS, cut_segments
from ingest.measuring.spreads import KEYS, add_up, count_times
from ingest.measuring.tables import Table, stack, take

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
