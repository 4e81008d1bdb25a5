"""Simulation station by station, where no tuple returns and no queue is bounded.

A queue served in order of arrival needs no list of events: its arrivals alone give every start. Stations take turns,
each after those that feed it, over stretches of time that are short enough for the processor's cache.
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
from planner.simulation.station_kernels import NONE, choose_by_key, deal, multiply, serve_own, serve_shared
from planner.simulation.system import OUTSIDE, Link, SimulatedStation, System
from planner.values import SHARED

STRETCH_VISITS = 32_768
"""ServedVisits to the busiest station in one stretch of time: its columns then fit into the processor's cache."""


class TupleStream(NamedTuple):
    """Tuples in order of time, each with its root, and the instance that sends it or that is to serve it."""

    time: Floats
    root: Counts
    instance: Counts

    def pick(self, choice: Counts | slice) -> "TupleStream":
        """Some of the tuples, or all in another order."""
        return TupleStream(self.time[choice], self.root[choice], self.instance[choice])


def join_streams(streams: Sequence[TupleStream]) -> TupleStream:
    """The tuples of all streams in turn, not sorted."""
    if len(streams) == 1:
        return streams[0]
    return TupleStream(*(np.concatenate(columns) for columns in zip(*streams, strict=True)))


def make_empty() -> TupleStream:
    """No tuples."""
    return TupleStream(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass
class Carrier:
    """A link at work: `turns` are where each sender deals next; None where the target does not deal in turn."""

    link: Link
    random: np.random.Generator
    size: int
    turns: Counts | None

    def carry(self, departures: TupleStream) -> TupleStream:
        """What the tuples of the source become at the target: floor(mean) tuples each, and one more by chance."""
        sent = self.copy(departures)
        if self.turns is None:
            return sent
        return sent._replace(instance=deal(sent.instance, self.turns, self.size))

    def copy(self, departures: TupleStream) -> TupleStream:
        """Each tuple as often as chance wants it."""
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
    """A station at work: when each server is free, and departures that lie beyond the stretch of time."""

    place: int
    station: SimulatedStation
    random: np.random.Generator
    choices: np.random.Generator
    sample: Sampler
    free: Floats = field(init=False)
    server: Counts = field(init=False)
    held: Counts = field(init=False)
    pending: TupleStream = field(default_factory=make_empty)

    def __post_init__(self) -> None:
        """All servers are free at 0."""
        size = self.station.processors
        self.free, self.server = np.zeros(size), np.arange(size, dtype=np.int64)
        self.held = np.full(size, NONE, np.int64)

    def serve(self, streams: Sequence[TupleStream], until: float) -> tuple[ServedVisits, TupleStream]:
        """The visits that begin with arrivals up to `until`, and the departures up to then."""
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
        """One queue for all servers."""
        time, root, _ = coming
        started, server = np.empty(len(time)), np.empty(len(time), np.int64)
        room = len(time) + len(self.free)
        found = TupleStream(np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64))
        count = serve_shared(time, root, service, self.free, self.server, self.held, started, server, *found)
        ready = np.flatnonzero((self.held != NONE) & (self.free <= until))
        ready = ready[np.argsort(self.free[ready], kind="stable")]
        rest = TupleStream(self.free[ready], self.held[ready], self.server[ready])
        self.held[ready] = NONE
        leaving = join_streams([self.pending, found.pick(slice(count)), rest])
        return ServedVisits(self.place, server, root, time, started, started + service), leaving

    def serve_own(self, coming: TupleStream, service: Floats) -> tuple[ServedVisits, TupleStream]:
        """One queue for each server."""
        time, root, _ = coming
        chosen = self.choose(coming)
        started = np.empty(len(time))
        serve_own(time, chosen, service, self.free, started)
        finished = started + service
        leaving = join_streams([self.pending, TupleStream(finished, root, chosen)])
        leaving = leaving.pick(np.argsort(leaving.time, kind="stable"))
        return ServedVisits(self.place, chosen, root, time, started, finished), leaving

    def choose(self, coming: TupleStream) -> Counts:
        """The server of each tuple; where tuples are dealt in turn, the links chose before."""
        if self.station.queueing == RANDOM:
            return self.choices.integers(self.station.processors, size=len(coming.time))
        if self.station.queueing == KEYED:
            return choose_by_key(coming.root, self.place, np.array(self.station.key_ends))
        return coming.instance


def start_carrier(system: System, place: int, seed: int) -> Carrier:
    """A link whose senders begin to deal each at a place of its own."""
    link, random = system.links[place], make_random(seed, COPIES, place)
    target = system.stations[link.target]
    turns = None
    if target.queueing == ROUND_ROBIN:
        senders = 1 if link.source == OUTSIDE else system.stations[link.source].processors
        turns = random.integers(target.processors, size=senders)
    return Carrier(link, random, target.processors, turns)


def run_stations(system: System, arrivals: Floats, seed: int, record: Callable[[ServedVisits], None]) -> None:
    """Simulates all roots; `record` gets the visits, in parts that are sorted within each station."""
    desks = [
        Desk(
            place,
            station,
            make_random(seed, SERVICES, place),
            make_random(seed, CHOICES, place),
            make_sampler(station.law),
        )
        for place, station in enumerate(system.stations)
    ]
    carriers: dict[int, list[Carrier]] = {place: [] for place in (OUTSIDE, *system.order)}
    for place, link in enumerate(system.links):
        carriers[link.source].append(start_carrier(system, place, seed))
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
