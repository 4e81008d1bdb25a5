"""The operators and streams of a picture, and the choice of the part of a large topology that is drawn."""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.load.bodies.answers import EstimateAnswer
from planner.values import Topology

MOST_OPERATORS = 60
MOST_STREAMS = 120


class DrawnOperator(NamedTuple):
    """An operator in a picture; None: not known. `note` describes its definition if nothing is measured."""

    name: str
    busy: float | None = None
    rate: float | None = None
    running: int | None = None
    recommended: int | None = None
    note: str = ""


class DrawnStream(NamedTuple):
    """A stream in a picture; `source` and `target` are indexes in the list of operators."""

    source: int
    target: int
    selectivity: float
    rate: float | None = None


class OperatorGraph(NamedTuple):
    """What a picture of operators shows: `lines` stand below the title, `entries` are indexes of operators with
    external input.
    """

    title: str
    lines: Sequence[str]
    operators: Sequence[DrawnOperator]
    streams: Sequence[DrawnStream]
    entries: Sequence[int] = ()


def join_streams(topology: Topology, rates: Mapping[str, float] | None = None) -> list[DrawnStream]:
    """Returns the streams between operators, each with its rate if arrival rates are known.

    The tuples per second of a stream are the arrival rate of its source operator × its selectivity.
    """
    places = {operator.name: place for place, operator in enumerate(topology.operators)}
    joined: dict[tuple[str, str], float] = defaultdict(float)
    for source, target, selectivity in topology.edges:
        joined[source, target] += selectivity
    return [
        DrawnStream(places[source], places[target], many, None if rates is None else many * rates[source])
        for (source, target), many in joined.items()
    ]


def find_part(graph: OperatorGraph, most: int = MOST_OPERATORS) -> OperatorGraph:
    """Returns the whole graph, or the part around the busiest operator, with a line that tells what is left out."""
    count = len(graph.operators)
    if count <= most:
        return _keep_widest(graph)
    middle = _find_middle(graph)
    near = sorted(_find_nearest(graph, middle, most))
    moved = {old: new for new, old in enumerate(near)}
    why = "where the stream enters" if graph.operators[middle].busy is None else "the busiest"
    line = f"Shows {len(near)} of {count} operators: those nearest to {graph.operators[middle].name}, {why}."
    part = graph._replace(
        lines=[*graph.lines, line],
        operators=[graph.operators[old] for old in near],
        streams=[
            one._replace(source=moved[one.source], target=moved[one.target])
            for one in graph.streams
            if one.source in moved and one.target in moved
        ],
        entries=[moved[one] for one in graph.entries if one in moved],
    )
    return _keep_widest(part)


def _keep_widest(graph: OperatorGraph) -> OperatorGraph:
    """Returns the graph with only the MOST_STREAMS busiest streams, because a reader cannot distinguish more."""
    if len(graph.streams) <= MOST_STREAMS:
        return graph
    widest = sorted(graph.streams, key=lambda one: -(one.selectivity if one.rate is None else one.rate))
    line = f"Shows the {MOST_STREAMS} widest of {len(graph.streams)} streams."
    return graph._replace(lines=[*graph.lines, line], streams=widest[:MOST_STREAMS])


def _find_middle(graph: OperatorGraph) -> int:
    """Returns the index of the busiest operator; without known utilisations, of the first with external input."""
    known = [place for place, one in enumerate(graph.operators) if one.busy is not None]
    if not known:
        return graph.entries[0] if graph.entries else 0
    return max(known, key=lambda place: graph.operators[place].busy or 0.0)


def _find_nearest(graph: OperatorGraph, middle: int, most: int) -> list[int]:
    """Returns the indexes of the `most` operators nearest to `middle`, counted in streams of either direction."""
    beside: dict[int, list[int]] = defaultdict(list)
    for one in graph.streams:
        beside[one.source].append(one.target)
        beside[one.target].append(one.source)
    found, at_edge = [middle], deque([middle])
    known = {middle}
    while at_edge and len(found) < most:
        for place in beside[at_edge.popleft()]:
            if place not in known and len(found) < most:
                known.add(place)
                found.append(place)
                at_edge.append(place)
    return found


def graph_estimate(
    title: str,
    lines: Sequence[str],
    topology: Topology,
    estimate: EstimateAnswer,
    recommended: Mapping[str, int] | None,
) -> OperatorGraph:
    """Returns the graph of an estimate's operators; of several queues at an operator, the busiest one is shown."""
    found = {one.name: one for one in estimate.operators}
    wanted = recommended or {}
    operators = [
        DrawnOperator(
            one.name,
            one.utilisation if one.hottest_utilisation is None else one.hottest_utilisation,
            one.arrival_rate,
            one.processors,
            wanted.get(one.name, one.processors),
        )
        for one in (found[operator.name] for operator in topology.operators)
    ]
    rates = {one.name: one.arrival_rate for one in estimate.operators}
    return OperatorGraph(title, lines, operators, join_streams(topology, rates), find_entries(topology))


def find_entries(topology: Topology) -> list[int]:
    """Returns the indexes of operators with external input, or if none is stated of the operators without any input."""
    fed = {one.target for one in topology.edges if one.source != one.target}
    named = {one.operator for one in topology.entries}
    names = [one.name for one in topology.operators]
    return [place for place, name in enumerate(names) if (name in named if named else name not in fed)]
