"""The topology that Storm's pages show.

Spouts are no operators: Storm does not measure how long nextTuple takes, and a spout waits for its source rather than
for a processor. The bolts that a spout feeds are the entries, and external tuples are those that spouts emit.
Bolts that nobody is seen to feed are entries too, with the share that was measured: visits, E[T] and plans then come
out as with the edges, while the completion time does not.
"""

from collections.abc import Mapping

from app.engines.numbers import divide
from app.engines.spouts_and_bolts.groupings import GLOBAL, QUEUEINGS
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.flows import StreamFlow, flows_into
from app.engines.spouts_and_bolts.storm.rates import cover_same_time
from app.load.bodies.topology import EdgeBody, EntryBody, Graph, OperatorBody, QueueingName
from app.web.fields import MOST_PROCESSORS

LARGEST_SHARE = 1e12


def build_graph(
    components: Mapping[str, Component],
    flows: tuple[StreamFlow, ...],
    entries: Mapping[str, float | None],
    external: float | None,
) -> Graph | None:
    """Operators, edges and entries; None where no bolt is named."""
    bolts = [one for one in components.values() if one.kind == "bolt"]
    if not bolts:
        return None
    return Graph(
        operators=[build_operator(bolt, flows_into(flows, bolt.name)) for bolt in bolts],
        edges=build_edges(components, flows),
        entries=[
            EntryBody(operator=name, share=find_share(rate, external))
            for name, rate in entries.items()
            if rate != 0.0 or not external
        ],
    )


def build_operator(bolt: Component, into: list[StreamFlow]) -> OperatorBody:
    """One bolt; a rebalance cannot give it more executors than it has tasks."""
    groupings = {flow.link.grouping for flow in into}
    most = 1 if groupings == {GLOBAL} else count_tasks(bolt)
    return OperatorBody(name=bolt.name, max_parallelism=most, queueing=find_queueing(into))


def count_tasks(bolt: Component) -> int | None:
    """The tasks of a bolt; by its executors' numbers where the pages do not say, None where they contradict."""
    by_rows = [row.tasks for row in bolt.rows]
    known = [one for one in by_rows if one is not None]
    tasks = bolt.tasks or (sum(known) if known and len(known) == len(by_rows) else None)
    return tasks if tasks and (bolt.processors or 1) <= tasks <= MOST_PROCESSORS else None


def find_queueing(into: list[StreamFlow]) -> QueueingName | None:
    """The queues that the grouping of the largest stream makes; None where it is not known."""
    busiest = max(into, key=lambda flow: flow.sent or flow.executed or 0.0, default=None)
    return QUEUEINGS.get(busiest.link.grouping or "") if busiest else None


def build_edges(components: Mapping[str, Component], flows: tuple[StreamFlow, ...]) -> list[EdgeBody]:
    """One edge for each pair of bolts; selectivity = tuples sent on it per tuple that its source executed."""
    found: dict[tuple[str, str], float] = {}
    for flow in flows:
        source, target = components[flow.link.source], components[flow.link.target]
        if source.kind == "bolt":
            per_input = find_selectivity(source, target, flow)
            pair = (source.name, target.name)
            found[pair] = found.get(pair, 0.0) + (1.0 if per_input is None else per_input)
    return [
        EdgeBody(source=source, target=target, selectivity=min(selectivity, LARGEST_SHARE))
        for (source, target), selectivity in found.items()
    ]


def find_selectivity(source: Component, target: Component, flow: StreamFlow) -> float | None:
    """Tuples sent per tuple executed; None where the counts do not tell."""
    if flow.sent is not None:
        return divide(flow.sent, source.executed_rate)
    return divide(flow.executed, source.executed_rate) if cover_same_time(source, target) else None


def find_share(rate: float | None, external: float | None) -> float:
    """External tuples that enter at a bolt, per external tuple; 1 where that is not known."""
    share = divide(rate, external)
    return min(share, LARGEST_SHARE) if share else 1.0
