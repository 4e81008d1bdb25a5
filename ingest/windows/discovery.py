"""Discovers topologies in a log, and compares them and their queueing with the stored ones."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from ingest.request import RunDiagnosticRow
from ingest.windows.queueing import KEYED, RANDOM, ROOT, ROUND_ROBIN, SHARED, TUPLE, SeenQueueing

MOST_NAMED = 10
NO_QUEUEINGS: Mapping[str, str] = MappingProxyType({})
WORDS = {
    SHARED: "one queue for all instances",
    ROUND_ROBIN: "a queue per instance, dealt in turn",
    RANDOM: "a queue per instance, chosen at random",
    KEYED: "a queue per instance, of uneven shares",
}
KEYS = {ROOT: ", one key for all tuples of a root", TUPLE: ", a key for each tuple"}
IF_WRONG = {
    ROUND_ROBIN: "too short if instances are chosen at random or by key",
    RANDOM: "too long if tuples are dealt in turn, too short if keys make shares uneven",
    KEYED: "too long if tuples are dealt in turn, and at other numbers of processors if instances are chosen at random",
}


def merge_queueings(known: Mapping[str, str], seen: Iterable[SeenQueueing]) -> dict[str, str]:
    """The queueing of each operator: a sure inference from the log replaces the known one, an unsure one only
    None or shared.
    """
    merged = dict(known)
    for one in seen:
        if one.is_sure or improves_on(known.get(one.operator)):
            merged[one.operator] = one.queueing
    return merged


def improves_on(known: str | None) -> bool:
    """Whether an unsure inference is better than the known queueing: unknown, or one queue for all."""
    return known is None or known == SHARED


def contradicts(seen: SeenQueueing, stated: str | None) -> bool:
    """Whether the log contradicts the stated queueing. Keys with even shares look like choices at random.

    An unsure inference contradicts only shared, since it is always some queue per instance.
    """
    if stated is None or seen.queueing == stated:
        return False
    if not seen.is_sure:
        return stated == SHARED
    return not (seen.queueing == RANDOM and stated == KEYED)


def compare_queueings(
    topology: str, seen: Sequence[SeenQueueing], operators: Iterable[str], stated: Mapping[str, str]
) -> list[RunDiagnosticRow]:
    """Notes where the log shows another queueing than the posted topology, or a queueing where that states none."""
    known = set(operators)
    against = [one for one in seen if contradicts(one, stated.get(one.operator))]
    unstated = [one for one in seen if one.operator in known and one.operator not in stated]
    notes = report_queueings(topology, unstated)
    if against:
        named = join_names(
            f"{one.operator} is posted as {stated[one.operator]}, but has {describe(one)}" for one in against
        )
        detail = f"The log disagrees with the posted queueing: {named}."
        notes.append(RunDiagnosticRow("queueing-disagrees", topology, detail))
    return notes


def report_queueings(
    topology: str, seen: Sequence[SeenQueueing], known: Mapping[str, str] = NO_QUEUEINGS
) -> list[RunDiagnosticRow]:
    """Notes with each inferred queueing and its evidence; an unsure one only where nothing better is known."""
    sure = [one for one in seen if one.is_sure]
    likely = [one for one in seen if not one.is_sure and improves_on(known.get(one.operator))]
    notes = []
    for code, chosen, finding in (
        ("queueing-inferred", sure, "The log shows how tuples queue"),
        (
            "queueing-uncertain",
            likely,
            "The log shows a queue per instance, but is too short to show the choice",
        ),
    ):
        if chosen:
            named = join_names(f"{one.operator} has {describe(one)}" for one in chosen)
            notes.append(RunDiagnosticRow(code, topology, f"{finding}: {named}."))
    return notes


def describe(seen: SeenQueueing) -> str:
    kind = f"{WORDS[seen.queueing]} ({seen.queueing}{KEYS.get(seen.keyed_by or '', '')})"
    if seen.is_sure:
        return f"{kind}: {seen.detail}"
    return f"most likely {kind}, with which E[T] is {IF_WRONG[seen.queueing]}: {seen.detail}"


def join_names(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return ", ".join(listed[:MOST_NAMED]) + more


SELECTIVITY_TOLERANCE = 0.1
LEAST_TUPLES = 100  # with fewer, a measured selectivity is too uncertain to compare


@dataclass(frozen=True, slots=True)
class SeenFlow:
    """The number of tuples of a run that reached an operator from one upstream operator (None: from outside)."""

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
    """A topology found in a log; the operators in `unlogged` sent tuples to others but have no records."""

    name: str
    operators: tuple[str, ...]
    edges: tuple[SeenEdge, ...]
    entries: tuple[SeenEntry, ...]
    inputs: dict[str, int]
    unlogged: tuple[str, ...]
    queueings: tuple[SeenQueueing, ...] = ()

    def to_definition(
        self, known: Mapping[str, str] = NO_QUEUEINGS, keyed: Mapping[str, str] = NO_QUEUEINGS
    ) -> dict[str, object]:
        """The topology as the service stores it; queueing that the log does not show is taken from `known`, and by what
        operators are keyed from `keyed`.
        """
        queueings = merge_queueings(known, self.queueings)
        keyed = {**keyed, **{one.operator: one.keyed_by for one in self.queueings if one.keyed_by}}
        return {
            "operators": [
                {"name": name, "stateful": False, "min_processors": 1, "max_processors": None}
                | ({"queueing": queueings[name]} if name in queueings else {})
                | ({"keyed_by": keyed[name]} if queueings.get(name) == KEYED and name in keyed else {})
                for name in self.operators
            ],
            "edges": [edge._asdict() for edge in self.edges],
            "entries": [entry._asdict() for entry in self.entries],
        }


@dataclass(frozen=True, slots=True)
class Known:
    """A stored topology to compare with a log: its operators, its selectivities by edge, and its stated
    queueing by operator.
    """

    operators: frozenset[str]
    selectivities: dict[tuple[str, str], float]
    queueings: Mapping[str, str] = field(default_factory=dict)
    keyed: Mapping[str, str] = field(default_factory=dict)


def discover_topologies(flows: Iterable[SeenFlow], queueings: Iterable[SeenQueueing] = ()) -> list[Discovery]:
    """Discovers each topology of the log, sorted by name."""
    by_topology: defaultdict[str, list[SeenFlow]] = defaultdict(list)
    for flow in flows:
        by_topology[flow.topology].append(flow)
    inferred: defaultdict[str, list[SeenQueueing]] = defaultdict(list)
    for queueing in queueings:
        inferred[queueing.topology].append(queueing)
    return [
        replace(discover_topology(name, by_topology[name]), queueings=tuple(inferred[name]))
        for name in sorted(by_topology)
    ]


def discover_topology(name: str, flows: Sequence[SeenFlow]) -> Discovery:
    """The topology that the flows of a log show: operators, edges with selectivities, and entries with shares.

    selectivity(i→j) = tuples that reached j from i / tuples that reached i; an entry's share is its part of all tuples
    from outside.
    """
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
        f"{join_names(found.unlogged)} fed other operators but logged no records: their load is unknown, and a "
        "discovered topology leaves them out."
    )
    return [RunDiagnosticRow("unlogged-operators", found.name, detail)]


def compare_topologies(found: Discovery, known: Known) -> list[RunDiagnosticRow]:
    """The notes on differences between a log and a posted topology; the topology is not changed."""
    diagnostics = []
    if strangers := sorted(set(found.operators) - known.operators):
        detail = (
            f"The log has operators that the posted topology lacks: {join_names(strangers)}. "
            "Its snapshots leave them out."
        )
        diagnostics.append(RunDiagnosticRow("unknown-operators", found.name, detail))
    measured = {(e.source, e.target): e.selectivity for e in found.edges}
    inside = {pair for pair in measured if set(pair) <= known.operators}
    if new_edges := sorted(inside - known.selectivities.keys()):
        pairs = join_names(f"{source} → {target}" for source, target in new_edges)
        detail = f"The log has edges that the posted topology lacks: {pairs}."
        diagnostics.append(RunDiagnosticRow("unknown-edges", found.name, detail))
    differing = [
        f"{i} → {j} is {measured[i, j]:.3g}, posted as {known.selectivities[i, j]:.3g}"
        for i, j in sorted(inside & known.selectivities.keys())
        if found.inputs[i] >= LEAST_TUPLES and differs(measured[i, j], known.selectivities[i, j])
    ]
    if differing:
        detail = f"Selectivities measured in the log differ from the posted ones: {join_names(differing)}."
        diagnostics.append(RunDiagnosticRow("selectivity-differs", found.name, detail))
    diagnostics += compare_queueings(found.name, found.queueings, known.operators, known.queueings)
    return diagnostics + compare_keys(found.name, found.queueings, known)


def differs(measured: float, posted: float) -> bool:
    return abs(measured - posted) > SELECTIVITY_TOLERANCE * max(measured, posted)


def compare_keys(topology: str, seen: Iterable[SeenQueueing], known: Known) -> list[RunDiagnosticRow]:
    """A note, in a list, where the log shows other keys than the posted topology says or assumes."""
    wrong = [
        f"{one.operator} has keyed_by {one.keyed_by}, posted as {stated}"
        for one in seen
        if one.keyed_by and known.queueings.get(one.operator) == KEYED
        for stated in (known.keyed.get(one.operator, f"{ROOT} (the default)"),)
        if not stated.startswith(one.keyed_by)
    ]
    if not wrong:
        return []
    detail = f"The log shows whether the tuples of one external tuple share a key: {join_names(wrong)}."
    return [RunDiagnosticRow("keys-disagree", topology, detail)]
