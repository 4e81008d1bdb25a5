"""Simulation event by event, for loops and bounded queues: builds the first state, and runs the event loop."""

from collections.abc import Callable, Iterator
from math import ceil

import numpy as np

from planner.arrays import Counts, Floats
from planner.errors import SimulationStuck
from planner.queueing.queueings import KEYED, RANDOM, ROUND_ROBIN
from planner.simulation.arrivals import EVENTS, make_random
from planner.simulation.laws import ServiceLaw, read_histogram, shape_lognormal
from planner.simulation.results import ServedVisits
from planner.simulation.runs import event_state
from planner.simulation.runs.event_kernel import DONE, ITEMS_SHORT, run_events
from planner.simulation.runs.event_state import LOGGED, NONE, EventState, Records
from planner.simulation.system import OUTSIDE, UNBOUNDED, Link, System
from planner.values import SHARED

LOG_ROWS = 1 << 16
LOG_ROWS_OF_A_STATION = 1 << 8
FEWEST_ITEMS = 1 << 12
QUEUEINGS = {
    SHARED: event_state.SHARED_QUEUE,
    ROUND_ROBIN: event_state.IN_TURN,
    RANDOM: event_state.AT_RANDOM,
    KEYED: event_state.BY_KEY,
}


def build_state(system: System, random: np.random.Generator, window: Floats) -> EventState:
    """The first state of a simulation: idle servers and empty queues; each sender begins round robin at a
    random queue.
    """
    links = sorted(system.links, key=lambda link: link.source)  # by source, entries first
    stations, tables = build_stations(system)
    queues, key_ends = build_queues(system, stations)
    link_records, turns = build_links(system, links, random)
    senders = build_senders(system, links, stations)
    entries = np.flatnonzero(senders.station == NONE)
    queues = np.append(queues, make_queues(len(entries))).view(np.recarray)
    senders.queue[entries] = np.arange(len(queues) - len(entries), len(queues))
    give_idle_servers(queues, senders)
    counters = np.zeros(7, np.int64)
    counters[event_state.NEEDED_ITEMS] = count_needed_items(system, links)
    counters[event_state.FREE_ITEM] = NONE
    items = grow_items(np.recarray(0, event_state.ITEM), counters)
    size = len(senders)
    rows = max(LOG_ROWS, LOG_ROWS_OF_A_STATION * len(system.stations))
    log = np.recarray(rows, event_state.VISIT)
    heap = np.zeros(size), np.zeros(size, np.int64)
    stack = np.zeros(size + 1, np.int64)
    blocked = np.zeros(len(system.stations))
    return EventState(
        *(stations, link_records, queues, senders, items, log, *heap),
        *(tables, key_ends, turns, entries, stack, counters, blocked, window),
    )


def make_records(size: int, kind: np.dtype[np.void]) -> Records:
    """Records of the given kind, with NONE in all their fields."""
    records = np.recarray(size, kind)
    for name in kind.names or ():
        records[name] = NONE
    return records


def build_stations(system: System) -> tuple[Records, Floats]:
    """The records of the stations, and the tables of all histograms of service times, one after the other."""
    stations = make_records(len(system.stations), event_state.STATION)
    tables: list[Floats] = [np.zeros((0, 2))]
    first_queue = table_begin = 0
    for record, station in zip(stations, system.stations, strict=True):
        record.queueing = event_state.SHARED_QUEUE if station.queues == 1 else QUEUEINGS[station.queueing]
        if record.queueing == event_state.BY_KEY and station.is_by_tuple:
            record.queueing = event_state.BY_OWN_KEY
        record.queues = station.queues
        record.first_queue = first_queue
        first_queue += record.queues
        record.law, record.first, record.second = number_law(station.law)
        table = np.column_stack(read_histogram(station.law)) if station.law.kind == "histogram" else tables[0]
        record.table_begin, record.table_end = table_begin, table_begin + len(table)
        table_begin += len(table)
        tables.append(table)
    return stations, np.concatenate(tables)


def number_law(law: ServiceLaw) -> tuple[int, float, float]:
    """The number of a service law's kind and its two parameters; gamma has shape 1/scv and scale mean·scv."""
    if law.kind == "exponential":
        return event_state.EXPONENTIAL, law.mean_seconds, 0.0
    if law.kind == "gamma":
        return event_state.GAMMA, 1.0 / law.scv, law.mean_seconds * law.scv
    if law.kind == "lognormal":
        return event_state.LOGNORMAL, *shape_lognormal(law)
    if law.kind == "histogram":
        return event_state.HISTOGRAM, 0.0, 0.0
    return event_state.DETERMINISTIC, law.mean_seconds, 0.0


def build_queues(system: System, stations: Records) -> tuple[Records, Floats]:
    """The records of the queues of all stations, and for each queue the upper end of its range of keys."""
    queues = make_queues(int(np.sum(stations.queues)))
    key_ends = np.ones(len(queues))
    for record, station in zip(stations, system.stations, strict=True):
        stretch = slice(record.first_queue, record.first_queue + record.queues)
        queues.capacity[stretch] = station.capacity
        if station.queueing == KEYED:
            key_ends[stretch] = station.key_ends
    return queues, key_ends


def make_queues(size: int) -> Records:
    """Records of `size` empty queues that hold any number of tuples."""
    queues = make_records(size, event_state.QUEUE)
    queues.length = 0
    return queues


