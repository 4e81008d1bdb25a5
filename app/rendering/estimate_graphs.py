"""An estimate on its topology as a graph to draw: how busy each operator is, what flows, and what would change."""

from collections.abc import Mapping, Sequence

from app.load.bodies.answers import EstimateAnswer
from app.rendering.operator_graphs import DrawnOperator, OperatorGraph, join_streams
from planner.values import Topology


def graph_estimate(
    title: str,
    lines: Sequence[str],
    topology: Topology,
    estimate: EstimateAnswer,
    recommended: Mapping[str, int] | None,
) -> OperatorGraph:
    """The operators as estimated; of those with a queue for each processor, how busy the busiest processor is."""
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
    """The places of the operators that the external stream enters; without entries, those that no other one feeds."""
    fed = {one.target for one in topology.edges if one.source != one.target}
    named = {one.operator for one in topology.entries}
    names = [one.name for one in topology.operators]
    return [place for place, name in enumerate(names) if (name in named if named else name not in fed)]
