"""What a simulation of a topology means, event by event in plain Python: slow, and short enough to be read whole.

A root comes from outside and becomes tuples at the entries. They wait, are served, and emit further tuples:

    on every edge, floor(selectivity) tuples and one more with the probability of the rest

Each tuple joins one queue of the operator that it is sent to: the only one (shared), or that of one instance, which
is the next in the sender's turn (round-robin), any (random), or fixed by root and operator (keyed).
A queue without a place left blocks who sends to it: an instance keeps what it finished, and serves nobody meanwhile.

    total(root) = Σ over its tuples (finished − arrived);   completion(root) = last finished − arrival of the root

It uses no planner code but planner.values; planner.simulation is compared with it, so that each checks the other.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count, islice
from math import inf
from random import Random

from planner.values import SHARED, Operator, Topology
from tests.planner.simulation.plain_laws import Service


@dataclass(slots=True)
class Root:
    """One external tuple and what became of it; `instances`: where its tuples go at keyed operators."""

    arrived: float
    finished: float
    total: float = 0.0
    instances: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Queue:
    """Tuples that wait at an operator since when, instances without work, and senders that found no place."""

    operator: Operator
    places: float
    waiting: deque[tuple[float, Root]] = field(default_factory=deque)
    idle: list["Sender"] = field(default_factory=list)
    blocked: deque["Sender"] = field(default_factory=deque)


@dataclass(slots=True)
class Sender:
    """An instance with the queue that it serves, or the outside at one entry; `outbox`: what it has yet to send."""

    queue: Queue | None = None
    outbox: deque[tuple[Queue, Root]] = field(default_factory=deque)
    turns: dict[str, int] = field(default_factory=dict)


def open_queues(operator: Operator, processors: int, places: float) -> list[Queue]:
    """One queue that all instances share, or one for each of them."""
    shared = (operator.queueing or SHARED) == SHARED
    queues = [Queue(operator, places) for _ in range(1 if shared else processors)]
    for number in range(processors):
        queue = queues[number % len(queues)]
        queue.idle.append(Sender(queue))
    return queues


@dataclass
class Events:
    """The simulation: what waits, what is served, and until when."""

    topology: Topology
    queues: Mapping[str, list[Queue]]
    services: Mapping[str, Service]
    shares: Mapping[str, Sequence[float]]
    random: Random
    number: Iterator[int] = field(default_factory=count)
    agenda: list[tuple[float, int, Sender, float, Root]] = field(default_factory=list)
    waits: dict[str, list[float]] = field(default_factory=dict)

    def emit(self, sender: Sender, target: str, mean: float, root: Root) -> None:
        """Put `mean` tuples on average into the outbox, each with the queue that it will join."""
        for _ in range(int(mean) + (self.random.random() < mean % 1.0)):
            sender.outbox.append((self.choose_queue(sender, target, root), root))

    def choose_queue(self, sender: Sender, target: str, root: Root) -> Queue:
        """The queue of `target` that the sender's next tuple joins."""
        queues = self.queues[target]
        everyone = range(len(queues))
        queueing = queues[0].operator.queueing
        if queueing == "round-robin":
            turn = sender.turns.get(target, self.random.choice(everyone))
            sender.turns[target] = (turn + 1) % len(queues)
            return queues[turn]
        if queueing == "keyed":
            if target not in root.instances:
                root.instances[target] = self.random.choices(everyone, self.shares.get(target))[0]
            return queues[root.instances[target]]
        return self.random.choice(queues)

    def send(self, sender: Sender, now: float) -> None:
        """Send in order while there are places; an instance that has sent all takes up its next tuple."""
        while sender.outbox:
            queue, root = sender.outbox[0]
            if not queue.idle and len(queue.waiting) >= queue.places:
                queue.blocked.append(sender)
                return
            sender.outbox.popleft()
            if queue.idle:
                self.serve(queue.idle.pop(), now, now, root)
            else:
                queue.waiting.append((now, root))
        if sender.queue:
            self.take_next(sender, sender.queue, now)

    def take_next(self, instance: Sender, queue: Queue, now: float) -> None:
        """Serve the tuple that waits longest; the sender that is blocked longest gets the place."""
        if queue.waiting:
            self.serve(instance, now, *queue.waiting.popleft())
        else:
            queue.idle.append(instance)
        if queue.blocked:
            self.send(queue.blocked.popleft(), now)

    def serve(self, instance: Sender, now: float, arrived: float, root: Root) -> None:
        """Begin a service, and note when it will end."""
        assert instance.queue
        name = instance.queue.operator.name
        self.waits.setdefault(name, []).append(now - arrived)
        end = now + self.services[name](self.random)
        heappush(self.agenda, (end, next(self.number), instance, arrived, root))

    def run_until(self, moment: float) -> None:
        """End all services that end by `moment`, in order of time."""
        while self.agenda and self.agenda[0][0] <= moment:
            now, _, instance, arrived, root = heappop(self.agenda)
            assert instance.queue
            root.total, root.finished = root.total + now - arrived, now
            for edge in self.topology.edges:
                if edge.source == instance.queue.operator.name:
                    self.emit(instance, edge.target, edge.selectivity, root)
            self.send(instance, now)


def run_plainly(
    topology: Topology,
    processors: Mapping[str, int],
    arrivals: Iterator[float],
    services: Mapping[str, Service],
    random: Random,
    *,
    roots: int,
    capacities: Mapping[str, int] | None = None,
    shares: Mapping[str, Sequence[float]] | None = None,
) -> tuple[list[Root], dict[str, list[float]]]:
    """All roots, and the waits at each operator."""
    queues = {
        one.name: open_queues(one, processors[one.name], (capacities or {}).get(one.name, inf))
        for one in topology.operators
    }
    events = Events(topology, queues, services, shares or {}, random)
    outside = [(Sender(), entry) for entry in topology.entries]
    done = []
    for moment in islice(arrivals, roots):
        events.run_until(moment)
        done.append(root := Root(moment, moment))
        for sender, entry in outside:
            is_blocked = bool(sender.outbox)
            events.emit(sender, entry.operator, entry.share, root)
            if not is_blocked:
                events.send(sender, moment)
    events.run_until(inf)
    return done, events.waits
