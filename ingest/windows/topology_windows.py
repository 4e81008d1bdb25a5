"""The rows that a run stores per topology and window: what came from outside, and how long roots took."""

from collections.abc import Iterator, Sequence

import numpy as np

from ingest.measuring.pieces import Pieces, group_by
from ingest.measuring.roots import LOW, RootSums
from ingest.measuring.tables import Table, stack, take
from ingest.windows.covered_time import cover_windows
from ingest.windows.listing import Row, find_start, list_rows
from ingest.windows.topologies_seen import Topologies


def make_topology_rows(
    log: Pieces, topologies: Topologies, roots: Sequence[RootSums], window_ns: int
) -> Iterator[Row]:
    """The rate from outside, and the sojourns of the root tuples that arrived in the window.

    If the log has tuples from outside, tuples whose root arrived before the log began are left out.
    """
    edges, windows = group_by(log.tables["edges"], "topology", "window")
    topology, window = windows.first(edges["topology"]), windows.first(edges["window"])
    outside = windows.sum(np.where(edges["is_outside"], edges["weight"], 0))
    operator = windows.first(edges["operator"])  # any of the topology: all have the same cover
    covered = cover_windows(topologies.begin_ns[operator], topologies.end_ns[operator], window, window_ns)
    known = sum_counted_roots(topologies.names, roots)
    places = {
        key: row
        for row, key in enumerate(zip(known["topology"].tolist(), known["window"].tolist(), strict=True))
    }
    row = np.array([places.get(key, -1) for key in zip(topology.tolist(), window.tolist(), strict=True)])
    found = {name: np.where(row >= 0, column[row], 0) for name, column in known.items()} if places else {}
    count = found.get("roots", np.zeros(len(row), dtype=np.int64))
    means = {
        name: np.where(count > 0, found[part] / np.maximum(count, 1) / 1e9, np.nan)
        if found
        else count * np.nan
        for name, part in (("mean_total_sojourn_seconds", "total"), ("mean_completion_seconds", "completion"))
    }
    return list_rows(
        {
            "topology": [topologies.names[place] for place in topology.tolist()],
            "window_start": [find_start(one, window_ns) for one in window.tolist()],
            "covered_seconds": np.where(covered > 0, covered / 1e9, np.nan),
            "external_rate": outside / (np.where(covered > 0, covered, window_ns) / 1e9),
            "root_tuples": count,
            **means,
        }
    )


def sum_counted_roots(names: list[str], roots: Sequence[RootSums]) -> Table:
    """The roots that count, per topology and window: their number, and the sums of totals and completions in ns."""
    places = {name: place for place, name in enumerate(names)}
    tables = []
    for one in roots:
        if one.topologies:
            codes = np.array([places[name] for name in one.topologies], dtype=np.int64)
            tables.append(one.table | {"topology": codes[one.table["topology"]]})
    table = stack(tables)
    has_begun = np.zeros(len(names), dtype=bool)
    has_begun[table["topology"][table["is_begun"]]] = True
    table = take(table, table["is_begun"] == has_begun[table["topology"]])
    table, windows = group_by(table, "topology", "window")
    sums = {
        name: windows.sum(table[f"{name}_high"]) * float(LOW + 1) + windows.sum(table[f"{name}_low"])
        for name in ("total", "completion")
    }
    return {
        "topology": windows.first(table["topology"]),
        "window": windows.first(table["window"]),
        "roots": windows.sum(table["roots"]),
        **sums,
    }
