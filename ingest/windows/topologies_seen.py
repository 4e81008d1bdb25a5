"""The topologies of a run: the time covered of each, and the flows between their operators."""

from typing import NamedTuple

import numpy as np

from ingest.measuring.pieces import Pieces
from ingest.measuring.segments import Column
from ingest.windows.covered_time import Ends, find_ends
from ingest.windows.discovery import SeenFlow


class Topologies(NamedTuple):
    """The topologies of a run: the number of each operator's, and the time covered per operator (0: not known)."""

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
    """The weight of the tuples that reached each operator from each other one, over the whole run."""
    weights = np.bincount(log.tables["edges"]["edge"], log.tables["edges"]["weight"], len(log.edges))
    return [
        SeenFlow(str(topology), str(operator), upstream, int(weight))
        for (topology, operator, upstream), weight in zip(log.edges, weights.tolist(), strict=True)
    ]
