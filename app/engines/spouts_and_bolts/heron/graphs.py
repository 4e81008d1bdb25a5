"""The topology of Heron's logical plan: bolts are operators, spouts feed the entries (as for Storm)."""

from collections.abc import Mapping

from app.engines.numbers import divide
from app.engines.spouts_and_bolts.groupings import ALL, GLOBAL, QUEUEINGS
from app.engines.spouts_and_bolts.heron.components import HeronComponent
from app.engines.spouts_and_bolts.heron.streams import find_sent
from app.load.bodies.topology import EdgeBody, EntryBody, Graph, OperatorBody

LARGEST = 1e12


def build_graph(
    components: Mapping[str, HeronComponent], entries: Mapping[str, float | None], external: float | None
) -> Graph | None:
    """Operators, edges and entries; None where there is no bolt."""
    bolts = [one for one in components.values() if one.is_bolt]
    if not bolts:
        return None
    return Graph(
        operators=[build_operator(bolt, components) for bolt in bolts],
        edges=build_edges(components),
        entries=[
            EntryBody(operator=name, share=min(divide(rate, external) or 1.0, LARGEST))
            for name, rate in entries.items()
            if rate != 0.0 or not external
        ],
    )


def build_operator(bolt: HeronComponent, components: Mapping[str, HeronComponent]) -> OperatorBody:
    """One bolt.

    A global grouping keeps one instance busy, whatever runs. Under an all grouping every further instance gets a copy
    of the stream: more instances never help.
    """
    groupings = {one.grouping for one in bolt.inputs}
    most = 1 if groupings == {GLOBAL} else len(bolt.instances) if ALL in groupings else None
    busiest = max(bolt.inputs, key=lambda one: find_sent(bolt, one, components) or 0.0, default=None)
    return OperatorBody(
        name=bolt.name,
        max_parallelism=most or None,
        queueing=QUEUEINGS.get(busiest.grouping or "") if busiest else None,
    )


def build_edges(components: Mapping[str, HeronComponent]) -> list[EdgeBody]:
    """One edge for each pair of bolts, with tuples sent per tuple executed; 1 where that was not measured."""
    found: dict[tuple[str, str], float] = {}
    for target in components.values():
        for one in target.inputs:
            source = components.get(one.source)
            if source is None or not source.is_bolt or not target.is_bolt:
                continue
            selectivity = find_selectivity(source, target, components)
            found[source.name, target.name] = 1.0 if selectivity is None else min(selectivity, LARGEST)
    return [EdgeBody(source=a, target=b, selectivity=selectivity) for (a, b), selectivity in found.items()]


def find_selectivity(
    source: HeronComponent, target: HeronComponent, components: Mapping[str, HeronComponent]
) -> float | None:
    """Tuples sent on all streams between two bolts, per tuple that the source executed."""
    sent = [
        find_sent(target, one, components) or target.executed_from.get((one.source, one.stream))
        for one in target.inputs
        if one.source == source.name
    ]
    known = [one for one in sent if one is not None]
    return divide(sum(known), source.executed_rate) if len(known) == len(sent) else None
