"""Logs of one operator each: cut within a window, rare, in batches, with twins, pools and shifts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tests.ingest.logs import (
    START_NS,
)
from tests.ingest.reference import NS, Event

US = 1000
SHIFT, AGENTS, DAYS = 4 * 3600.0, 5, 3


def make_steady(rate: float, seconds: float, seed: int, begin: float = 0.0, *, names: int = 3) -> list[Event]:
    """Poisson arrivals at one operator, each served at once for 10 ms on average; `begin` is in seconds after START."""
    random = np.random.default_rng(seed)
    arrivals = begin + np.cumsum(random.exponential(1 / rate, int(seconds * rate * 2 + 100)))
    events = []
    for number, at in enumerate(arrivals[arrivals < begin + seconds]):
        arrived = START_NS + int(at * 1e6) * US
        served = int(random.exponential(10_000)) * US + US
        events.append(
            Event(
                "t", "o", f"i{number % names}", f"r{seed}-{number}", None, arrived, arrived, arrived + served
            )
        )
    return events


def rename(events: Iterable[Event], topology: str) -> list[Event]:
    return [replace(e, topology=topology) for e in events]


def make_twins() -> list[Event]:
    """Each root has two children that arrive at one instance in the same microsecond, and are served in turn."""
    events = []
    for root in make_steady(10, 100, seed=7):
        at = root.finished_ns
        child = replace(root, operator="p", instance="p0", from_operator="o", arrived_ns=at, started_ns=at)
        one = replace(child, finished_ns=at + 2 * US)
        events += [root, one, replace(one, started_ns=at + 2 * US, finished_ns=at + 4 * US)]
    return events


def make_pool() -> list[Event]:
    """One name, whose services overlap."""
    random = np.random.default_rng(11)
    return [
        replace(e, instance="pool", finished_ns=e.started_ns + int(random.exponential(60_000)) * US)
        for e in make_steady(50, 180, seed=12)
    ]


def make_batches() -> list[Event]:
    """Twenty tuples at one time, once a minute for ten minutes."""
    first = make_steady(1, 30, seed=16)[0]
    return [
        replace(e, instance=f"i{n % 4}", tuple_id=f"r{minute}-{n}")
        for minute in range(10)
        for e in [first.moved(minute * 60 * NS)]
        for n in range(20)
    ]


def make_midway() -> list[Event]:
    """Each tuple has a child half a minute later; the log begins after the first ones, and has only their children."""
    events = []
    for root in make_steady(5, 150, seed=17, begin=-30):
        at = root.arrived_ns + 30 * NS
        late = replace(root, operator="p", from_operator="o", arrived_ns=at, started_ns=at)
        events += [root, replace(late, finished_ns=at + 100_000 * US)]
    return [e for e in events if e.arrived_ns >= START_NS]


def make_once() -> list[Event]:
    """Eight names, of which each serves one tuple for half a minute."""
    first = make_steady(1, 30, seed=13)[0]
    times = [first.arrived_ns + number * 7 * NS for number in range(8)]
    return [
        replace(
            first,
            instance=f"i{n}",
            tuple_id=f"r{n}",
            arrived_ns=at,
            started_ns=at,
            finished_ns=at + 30 * NS,
        )
        for n, at in enumerate(times)
    ]


def make_idle() -> list[Event]:
    """Ten names, each of which has nothing to do for two minutes on average; they stay to the end."""
    random = np.random.default_rng(14)
    return [
        replace(e, instance=f"i{random.integers(10)}") for e in make_steady(10 / 120, 3600, seed=15, begin=20)
    ]


def sample_by_chance(events: Sequence[Event], every: int, seed: int) -> list[Event]:
    """Each tuple with a chance of 1 / every."""
    taken = np.random.default_rng(seed).random(len(events)) < 1 / every
    kept = [e for e, is_taken in zip(events, taken, strict=True) if is_taken]
    return [replace(e, sample_every=every, sampling="random") for e in kept]


def simulate_shifts(rate: float, mean_service: float, seed: int) -> list[Event]:
    """A call centre: AGENTS at a time, each for a shift, one shift ending every SHIFT / AGENTS; calls wait in order.

    An agent whose shift ends during a call finishes it, beside the successor.
    """
    random = np.random.default_rng(seed)
    begins = np.arange(-AGENTS, DAYS * 86_400 / (SHIFT / AGENTS)) * SHIFT / AGENTS
    free = np.maximum(begins, 0.0)
    at = 0.0
    events: list[Event] = []
    while (at := at + float(random.exponential(1 / rate))) < DAYS * 86_400:
        can_start = np.maximum(free, at)
        agent = int(np.argmin(np.where(can_start < begins + SHIFT, can_start + 1e-9 * free, np.inf)))
        started = float(can_start[agent])
        free[agent] = started + random.exponential(mean_service)
        arrived, begun, done = (START_NS + int(t * 1e6) * US for t in (at, started, free[agent]))
        name = f"agent-{agent % (4 * AGENTS)}"
        events.append(Event("calls", "desk", name, f"c{len(events)}", None, arrived, begun, done))
    return events
