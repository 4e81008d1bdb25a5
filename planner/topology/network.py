"""The network of a topology: the checked graph, with operators as positions instead of names."""

from collections.abc import Mapping
from typing import NamedTuple

from planner.errors import InvalidTopology, suggest_name
from planner.values import Diagnostic, Edge, Operator, Topology
from planner.wording import join_names

# The largest selectivity or share: up to here no product in the planner's formulas overflows.
LARGEST = 1e100
MOST, MOST_AT_ONCE = 1e12, 100_000
OWN_WORDS = slice(Operator._fields.index("delay_seconds"), Operator._fields.index("scaling") + 1)
NO_WORDS = Operator("")[OWN_WORDS]
"""The fields of an operator that its owner says of services, and their values where nothing is said."""


class Network(NamedTuple):
    """A checked topology with operators as positions; `places` has them by name, `loops` the selectivity of
    self-loops.
    """

    names: tuple[str, ...]
    places: dict[str, int]
    successors: list[list[int]]
    selectivities: list[list[float]]  # alongside `successors`
    fan_in: list[int]
    loops: list[float]
    shares: list[float]
    diagnostics: tuple[Diagnostic, ...]


def index_topology(topology: Topology) -> Network:
    """The network of a topology; raises InvalidTopology with the pointer of the part to change."""
    names = tuple([operator.name for operator in topology.operators])
    if not names:
        raise InvalidTopology("The topology has no operators: name at least one.", "/operators")
    index = {name: position for position, name in enumerate(names)}
    if len(index) < len(names):
        refuse_duplicate_name(names)
    for position, operator in enumerate(topology.operators):
        # Most operators have no bounds of their own: this comparison skips them quickly.
        if operator.min_processors != 1 or operator.ceiling is not None or operator[OWN_WORDS] != NO_WORDS:
            check_operator(position, operator)
    successors: list[list[int]] = [[] for _ in names]
    selectivities: list[list[float]] = [[] for _ in names]
    fan_in = [0] * len(names)
    loops = [0.0] * len(names)
    pairs: set[tuple[str, str]] = set()
    for position, edge in enumerate(topology.edges):
        source_name, target_name, selectivity = edge
        source, target = index.get(source_name), index.get(target_name)
        if source is None or target is None or not 0.0 <= selectivity <= LARGEST:
            refuse_edge(position, edge, index)
        elif source == target:
            loops[source] = selectivity
        elif selectivity:  # an edge of selectivity 0 is no part of a cycle
            successors[source].append(target)
            selectivities[source].append(selectivity)
            fan_in[target] += 1
        pairs.add((source_name, target_name))
    if len(pairs) < len(topology.edges):
        refuse_duplicate_edge(topology.edges)
    shares, diagnostics = find_shares(topology, index)
    return Network(names, index, successors, selectivities, fan_in, loops, shares, diagnostics)


def find_shares(topology: Topology, index: dict[str, int]) -> tuple[list[float], tuple[Diagnostic, ...]]:
    """How many tuples enter at each operator per tuple of the external stream, and diagnostics of assumed entries."""
    if not topology.entries:
        return assume_shares(topology, index)
    shares = [0.0] * len(index)
    entered: set[str] = set()
    for position, entry in enumerate(topology.entries):
        operator = index.get(entry.operator)
        pointer = f"/entries/{position}"
        if operator is None:
            raise InvalidTopology(
                f"Entry {position} names operator {entry.operator!r}, which the topology does not have: add "
                f"the operator or correct the name.{suggest_name(entry.operator, index)}",
                f"{pointer}/operator",
            )
        if not 0.0 <= entry.share <= LARGEST:
            raise InvalidTopology(
                f"The share of entry {position} is {entry.share}: give a finite number of at least 0.",
                f"{pointer}/share",
            )
        if entry.operator in entered:
            raise InvalidTopology(
                f"Operator {entry.operator!r} has two entries: give one, with the sum of the shares.", pointer
            )
        shares[operator] = entry.share
        entered.add(entry.operator)
    return shares, ()


def assume_shares(topology: Topology, index: dict[str, int]) -> tuple[list[float], tuple[Diagnostic, ...]]:
    """The shares of a topology without entries: the whole stream enters at every operator that no other operator feeds.

    A diagnostic reports it, except where that one operator reaches all others: then no other entry is possible.
    """
    fed = {edge.target for edge in topology.edges if edge.source != edge.target}
    names = tuple(name for name in index if name not in fed)
    if not names:
        raise InvalidTopology(
            "No entries are given, and every operator is fed by another operator: name as entries the "
            "operators that the external stream enters.",
            "/entries",
        )
    shares = [0.0] * len(index)
    for name in names:
        shares[index[name]] = 1.0
    if len(names) == 1 and reach_all(topology, names[0]):
        return shares, ()
    detail = f"No entries are given: the whole external stream enters at {join_names(names)}."
    return shares, (Diagnostic("entries-assumed", detail, names),)


