"""The records that flow on each edge: what senders sent, split among those who take it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.engines.answers import say
from app.engines.flink.activity import Activity, Interval
from app.engines.flink.documents import Input
from planner.values import Diagnostic

BROADCAST = "BROADCAST"
SATURATED = 0.95
"""From this part of its time on, a busy vertex may have records waiting."""
EQUAL = 0.05
UNDERCOUNTED = 1.2

Edge = tuple[str, str]


@dataclass(slots=True)
class Flows:
    """Records per second on each edge, and of each source into the job; None: not known."""

    edges: dict[Edge, float | None] = field(default_factory=dict)
    external: dict[str, float | None] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def find_offered(self, vertex: str) -> float | None:
        """What all senders sent to a vertex; None where one of them is not known."""
        rates = [rate for (_, target), rate in self.edges.items() if target == vertex]
        return None if not rates or None in rates else sum(filter(None, rates))


@dataclass(frozen=True, slots=True)
class Taker:
    """One that takes what a sender sends; `copies` arrive of each record; `taken` is known if nobody else sends."""

    activity: Activity
    copies: int
    taken: float | None

    @property
    def sent(self) -> float | None:
        """What the sender sent to it, each record once."""
        return None if self.taken is None else self.taken / self.copies

    @property
    def is_saturated(self) -> bool:
        """Whether it works all the time."""
        share = self.activity.counted.busy_share
        return share is not None and share >= SATURATED


def trace(interval: Interval, inputs: Mapping[str, Sequence[Input]], names: Mapping[str, str]) -> Flows:
    """The flow on every edge of the plan."""
    flows = Flows()
    for sender, activity in interval.activities.items():
        takers = {
            vertex: make_taker(interval.activities[vertex], inputs[vertex], sender)
            for vertex in interval.activities
            if any(one.vertex == sender for one in inputs.get(vertex, ()))
        }
        sent = split(activity.sent, list(takers.values()))
        for (vertex, taker), rate in zip(takers.items(), sent, strict=True):
            flows.edges[sender, vertex] = None if rate is None else rate * taker.copies
        if activity.is_source:
            flows.external[sender] = find_external(activity, sent)
        flows.diagnostics += note_split(activity, list(takers.values()), names)
    return flows


def make_taker(activity: Activity, inputs: Sequence[Input], sender: str) -> Taker:
    """How a vertex takes what a sender sends."""
    strategy = next(one.ship_strategy for one in inputs if one.vertex == sender)
    copies = activity.vertex.parallelism if strategy == BROADCAST else 1
    return Taker(activity, copies, activity.served if len(inputs) == 1 else None)


def split(sent: float | None, takers: Sequence[Taker]) -> list[float | None]:
    """What was sent to each taker, each record once: Flink counts only the sum over all takers.

    What a taker took is known where it has no other sender. What was sent and not taken lies in buffers: it is counted
    for the takers that work all the time, or else for all in proportion.
    """
    if len(takers) == 1:
        return [sent if sent is not None else takers[0].sent]
    taken = [taker.sent for taker in takers]
    known = sum(filter(None, taken))
    if sent is None or known > UNDERCOUNTED * sent:
        return taken
    unknown = [taker.activity.served or 0.0 for taker, one in zip(takers, taken, strict=True) if one is None]
    if unknown:
        return share_rest(max(sent - known, 0.0), taken, takers)
    weights = [one or 0.0 for one in taken]
    if sent > known and any(taker.is_saturated for taker in takers):
        weights = [w if taker.is_saturated else 0.0 for w, taker in zip(weights, takers, strict=True)]
    return spread(sent - known, weights, taken)


def share_rest(rest: float, taken: Sequence[float | None], takers: Sequence[Taker]) -> list[float | None]:
    """The rest goes to the takers with other senders too, in proportion to all that they take."""
    weights = [
        (taker.activity.served or 0.0) if one is None else 0.0
        for taker, one in zip(takers, taken, strict=True)
    ]
    return spread(rest, weights, [0.0 if one is None else one for one in taken])


def spread(rest: float, weights: Sequence[float], base: Sequence[float | None]) -> list[float | None]:
    """Base and its part of the rest for each, never below 0."""
    total = sum(weights)
    if total <= 0.0:
        return list(base)
    return [max((one or 0.0) + rest * weight / total, 0.0) for one, weight in zip(base, weights, strict=True)]


def find_external(activity: Activity, sent: Sequence[float | None]) -> float | None:
    """Records per second that enter at a source.

    Where only the sum over all takers is counted and each takes the same, they all take the same stream.
    """
    if activity.has_own_count or len(sent) < 2:
        return activity.served
    rates = [rate for rate in sent if rate is not None]
    if len(rates) == len(sent) and max(rates) - min(rates) <= EQUAL * max(rates):
        return max(rates)
    return activity.served


def note_split(activity: Activity, takers: Sequence[Taker], names: Mapping[str, str]) -> Iterable[Diagnostic]:
    """What was assumed where a vertex sends to several."""
    name = names[activity.vertex.id]
    if len(takers) < 2:
        return
    unknown = [names[taker.activity.vertex.id] for taker in takers if taker.sent is None]
    if len(unknown) > 1:
        yield say(
            "split-assumed",
            f"{name} sends to {len(takers)} vertices, and {', '.join(unknown)} have other senders too: what goes to "
            "each of them is not measured, and is split in proportion to what they take in all.",
            [name],
        )
    if activity.is_source and not activity.has_own_count:
        yield say(
            "stream-copied",
            f"{name} sends to {len(takers)} vertices, and its own count of records is not known. If they took equal "
            "numbers, the stream is taken as sent whole to each of them; else as divided among them.",
            [name],
        )
