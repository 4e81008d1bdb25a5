"""The streams between components: what was sent on each, and what was executed of it.

Storm counts `emitted` once for each emit, and `transferred` once for each task that the tuple went to
(Task.getOutgoingTasks): a stream with two subscribers transfers twice what it emits, and one with an all grouping
transfers a copy for every task. Of a stream between A and B, then,

    sent = emitted of A            shuffle, local or shuffle, fields, global, none
    sent = emitted of A × tasks    all
    sent = transferred of A        where B alone subscribes, whatever the grouping is
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from app.engines.numbers import divide, read_list, read_name, read_object, read_text
from app.engines.spouts_and_bolts.groupings import ALL, ONE_COPY, read_grouping
from app.engines.spouts_and_bolts.storm.components import Component, StreamCount
from app.engines.spouts_and_bolts.storm.fields import Page, is_system

SAME_NUMBER = 0.05


class StreamLink(NamedTuple):
    """A subscription: `target` takes the stream of `source`; a grouping of None is not known."""

    source: str
    stream: str
    target: str
    grouping: str | None


class StreamFlow(NamedTuple):
    """A subscription as measured: tuples per second sent by the source, and executed by the target; None: unknown."""

    link: StreamLink
    sent: float | None
    executed: float | None


class Wiring(NamedTuple):
    """Who subscribes to what; `complete`: no further subscription is possible."""

    links: tuple[StreamLink, ...]
    complete: bool


def read_wiring(components: Mapping[str, Component], graph: Mapping[str, Page]) -> Wiring:
    """The subscriptions: from /visualization where it was sent, else from the streams that reached each bolt."""
    links: dict[tuple[str, str, str], StreamLink] = {}
    for target, node in graph.items():
        for one in list_inputs(node):
            source = read_name(one.get(":component", one.get("component")))
            stream = read_text(one.get(":stream", one.get("stream"))) or "default"
            grouping = read_grouping(read_text(one.get(":grouping", one.get("grouping"))))
            if source and source in components and target in components and not is_system(stream):
                links[source, stream, target] = StreamLink(source, stream, target, grouping)
    bolts = [one for one in components.values() if one.kind == "bolt"]
    for bolt in bolts:
        for count in bolt.inputs or ():
            if count.component in components and not is_system(count.stream) and bolt.name not in graph:
                key = (count.component, count.stream, bolt.name)
                links.setdefault(key, StreamLink(*key, None))
    complete = all(bolt.name in graph or bolt.inputs is not None for bolt in bolts)
    return Wiring(tuple(links.values()), complete)


def list_inputs(node: Page) -> list[Page]:
    """The inputs of a component in /visualization."""
    listed = read_list(node.get(":inputs", node.get("inputs")))
    return [read_object(one) for one in listed]


def measure_flows(components: Mapping[str, Component], wiring: Wiring) -> tuple[StreamFlow, ...]:
    """Each subscription with its rates."""
    return tuple(
        [
            StreamFlow(
                link, find_sent(components, wiring, link), find_executed(components[link.target], link)
            )
            for link in wiring.links
        ]
    )


def find_sent(components: Mapping[str, Component], wiring: Wiring, link: StreamLink) -> float | None:
    """Tuples per second that the source sends on this subscription; None where the counts do not tell."""
    source, target = components[link.source], components[link.target]
    out = find_output(source, wiring, link.stream)
    if out is None:
        return None
    if link.grouping == ALL:
        tasks = target.tasks
        return None if out.emitted_rate is None or tasks is None else out.emitted_rate * tasks
    if link.grouping in ONE_COPY:
        return out.emitted_rate
    if not wiring.complete:
        return None
    others = [one for one in wiring.links if (one.source, one.stream) == (link.source, link.stream)]
    if len(others) == 1:
        return out.transferred_rate
    each = divide(out.transferred_rate, float(len(others)))
    near = each is not None and out.emitted_rate is not None
    is_even = near and abs((each or 0.0) - (out.emitted_rate or 0.0)) <= SAME_NUMBER * (each or 0.0)
    return out.emitted_rate if is_even else None


def find_output(source: Component, wiring: Wiring, stream: str) -> StreamCount | None:
    """The counts of one stream; a component without a page of its own has them where it has one stream alone."""
    if source.outputs is not None:
        return next((one for one in source.outputs if one.stream == stream), None)
    streams = {link.stream for link in wiring.links if link.source == source.name}
    if wiring.complete and len(streams) == 1:
        return StreamCount("", stream, None, source.emitted_rate, source.transferred_rate)
    return None


def find_executed(target: Component, link: StreamLink) -> float | None:
    """Tuples per second of this subscription that the target executed; with one subscription, all of them."""
    if target.inputs is None:
        return None
    found = [one for one in target.inputs if (one.component, one.stream) == (link.source, link.stream)]
    return found[0].executed_rate if found else None


def flows_into(flows: Iterable[StreamFlow], target: str) -> list[StreamFlow]:
    """The subscriptions of one component."""
    return [flow for flow in flows if flow.link.target == target]
