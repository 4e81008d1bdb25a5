"""The topology and the load of a measured interval of spouts and bolts.

Spouts are not operators: no engine measures how long nextTuple takes, and a spout waits for its source, not for a
processor. The bolts that a spout feeds are the entries, and external tuples are those that spouts emit.

Bolts without known sources are entries too, with their measured share. Visits, E[T] and plans are then the same as
with the edges; the completion time is not.
"""

from collections.abc import Iterable

from app.engines.numbers import MOST, add_known, divide, find_service_rate
from app.engines.spouts_and_bolts.components import Component
from app.engines.spouts_and_bolts.flows import GLOBAL, QUEUEINGS, MeasuredInterval, Offered, StreamFlow
from app.load.bodies.load import InstanceLoadBody, LoadBody, OperatorLoadBody
from app.load.bodies.topology import EdgeBody, EntryBody, Graph, OperatorBody
from app.web.fields import MOST_PROCESSORS

LARGEST_SHARE = 1e12
MOST_INSTANCES = 10_000  # of one operator in a load


def build_graph(found: MeasuredInterval[Component]) -> Graph | None:
    """The topology of a measured interval: its operators, edges and entries; None if the answers name no bolt."""
    if not found.bolts:
        return None
    return Graph(
        operators=[build_operator(bolt, found.list_flows_into(bolt.name)) for bolt in found.bolts],
        edges=build_edges(found),
        entries=[
            EntryBody(operator=name, share=min(divide(rate, found.external.rate) or 1.0, LARGEST_SHARE))
            for name, rate in found.entries.items()
            if rate != 0.0 or not found.external.rate
        ],
    )


def build_operator(bolt: Component, into: list[StreamFlow]) -> OperatorBody:
    """A bolt as an operator, with the queueing of its largest stream; a bolt with a global grouping has one
    working processor.
    """
    is_global = {flow.grouping for flow in into} == {GLOBAL}
    busiest = max(into, key=lambda flow: flow.sent or flow.executed or 0.0, default=None)
    return OperatorBody(
        name=bolt.name,
        max_parallelism=1 if is_global else bolt.max_parallelism,
        queueing=QUEUEINGS.get(busiest.grouping or "") if busiest else None,
    )


def build_edges(found: MeasuredInterval[Component]) -> list[EdgeBody]:
    """An edge for each pair of bolts, with the sum of its streams' selectivities; an unmeasured selectivity
    counts as 1.
    """
    totals: dict[tuple[str, str], float] = {}
    for flow, selectivity in found.list_edges():
        pair = (flow.source, flow.target)
        totals[pair] = totals.get(pair, 0.0) + (1.0 if selectivity is None else selectivity)
    return [
        EdgeBody(source=source, target=target, selectivity=min(total, LARGEST_SHARE))
        for (source, target), total in totals.items()
    ]


def build_loads(intervals: Iterable[MeasuredInterval[Component]]) -> tuple[LoadBody, ...]:
    """The load of each interval with a known time and rates; of intervals at the same time, the last."""
    loads = [load for one in intervals if (load := build_load(one)) is not None]
    return tuple({(load.observed_at, load.window_seconds): load for load in loads}.values())


def build_load(found: MeasuredInterval[Component]) -> LoadBody | None:
    """The load of an interval; None if its time, its length or its external rate is unknown."""
    if found.begins_at is None or not found.seconds or found.external.rate is None:
        return None
    return LoadBody(
        observed_at=found.begins_at,
        window_seconds=found.seconds,
        external_rate=min(found.external.rate, MOST),
        measured_completion_seconds=found.completion.seconds,
        operators={bolt.name: build_operator_load(bolt, found.offered[bolt.name]) for bolt in found.bolts},
    )


def build_operator_load(bolt: Component, offered: Offered) -> OperatorLoadBody:
    """The load of one bolt: its rates, service time and processors, with the rate that is offered to it."""
    return OperatorLoadBody(
        service_rate=find_service_rate(1.0, bolt.service_seconds),
        arrival_rate=None if offered.rate is None else min(offered.rate, MOST),
        served_rate=None if bolt.executed_rate is None else min(bolt.executed_rate, MOST),
        processors=min(bolt.processors or 0, MOST_PROCESSORS) or None,
        instances=list_shares(bolt),
    )


def list_shares(bolt: Component) -> list[InstanceLoadBody]:
    """The share of each instance in the tuples that its bolt executed.

    Empty if the rate of any instance is unknown, if two instances have the same name, or if there are more of them than
    a load can hold.
    """
    total = add_known([rate for _, rate in bolt.instances])
    names = {name for name, _ in bolt.instances}
    if not total or not len(names) == len(bolt.instances) <= MOST_INSTANCES:
        return []
    shares = [(name, divide(rate, total)) for name, rate in bolt.instances]
    return [InstanceLoadBody(instance=name, share=min(share, 1.0)) for name, share in shares if share]