def reach_all(topology: Topology, entry: str) -> bool:
    """Whether tuples that enter at the operator `entry` reach every other operator."""
    targets: dict[str, list[str]] = {}
    for edge in topology.edges:
        if edge.selectivity:
            targets.setdefault(edge.source, []).append(edge.target)
    reached, ahead = {entry}, [entry]
    while ahead:
        found = set(targets.get(ahead.pop(), ())) - reached
        reached |= found
        ahead.extend(found)
    return len(reached) == len(topology.operators)


def refuse_duplicate_name(names: tuple[str, ...]) -> None:
    """Raise InvalidTopology for the second operator with a name that another operator has."""
    seen: set[str] = set()
    for position, name in enumerate(names):
        if name in seen:
            raise InvalidTopology(
                f"Two operators are named {name!r}: give each its own name.", f"/operators/{position}/name"
            )
        seen.add(name)


def check_operator(position: int, operator: Operator) -> None:
    """Raise InvalidTopology unless the bounds of an operator and its owner's words can be computed with."""
    check_bounds(position, operator)
    check_words(position, operator)


def check_bounds(position: int, operator: Operator) -> None:
    """Raise InvalidTopology unless an operator has 1 ≤ min_processors ≤ max_processors, and ≤ max_parallelism."""
    pointer = f"/operators/{position}"
    if operator.min_processors < 1:
        raise InvalidTopology(
            f"min_processors of operator {operator.name!r} is {operator.min_processors}: it must be at least "
            "1.",
            f"{pointer}/min_processors",
        )
    if operator.ceiling is not None and operator.ceiling < operator.min_processors:
        raise InvalidTopology(
            f"{operator.ceiling_name} of operator {operator.name!r} is {operator.ceiling}, below its "
            f"min_processors of {operator.min_processors}: raise the upper bound, or lower min_processors.",
            f"{pointer}/{operator.ceiling_name}",
        )


def check_words(position: int, operator: Operator) -> None:
    """Raise InvalidTopology unless delay, capacity and concurrency are numbers that can be computed with."""
    rate, scaling = operator.capacity_rate, operator.scaling
    for field, is_usable, wanted in (
        ("delay_seconds", 0.0 <= operator.delay_seconds <= MOST, f"a number from 0 to {MOST:g} seconds"),
        (
            "capacity_rate",
            rate is None or 1.0 / MOST <= rate <= MOST,
            f"a number from {1.0 / MOST:g} to {MOST:g}",
        ),
        (
            "scaling",
            scaling is None or all(0.0 <= one <= 1.0 for one in scaling[:3]),
            "numbers from 0 to 1",
        ),
        ("concurrency", 1 <= operator.concurrency <= MOST_AT_ONCE, f"a number from 1 to {MOST_AT_ONCE}"),
    ):
        if not is_usable:
            raise InvalidTopology(
                f"{field} of operator {operator.name!r} is {getattr(operator, field)}: give {wanted}.",
                f"/operators/{position}/{field}",
            )


def refuse_edge(position: int, edge: Edge, index: Mapping[str, int]) -> None:
    """Raise InvalidTopology if an end of an edge is no operator, or its selectivity is no number of at least 0."""
    pointer = f"/edges/{position}"
    for end, name in (("source", edge.source), ("target", edge.target)):
        if name not in index:
            raise InvalidTopology(
                f"The {end} of edge {position} is {name!r}, which the topology does not have: add the "
                f"operator or correct the name.{suggest_name(name, index)}",
                f"{pointer}/{end}",
            )
    raise InvalidTopology(
        f"The selectivity of the edge from {edge.source!r} to {edge.target!r} is {edge.selectivity}: give a "
        "finite number of at least 0.",
        f"{pointer}/selectivity",
    )


def refuse_duplicate_edge(edges: tuple[Edge, ...]) -> None:
    """Raise InvalidTopology for a second edge between two operators, which could mean a sum or a correction."""
    seen: set[tuple[str, str]] = set()
    for position, edge in enumerate(edges):
        pair = (edge.source, edge.target)
        if pair in seen:
            raise InvalidTopology(
                f"Two edges lead from {edge.source!r} to {edge.target!r}: give one, with the sum of their "
                "selectivities.",
                f"/edges/{position}",
            )
        seen.add(pair)
