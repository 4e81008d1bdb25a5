"""Simulation station by station, for topologies without loops and queues without bounds.

A queue in order of arrival needs no list of events: its arrivals give every start. For each stretch of time, stations
are simulated one after another, upstream stations first; a stretch is short enough for the processor's cache.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np

from planner.arrays import Counts, Floats
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.simulation.arrivals import CHOICES, COPIES, SERVICES, make_random
from planner.simulation.laws import Sampler, make_sampler
from planner.simulation.results import ServedVisits
from planner.simulation.runs.station_kernels import (
    NONE,
    choose_by_key,
    deal,
    multiply,
    serve_own,
    serve_shared,
)
from planner.simulation.system import OUTSIDE, Link, SimulatedStation, System
from planner.values import SHARED

STRETCH_VISITS = 32_768
"""The visits to the busiest station in one stretch of time; so many columns fit into the processor's cache."""


class TupleStream(NamedTuple):
    """Tuples in order of time, each with its root, and the instance that sends it or will serve it."""

    time: Floats
    root: Counts
    instance: Counts

    def pick(self, choice: Counts | slice) -> "TupleStream":
        """The tuples of the stream at the places `choice`, in the order of the places."""
        return TupleStream(self.time[choice], self.root[choice], self.instance[choice])


def join_streams(streams: Sequence[TupleStream]) -> TupleStream:
    """The tuples of all streams, one stream after the other, not sorted."""
    if len(streams) == 1:
        return streams[0]
    return TupleStream(*(np.concatenate(columns) for columns in zip(*streams, strict=True)))


def make_empty() -> TupleStream:
    """A stream without tuples."""
    return TupleStream(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass
class Carrier:
    """A link in a simulation; `turns` is the next instance of each sender, or None if the target is not round robin."""

    link: Link
    random: np.random.Generator
    size: int
    turns: Counts | None

    def carry(self, departures: TupleStream) -> TupleStream:
        """The tuples that reach the target of the link: floor(mean) for each departure, and one more by chance."""
        sent = self.copy(departures)
        if self.turns is None:
            return sent
        return sent._replace(instance=deal(sent.instance, self.turns, self.size))

    def copy(self, departures: TupleStream) -> TupleStream:
        """Copies each departure floor(mean) times, and once more by chance."""
        whole = int(self.link.mean)
        rest = self.link.mean - whole
        size = len(departures.time)
        if rest == 0.0:
            if whole == 1:
                return departures
            copies = np.full(size, whole, np.int64)
        else:
            chosen = self.random.random(size) < rest
            if whole == 0:
                return departures.pick(np.flatnonzero(chosen))
            copies = chosen + np.int64(whole)
        total = int(copies.sum())
        sent = TupleStream(np.empty(total), np.empty(total, np.int64), np.empty(total, np.int64))
        multiply(*departures, copies, *sent)
        return sent


@dataclass
class Desk:
    """A station in a simulation: the time when each server is free, and departures after the present
    stretch of time.
    """

    place: int
    station: SimulatedStation
    random: np.random.Generator
    choices: np.random.Generator
    sample: Sampler
    is_last: bool
    """Whether no operator receives what leaves: departures are not sorted then."""
    free: Floats = field(init=False)
    server: Counts = field(init=False)
    held: Counts = field(init=False)
    pending: TupleStream = field(default_factory=make_empty)

    def __post_init__(self) -> None:
        """Makes all servers free at time 0."""
        size = self.station.processors
        self.free, self.server = np.zeros(size), np.arange(size, dtype=np.int64)
        self.held = np.full(size, NONE, np.int64)

    def serve(self, streams: Sequence[TupleStream], until: float) -> tuple[ServedVisits, TupleStream]:
        """Serves the arrivals of a station up to the time `until`; returns their visits, and the departures up to
        `until`.
        """
        coming = join_streams(streams or [make_empty()])
        if len(streams) > 1:
            coming = coming.pick(np.argsort(coming.time, kind="stable"))
        service = self.sample(self.random, len(coming.time))
        visits, leaving = (
            self.serve_shared(coming, service, until)
            if self.station.queueing == SHARED or self.station.processors == 1
            else self.serve_own(coming, service)
        )
        end = int(np.searchsorted(leaving.time, until, side="right"))
        self.pending = leaving.pick(slice(end, None))
        return visits, leaving.pick(slice(end))

    def serve_shared(
        self, coming: TupleStream, service: Floats, until: float
    ) -> tuple[ServedVisits, TupleStream]:
        """Serves the arriving tuples of a station that has one queue for all servers."""
        time, root, _ = coming
        started, server = np.empty(len(time)), np.empty(len(time), np.int64)
        room = len(time) + len(self.free)
        found = TupleStream(np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64))
        count = serve_shared(time, root, service, self.free, self.server, self.held, started, server, *found)
        visits = ServedVisits(self.place, server, root, time, started, started + service)
        if self.is_last:
            return visits, self.pending
        ready = np.flatnonzero((self.held != NONE) & (self.free <= until))
        ready = ready[np.argsort(self.free[ready], kind="stable")]
        rest = TupleStream(self.free[ready], self.held[ready], self.server[ready])
        self.held[ready] = NONE
        return visits, join_streams([self.pending, found.pick(slice(count)), rest])

    def serve_own(self, coming: TupleStream, service: Floats) -> tuple[ServedVisits, TupleStream]:
        """Serves the arriving tuples of a station that has one queue for each server."""
        time, root, _ = coming
        chosen = self.choose(coming)
        started = np.empty(len(time))
        serve_own(time, chosen, service, self.free, started)
        finished = started + service
        visits = ServedVisits(self.place, chosen, root, time, started, finished)
        if self.is_last:
            return visits, self.pending
        leaving = join_streams([self.pending, TupleStream(finished, root, chosen)])
        return visits, leaving.pick(np.argsort(leaving.time, kind="stable"))

    def choose(self, coming: TupleStream) -> Counts:
        """The server of each arriving tuple; for round robin, the links have already chosen it."""
        if self.station.queueing == RANDOM:
            return self.choices.integers(self.station.processors, size=len(coming.time))
        if self.station.queueing == KEYED:
            ends = np.array(self.station.key_ends)
            if self.station.is_by_tuple:
                own = self.choices.random(len(coming.time))
                return np.minimum(np.searchsorted(ends, own, side="right"), len(ends) - 1)
            return choose_by_key(coming.root, self.place, ends)
        return coming.instance