def build_links(system: System, links: list[Link], random: np.random.Generator) -> tuple[Records, Counts]:
    """The records of the links, and for each sender of each link the queue at which round robin begins."""
    records = make_records(len(links), event_state.LINK)
    turns: list[Counts] = [np.zeros(0, np.int64)]
    first_turn = 0
    for record, link in zip(records, links, strict=True):
        senders = 1 if link.source == OUTSIDE else system.stations[link.source].instances
        record.target, record.whole = link.target, int(link.mean)
        record.rest = link.mean - int(link.mean)
        record.first_turn = first_turn
        turns.append(random.integers(system.stations[link.target].queues, size=senders))
        first_turn += senders
    return records, np.concatenate(turns)


def build_senders(system: System, links: list[Link], stations: Records) -> Records:
    """The records of all senders: the servers of all stations, station by station, then one sender for each entry."""
    sources = np.array([link.source for link in links])
    entries = int(np.sum(sources == OUTSIDE))
    sizes = [station.processors for station in system.stations]
    senders = make_records(sum(sizes) + entries, event_state.SENDER)
    begin = 0
    for place, (record, size) in enumerate(zip(stations, sizes, strict=True)):
        stretch = slice(begin, begin + size)
        senders.station[stretch] = place
        senders.place[stretch] = np.arange(size) // system.stations[place].concurrency
        senders.queue[stretch] = record.first_queue + senders.place[stretch] * (record.queues > 1)
        senders.first_link[stretch], senders.end_link[stretch] = np.searchsorted(sources, (place, place + 1))
        begin += size
    senders.place[begin:] = 0
    senders.first_link[begin:] = np.arange(entries)
    senders.end_link[begin:] = np.arange(entries) + 1
    return senders


def give_idle_servers(queues: Records, senders: Records) -> None:
    """Marks every server as idle at its queue, in the order of their places."""
    following = np.full(len(senders), NONE)
    same = senders.queue[1:] == senders.queue[:-1]
    following[:-1][same] = np.flatnonzero(same) + 1
    senders.following = following
    heads = np.flatnonzero(np.append(True, ~same))
    tails = np.flatnonzero(np.append(~same, True))
    queues.idle_head[senders.queue[heads]] = heads
    queues.idle_tail[senders.queue[tails]] = tails


def count_needed_items(system: System, links: list[Link]) -> int:
    """The most tuples that may begin to wait in one event.

    Where queues have no bounds, only one sender sends per event. With bounds, a free place may let every sender
    continue.
    """
    emitted = np.zeros(len(system.stations) + 1)
    for link in links:
        emitted[link.source] += ceil(link.mean)  # OUTSIDE = -1 is the last place
    if all(station.capacity == UNBOUNDED for station in system.stations):
        return int(np.max(emitted)) + 1
    sizes = np.array([station.processors for station in system.stations] + [1])
    return int(np.sum(emitted * sizes) + np.sum(sizes))


def grow_items(items: Records, counters: Counts) -> Records:
    """Doubles the number of items, or adds as many as one event may take; the new items are free."""
    old = len(items)
    size = max(FEWEST_ITEMS, 2 * old, old + int(counters[event_state.NEEDED_ITEMS]))
    grown = np.recarray(size, event_state.ITEM)
    grown[:old] = items
    grown.following[old:] = np.arange(old + 1, size + 1)
    grown.following[-1] = counters[event_state.FREE_ITEM]
    counters[event_state.FREE_ITEM] = old
    counters[event_state.FREE_ITEMS] += size - old
    return grown


def run_by_events(
    system: System, arrivals: Floats, seed: int, window: Floats, record: Callable[[ServedVisits], None]
) -> Floats:
    """Simulates all roots and passes visits to `record`; returns the blocked seconds of servers within the window."""
    random = make_random(seed, EVENTS)
    state = build_state(system, random, window)
    last, status = 0.0, ITEMS_SHORT
    while status != DONE:
        status = run_events(state, random, arrivals)
        log = state.log[: state.counters[LOGGED]]
        if len(log):
            last = float(log.finished[-1])
            for visits in split_log(log):
                record(visits)
        state.counters[LOGGED] = 0
        if status == ITEMS_SHORT:
            state = state._replace(items=grow_items(state.items, state.counters))
    if np.any(state.queues.blocked_head != NONE):
        raise SimulationStuck(name_stuck(system, state), last)
    return state.blocked_seconds


def split_log(log: Records) -> Iterator[ServedVisits]:
    """The logged visits, split by station."""
    order = np.argsort(log.station, kind="stable")
    columns = [np.ascontiguousarray(log[name][order]) for name in ServedVisits._fields]
    places, begins = np.unique(columns[0], return_index=True)
    for place, begin, end in zip(places.tolist(), begins, (*begins[1:], len(log)), strict=True):
        yield ServedVisits(place, *(column[begin:end] for column in columns[1:]))


def name_stuck(system: System, state: EventState) -> tuple[str, ...]:
    """The names of the operators whose full queues block senders."""
    stuck = state.queues.blocked_head != NONE
    names = [
        station.name
        for station, record in zip(system.stations, state.stations, strict=True)
        if np.any(stuck[record.first_queue : record.first_queue + record.queues])
    ]
    return tuple(names)
