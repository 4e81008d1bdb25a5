"""The state of the event loop: arrays of records for compiled code, and the heap of services under way.

A sender is a server of a station, or the outside world at one entry. Lists are linked by `following`, from a `head` to
a `tail`; NONE ends them. A waiting tuple is an item; a tuple in service is stored in the record of its server.
"""

from typing import Any, NamedTuple

import numpy as np

from planner.arrays import Counts, Floats
from planner.compiled import inlined

Records = Any
"""numpy.recarray, whose fields mypy does not know."""
NONE = -1
DETERMINISTIC, EXPONENTIAL, GAMMA, LOGNORMAL, HISTOGRAM = range(5)
"""The laws of service times."""
SHARED_QUEUE, IN_TURN, AT_RANDOM, BY_KEY, BY_OWN_KEY = range(5)
"""The rules by which tuples choose a queue."""

STATION = np.dtype(
    [
        ("queueing", np.int64),
        ("first_queue", np.int64),
        ("queues", np.int64),
        ("law", np.int64),
        ("first", np.float64),  # two parameters of the law
        ("second", np.float64),
        ("table_begin", np.int64),  # the rows of the histogram in `tables`
        ("table_end", np.int64),
    ]
)
LINK = np.dtype(
    [
        ("target", np.int64),
        ("whole", np.int64),
        ("rest", np.float64),
        ("first_turn", np.int64),  # the place in `turns` of its first sender
    ]
)
QUEUE = np.dtype(
    [
        ("capacity", np.int64),
        ("length", np.int64),
        ("head", np.int64),  # items
        ("tail", np.int64),
        ("idle_head", np.int64),  # servers; the head is idle for the longest time
        ("idle_tail", np.int64),
        ("blocked_head", np.int64),  # senders that wait for a place
        ("blocked_tail", np.int64),
    ]
)
SENDER = np.dtype(
    [
        ("station", np.int64),  # NONE: the outside world
        ("place", np.int64),  # of the instance at its station
        ("queue", np.int64),
        ("first_link", np.int64),
        ("end_link", np.int64),
        ("following", np.int64),
        ("root", np.int64),
        ("arrived", np.float64),
        ("started", np.float64),
        ("link", np.int64),  # the link on which it sends
        ("left", np.int64),  # the number of tuples left to send on the link
        ("chosen", np.int64),  # the queue of the next of these, or NONE
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
"""Places in `counters`: roots that have entered; the entry of the next root; services under way; the first free item;
the number of free items; visits in the log; the most items that one event may take."""


class EventState(NamedTuple):
    """The whole state of a simulation by events; `times` and `serving` are a heap of services, the next to finish
    first.
    """

    stations: Records
    links: Records
    queues: Records
    senders: Records
    items: Records
    log: Records
    times: Floats
    serving: Counts
    tables: Floats  # two columns: the bounds of histograms, and the share of services up to each bound
    key_ends: Floats  # the upper end of each queue's keys
    turns: Counts
    entries: Counts  # the senders of the outside world
    stack: Counts  # senders that can continue
    counters: Counts
    blocked_seconds: Floats  # by station, within the window
    window: Floats


@inlined
def push(times: Floats, serving: Counts, size: int, time: float, sender: int) -> None:
    """Adds a time and its sender to a binary heap of `size` entries, the earliest first."""
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
    """Removes the first, earliest entry of a binary heap of `size` entries."""
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
    """The service time below which the share `part` of services lies, interpolated within its bucket of a histogram."""
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
    """Draws one service time of a station in seconds."""
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
