"""Streams between spouts and bolts: which queues their groupings make, what was sent, executed and offered.

| grouping | which instance gets a tuple | queueing |
|---|---|---|
| shuffle, local_or_shuffle | one after the other, in a shuffled order | round-robin |
| none | a random one (NoneGrouper draws it) | random |
| fields | by the hash of a field | keyed |
| global | the task with the lowest number | keyed, one instance |
| all | every task gets a copy | random: each copy's stream is the sender's own |
| direct, custom | the sender's code chooses | not known |

Source: org.apache.storm.daemon.GrouperFactory; Heron's Grouping in topology.proto.

Both engines count `emitted` once for each emit. Storm counts `transferred` once for each task that the tuple went to
(Task.getOutgoingTasks): a stream with two subscribers transfers twice what it emits, and one with an all grouping
transfers a copy for every task. Of a stream between A and B, then,

    sent = emitted of A            shuffle, local or shuffle, fields, global, none
    sent = emitted of A × tasks    all
    sent = transferred of A        where B alone subscribes, whatever the grouping is

The offered rate of a bolt is what its sources send, where that exceeds what it executed by more than counts can err.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from app.engines.numbers import add_known, divide
from app.engines.spouts_and_bolts.components import Completion, Component, StreamCount, cover_same_time
from app.load.bodies.topology import QueueingName

ALL = "all"
GLOBAL = "global"
FIELDS = "fields"
QUEUEINGS: dict[str, QueueingName] = {
    "shuffle": "round-robin",
    "local_or_shuffle": "round-robin",
    "none": "random",
    FIELDS: "keyed",
    GLOBAL: "keyed",
    ALL: "random",
}
ONE_COPY = frozenset(QUEUEINGS) - {ALL}
"""Groupings that send every tuple to a single instance."""
SAME_NUMBER = 0.05

AnyComponent = TypeVar("AnyComponent", bound=Component)
AnyComponent_co = TypeVar("AnyComponent_co", bound=Component, covariant=True)


def read_grouping(text: str | None) -> str | None:
    """The name of a grouping as Headgate writes it, from the engine's text; None if the engine does not give it."""
    if text is None:
        return None
    plain = text.strip().lstrip(":").lower().replace("-", "_")
    return {"localorshuffle": "local_or_shuffle", "lowest": GLOBAL}.get(plain, plain) or None


class StreamFlow(NamedTuple):
    """A stream from `source` to `target`, a subscriber, with the tuples per second sent and executed; None
    means unknown.
    """

    source: str
    stream: str
    target: str
    grouping: str | None
    sent: float | None = None
    executed: float | None = None


class Wiring(NamedTuple):
    """The subscriptions between components; `complete` tells that no subscription is missing from the answers."""

    flows: tuple[StreamFlow, ...]
    complete: bool


class Offered(NamedTuple):
    """The tuples per second that reach a bolt; `is_sent` tells that they were counted at its sources, not at
    the bolt.
    """

    rate: float | None
    is_sent: bool


class External(NamedTuple):
    """The tuples per second that enter the topology; `by_spouts` tells that spouts counted them, not the entry
    bolts.
    """

    rate: float | None
    by_spouts: bool


@dataclass(frozen=True)
class MeasuredInterval(Generic[AnyComponent_co]):
    """The components of one interval, with the flows between them.

    `entries` are tuples per second that reach bolts from spouts, or from components that the answers do not show.
    """

    components: Mapping[str, AnyComponent_co]
    flows: tuple[StreamFlow, ...]
    offered: Mapping[str, Offered]
    entries: Mapping[str, float | None]
    external: External
    completion: Completion
    begins_at: datetime | None
    seconds: float | None

    @property
    def bolts(self) -> list[AnyComponent_co]:
        """The components of the interval that are bolts."""
        return [one for one in self.components.values() if one.is_bolt]

    @property
    def spouts(self) -> list[AnyComponent_co]:
        """The components of the interval that are spouts."""
        return [one for one in self.components.values() if not one.is_bolt]

    def list_flows_into(self, target: str) -> list[StreamFlow]:
        """The streams to which one bolt subscribes."""
        return [flow for flow in self.flows if flow.target == target]

    def list_groupings(self, target: str) -> set[str | None]:
        """The groupings by which one bolt receives tuples."""
        return {flow.grouping for flow in self.list_flows_into(target)}

    def is_fed(self, bolt: str) -> bool:
        """Whether the answers show which components send tuples to a bolt."""
        return any(flow.source in self.components for flow in self.list_flows_into(bolt))

    def list_edges(self) -> list[tuple[StreamFlow, float | None]]:
        """The flows between bolts, each with its selectivity: tuples sent per tuple that the source executed."""
        bolts = {bolt.name: bolt for bolt in self.bolts}
        return [
            (flow, find_selectivity(flow, bolts[flow.source], bolts[flow.target]))
            for flow in self.flows
            if flow.source in bolts and flow.target in bolts
        ]

    def has_unlike_counts(self, flow: StreamFlow) -> bool:
        """Whether the tuples that were sent on a stream cannot be compared with the tuples that were executed
        from it.
        """
        if flow.sent is None:
            return True
        return not cover_same_time(self.components[flow.source], self.components[flow.target])


