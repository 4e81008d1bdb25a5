"""The topologies of a run, and their rows per topology and window: external rate and times of roots."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ingest.measuring.columns import Column, Table, cut_segments, take
from ingest.measuring.measures import QUANTILES
from ingest.measuring.pieces import Pieces, group_by
from ingest.measuring.roots import LOW, TIMES, RootSums, add_up, find_spread_quantiles, join_finished
from ingest.windows.covered_time import Ends, cover_windows, find_ends
from ingest.windows.discovery import SeenFlow
from ingest.windows.listing import Row, find_start, list_rows


class Topologies(NamedTuple):
    """The topologies of a run; per operator the number of its topology, and the covered time (0: unknown)."""

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
    """The weight of the tuples on each edge, over the whole run."""
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
    """The external rate, and the sojourns of the root tuples that arrived in the window.

    If the log has tuples from outside, roots that arrived before the log began are left out.
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
    """Counted roots per topology and window: their number, and means and quantiles of totals and completions in ns."""
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
    """The quantiles of totals and completions, per topology and window in order."""
    found: Table = {}
    for place, name in enumerate(TIMES):
        counts = add_up(take(spread, spread["time"] == place), "topology", "window", "bucket")
        quantiles = find_spread_quantiles(counts, cut_segments(counts["topology"], counts["window"]))
        found |= {f"{name}_{label}": values for label, values in quantiles.items()}
    return found