def start_carrier(system: System, place: int, seed: int) -> Carrier:
    """The link at `place` ready for a simulation; its senders begin round robin at random instances."""
    link, random = system.links[place], make_random(seed, COPIES, place)
    target = system.stations[link.target]
    turns = None
    if target.queueing == ROUND_ROBIN:
        senders = 1 if link.source == OUTSIDE else system.stations[link.source].processors
        turns = random.integers(target.processors, size=senders)
    return Carrier(link, random, target.processors, turns)


def run_stations(system: System, arrivals: Floats, seed: int, record: Callable[[ServedVisits], None]) -> None:
    """Simulates all external tuples and passes visits to `record`, in parts that are sorted within each station."""
    carriers: dict[int, list[Carrier]] = {place: [] for place in (OUTSIDE, *system.order)}
    for place, link in enumerate(system.links):
        carriers[link.source].append(start_carrier(system, place, seed))
    desks = [
        Desk(
            place,
            station,
            make_random(seed, SERVICES, place),
            make_random(seed, CHOICES, place),
            make_sampler(station.law),
            is_last=not carriers[place],
        )
        for place, station in enumerate(system.stations)
    ]
    stretch = max(1, int(STRETCH_VISITS / max(1.0, *system.visits)))
    for begin in range(0, len(arrivals), stretch):
        end = min(begin + stretch, len(arrivals))
        until = inf if end == len(arrivals) else float(arrivals[end - 1])
        roots = np.arange(begin, end)
        coming: dict[int, list[TupleStream]] = {place: [] for place in system.order}
        outside = TupleStream(arrivals[begin:end], roots, np.zeros_like(roots))
        for carrier in carriers[OUTSIDE]:
            coming[carrier.link.target].append(carrier.carry(outside))
        for place in system.order:
            visits, departures = desks[place].serve(coming.pop(place), until)
            record(visits)
            for carrier in carriers[place]:
                coming[carrier.link.target].append(carrier.carry(departures))
