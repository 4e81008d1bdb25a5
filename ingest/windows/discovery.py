"""A topology as the log shows it: operators, edges, selectivities and entries."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ingest.request import RunDiagnosticRow
from ingest.windows.queueing import SeenQueueing
from ingest.windows.stated_queueing import NOTHING_SAID, compare_queueings, merge_queueings, name_some

SELECTIVITY_TOLERANCE = 0.1
LEAST_TUPLES = 100  # a selectivity measured with fewer is too uncertain to compare


@dataclass(frozen=True, slots=True)
class SeenFlow:
    """How many tuples of a run reached an operator from one upstream operator (None: from outside)."""

    topology: str
    operator: str
    from_operator: str | None
    weight: int


class SeenEdge(NamedTuple):
    source: str
    target: str
    selectivity: float


class SeenEntry(NamedTuple):
    operator: str
    share: float


@dataclass(frozen=True, slots=True)
class Discovery:
    """A topology as the log shows it; operators in `unlogged` sent tuples to others but logged none of their own."""

    name: str
    operators: tuple[str, ...]
    edges: tuple[SeenEdge, ...]
    entries: tuple[SeenEntry, ...]
    inputs: dict[str, int]
    unlogged: tuple[str, ...]
    queueings: tuple[SeenQueueing, ...] = ()

    def to_definition(self, known: Mapping[str, str] = NOTHING_SAID) -> dict[str, object]:
        """The definition as the service stores it, with the queueing known before where this log is silent."""
        queueings = merge_queueings(known, self.queueings)
        return {
            "operators": [
                {"name": name, "stateful": False, "min_processors": 1, "max_processors": None}
                | ({"queueing": queueings[name]} if name in queueings else {})
                for name in self.operators
            ],
            "edges": [
                {"source": e.source, "target": e.target, "selectivity": e.selectivity} for e in self.edges
            ],
            "entries": [{"operator": e.operator, "share": e.share} for e in self.entries],
        }


@dataclass(frozen=True, slots=True)
class Known:
    """A topology as stored."""

    operators: frozenset[str]
    selectivities: dict[tuple[str, str], float]
    queueings: Mapping[str, str] = field(default_factory=dict)


def discover_topologies(flows: Iterable[SeenFlow], queueings: Iterable[SeenQueueing] = ()) -> list[Discovery]:
    """One per topology of the log, by name."""
    by_topology: defaultdict[str, list[SeenFlow]] = defaultdict(list)
    for flow in flows:
        by_topology[flow.topology].append(flow)
    said: defaultdict[str, list[SeenQueueing]] = defaultdict(list)
    for queueing in queueings:
        said[queueing.topology].append(queueing)
    return [
        replace(discover_topology(name, by_topology[name]), queueings=tuple(said[name]))
        for name in sorted(by_topology)
    ]


def discover_topology(name: str, flows: Sequence[SeenFlow]) -> Discovery:
    """selectivity(i→j) = tuples that reached j from i / tuples that reached i; share = an entry's part of λ0."""
    inputs: defaultdict[str, int] = defaultdict(int)
    edges: defaultdict[tuple[str, str], int] = defaultdict(int)
    outside: defaultdict[str, int] = defaultdict(int)
    for flow in flows:
        inputs[flow.operator] += flow.weight
        if flow.from_operator is None:
            outside[flow.operator] += flow.weight
        else:
            edges[flow.from_operator, flow.operator] += flow.weight
    external = sum(outside.values())
    return Discovery(
        name,
        tuple(sorted(inputs)),
        tuple(SeenEdge(i, j, n / inputs[i]) for (i, j), n in sorted(edges.items()) if i in inputs),
        tuple(SeenEntry(operator, n / external) for operator, n in sorted(outside.items())),
        dict(inputs),
        tuple(sorted({i for i, _ in edges if i not in inputs})),
    )


def find_unlogged(found: Discovery) -> list[RunDiagnosticRow]:
    if not found.unlogged:
        return []
    detail = (
        f"{name_some(found.unlogged)} fed other operators but logged nothing: "
        "no load of theirs is known, and they are left out of the discovered topology."
    )
    return [RunDiagnosticRow("unlogged-operators", found.name, detail)]


def compare_topologies(found: Discovery, known: Known) -> list[RunDiagnosticRow]:
    """The differences between the log and a posted topology, which is not changed."""
    diagnostics = []
    if strangers := sorted(set(found.operators) - known.operators):
        detail = (
            f"The log has operators that the posted topology lacks: {name_some(strangers)}. "
            "They are not in its snapshots."
        )
        diagnostics.append(RunDiagnosticRow("unknown-operators", found.name, detail))
    measured = {(e.source, e.target): e.selectivity for e in found.edges}
    inside = {pair for pair in measured if set(pair) <= known.operators}
    if new_edges := sorted(inside - known.selectivities.keys()):
        pairs = name_some(f"{source} → {target}" for source, target in new_edges)
        detail = f"The log has edges that the posted topology lacks: {pairs}."
        diagnostics.append(RunDiagnosticRow("unknown-edges", found.name, detail))
    differing = [
        f"{i} → {j} is {measured[i, j]:.4g}, posted {known.selectivities[i, j]:.4g}"
        for i, j in sorted(inside & known.selectivities.keys())
        if found.inputs[i] >= LEAST_TUPLES and differs(measured[i, j], known.selectivities[i, j])
    ]
    if differing:
        detail = f"Selectivities measured in the log differ from the posted ones: {name_some(differing)}."
        diagnostics.append(RunDiagnosticRow("selectivity-differs", found.name, detail))
    return diagnostics + compare_queueings(found.name, found.queueings, known.operators, known.queueings)


def differs(measured: float, posted: float) -> bool:
    return abs(measured - posted) > SELECTIVITY_TOLERANCE * max(measured, posted)
