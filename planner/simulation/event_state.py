"""The state of a simulation event by event: records in arrays, for compiled code; the heap of services under way.

A sender is a server of a station, or the world outside at one entry. A list is linked by `following`, from a `head` to
a `tail`; NONE ends it. Tuples that wait are items; a tuple in service lies in the record of its server.
"""

from typing import Any, NamedTuple

import numpy as np

from planner.arrays import Counts, Floats
from planner.simulation.compiled import inlined

Records = Any
"""numpy.recarray: mypy does not know the fields."""
NONE = -1
DETERMINISTIC, EXPONENTIAL, GAMMA, LOGNORMAL, HISTOGRAM = range(5)
"""Laws of services."""
SHARED_QUEUE, IN_TURN, AT_RANDOM, BY_KEY = range(4)
"""How a tuple gets to its queue."""

STATION = np.dtype(
    [
        ("queueing", np.int64),
        ("first_queue", np.int64),
        ("queues", np.int64),
        ("law", np.int64),
        ("first", np.float64),  # two parameters of the law
        ("second", np.float64),
        ("table_begin", np.int64),  # where the histogram lies in `tables`
        ("table_end", np.int64),
    ]
)
LINK = np.dtype(
    [
        ("target", np.int64),
        ("whole", np.int64),
        ("rest", np.float64),
        ("first_turn", np.int64),  # where the turns of its senders lie
    ]
)
QUEUE = np.dtype(
    [
        ("capacity", np.int64),
        ("length", np.int64),
        ("head", np.int64),  # items
        ("tail", np.int64),
        ("idle_head", np.int64),  # servers; the one that is idle for longest is the head
        ("idle_tail", np.int64),
        ("blocked_head", np.int64),  # senders that wait for a place
        ("blocked_tail", np.int64),
    ]
)
SENDER = np.dtype(
    [
        ("station", np.int64),  # NONE: the world outside
        ("place", np.int64),  # of the instance at its station
        ("queue", np.int64),
        ("first_link", np.int64),
        ("end_link", np.int64),
        ("following", np.int64),
        ("root", np.int64),
        ("arrived", np.float64),
        ("started", np.float64),
        (
            "link",
            np.int64,
        ),  # the link that it sends on, with so many tuples left, the first of them to this queue
        ("left", np.int64),
        ("chosen", np.int64),
        ("blocked_since", np.float64),
    ]
)
ITEM = np.dtype([("root", np.int64), ("following", np.int64), ("arrived", np.float64)])
VISIT = np.dtype(
    [
        ("station", np.int64),
        ("instance", np.int64),
        ("root", np.int64),
        ("arrived", np.float64),
        ("started", np.float64),
        ("finished", np.float64),
    ]
)
ENTERED, AT_ENTRY, IN_SERVICE, FREE_ITEM, FREE_ITEMS, LOGGED, NEEDED_ITEMS = range(7)
"""Counters: roots that have entered; the entry that the next one comes to; services under way; the first free item and
how many there are; visits in the log; items that one event may take."""


class EventState(NamedTuple):
    """All of it. `times` and `serving` are a binary heap of the services under way, the next to finish first."""

    stations: Records
    links: Records
    queues: Records
    senders: Records
    items: Records
    log: Records
    times: Floats
    serving: Counts
    tables: Floats  # two columns: the bounds of histograms, and the parts of services up to them
    key_ends: Floats  # by queue
    turns: Counts
    entries: Counts  # the senders of the world outside
    stack: Counts  # senders that can go on
    counters: Counts
    blocked_seconds: Floats  # by station, within the window
    window: Floats


@inlined
def push(times: Floats, serving: Counts, size: int, time: float, sender: int) -> None:
    """Adds to a binary heap of `size` entries."""
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if times[parent] <= time:
            break
        times[place], serving[place] = times[parent], serving[parent]
        place = parent
    times[place], serving[place] = time, sender


@inlined
def pop(times: Floats, serving: Counts, size: int) -> None:
    """Removes the first of `size` entries of a binary heap."""
    last = size - 1
    time, sender = times[last], serving[last]
    place = 0
    while 2 * place + 1 < last:
        child = 2 * place + 1
        if child + 1 < last and times[child + 1] < times[child]:
            child += 1
        if times[child] >= time:
            break
        times[place], serving[place] = times[child], serving[child]
        place = child
    times[place], serving[place] = time, sender


@inlined
def draw_bucket(tables: Floats, begin: int, end: int, part: float) -> float:
    """The time below which this part of services lies: linear within a bucket."""
    low, high = begin, end - 1
    while high - low > 1:
        middle = (low + high) >> 1
        if tables[middle, 1] <= part:
            low = middle
        else:
            high = middle
    within = (part - tables[low, 1]) / (tables[high, 1] - tables[low, 1])
    return tables[low, 0] + within * (tables[high, 0] - tables[low, 0])


@inlined
def draw_service(state: EventState, random: np.random.Generator, station: int) -> float:
    """One service time in seconds."""
    law = state.stations[station].law
    first, second = state.stations[station].first, state.stations[station].second
    if law == EXPONENTIAL:
        return first * random.standard_exponential()
    if law == GAMMA:
        return second * random.standard_gamma(first)
    if law == LOGNORMAL:
        return np.exp(first + second * random.standard_normal())
    if law == HISTOGRAM:
        begin, end = state.stations[station].table_begin, state.stations[station].table_end
        return draw_bucket(state.tables, begin, end, random.random())
    return first