CountError = Callable[[AnyComponent, list[AnyComponent]], float]
"""The difference in tuples per second that the counts of a bolt and of its sources may have although nothing
waits.
"""


def measure_interval(
    components: Mapping[str, AnyComponent],
    wiring: Wiring,
    count_error: CountError[AnyComponent],
    *,
    completion: Completion,
    begins_at: datetime | None,
    seconds: float | None,
) -> MeasuredInterval[AnyComponent]:
    """The flows, offered rates, entries and external rate that the components' counts give."""
    flows = tuple(
        [
            flow._replace(
                sent=find_sent(components, wiring, flow),
                executed=(components[flow.target].executed_from or {}).get((flow.source, flow.stream)),
            )
            for flow in wiring.flows
        ]
    )
    offered = {
        bolt.name: find_offered(
            bolt, components, [one for one in flows if one.target == bolt.name], count_error
        )
        for bolt in components.values()
        if bolt.is_bolt
    }
    entries = find_entries(components, flows, offered)
    external = find_external(components, entries)
    return MeasuredInterval(components, flows, offered, entries, external, completion, begins_at, seconds)


def find_sent(components: Mapping[str, AnyComponent], wiring: Wiring, flow: StreamFlow) -> float | None:
    """Tuples per second that the source sends to this subscriber; None if the counts do not show it."""
    source = components.get(flow.source)
    out = None if source is None else find_output(source, wiring, flow.stream)
    if out is None:
        return None
    if flow.grouping == ALL:
        tasks = components[flow.target].tasks
        return None if out.emitted_rate is None or tasks is None else out.emitted_rate * tasks
    if flow.grouping in ONE_COPY:
        return out.emitted_rate
    return (
        find_sent_unknown(out, len([one for one in wiring.flows if one[:2] == flow[:2]]))
        if wiring.complete
        else None
    )


def find_sent_unknown(out: StreamCount, subscribers: int) -> float | None:
    """Tuples per second sent to each subscriber with an unknown grouping; None if the transferred tuples do not
    show it.
    """
    each = divide(out.transferred_rate, float(subscribers))
    if subscribers == 1 or each is None or out.emitted_rate is None:
        return each if subscribers == 1 else None
    return out.emitted_rate if abs(each - out.emitted_rate) <= SAME_NUMBER * each else None


def find_output(source: Component, wiring: Wiring, stream: str) -> StreamCount | None:
    """The counts of one stream. A component without listed streams must have only one stream, which gets all
    counts.
    """
    if source.outputs is not None:
        return source.outputs.get(stream)
    streams = {flow.stream for flow in wiring.flows if flow.source == source.name}
    if wiring.complete and len(streams) == 1:
        return StreamCount(source.emitted_rate, source.transferred_rate)
    return None


def find_offered(
    bolt: AnyComponent,
    components: Mapping[str, AnyComponent],
    into: Iterable[StreamFlow],
    count_error: CountError[AnyComponent],
) -> Offered:
    """The rate at which tuples reach a bolt: the rate sent to it, or what it executed if the two counts do not
    compare.
    """
    executed, total = bolt.executed_rate, add_known([flow.sent for flow in into])
    sources = [components[flow.source] for flow in into if flow.source in components]
    if total is None or not all(cover_same_time(source, bolt) for source in sources):
        return Offered(executed, is_sent=False)
    total += sum(
        [rate or 0.0 for (name, _), rate in (bolt.executed_from or {}).items() if name not in components]
    )
    if executed is None or total - executed > count_error(bolt, sources):
        return Offered(total, is_sent=True)
    return Offered(executed, is_sent=False)


def find_entries(
    components: Mapping[str, Component], flows: Iterable[StreamFlow], offered: Mapping[str, Offered]
) -> dict[str, float | None]:
    """The tuples per second that reach each bolt from spouts, or from components that the answers do not show."""
    rates: dict[str, float | None] = {}
    for name in offered:
        into = [flow for flow in flows if flow.target == name and flow.source in components]
        outside = [flow for flow in into if not components[flow.source].is_bolt]
        if not into:
            rates[name] = offered[name].rate
        elif outside:
            full = add_known([flow.sent or flow.executed or flow.sent for flow in outside])
            rates[name] = offered[name].rate if full is None and len(into) == 1 else full
    return rates


def find_external(components: Mapping[str, Component], entries: Mapping[str, float | None]) -> External:
    """The rate at which spouts emit; if it is unknown, or 0 although bolts work, the rate that reaches the
    entries.
    """
    emitted = add_known([one.emitted_rate for one in components.values() if not one.is_bolt])
    reached = [rate for rate in entries.values() if rate is not None]
    if emitted is not None and (emitted > 0.0 or not any(reached)):
        return External(emitted, by_spouts=True)
    return External(sum(reached) if reached else None, by_spouts=False)


def find_selectivity(flow: StreamFlow, source: Component, target: Component) -> float | None:
    """Tuples sent per tuple that the source executed; None if the counts do not show it."""
    if flow.sent is not None:
        return divide(flow.sent, source.executed_rate)
    return divide(flow.executed, source.executed_rate) if cover_same_time(source, target) else None
