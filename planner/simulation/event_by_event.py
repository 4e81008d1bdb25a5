"""Simulation event by event: where tuples return, or where a full queue holds up those that send to it."""

from collections.abc import Callable, Iterator

import numpy as np

from planner.arrays import Floats
from planner.errors import SimulationStuck
from planner.simulation.event_kernel import DONE, ITEMS_SHORT, run_events
from planner.simulation.event_setup import build_state, grow_items
from planner.simulation.event_state import LOGGED, NONE, EventState, Records
from planner.simulation.seeds import EVENTS, make_random
from planner.simulation.system import System
from planner.simulation.visits import ServedVisits


def run_by_events(
    system: System, arrivals: Floats, seed: int, window: Floats, record: Callable[[ServedVisits], None]
) -> Floats:
    """Simulates all roots; `record` gets the visits. Seconds in the window that servers were blocked, by station."""
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
    """The visits of each station in turn."""
    order = np.argsort(log.station, kind="stable")
    columns = [np.ascontiguousarray(log[name][order]) for name in ServedVisits._fields]
    places, begins = np.unique(columns[0], return_index=True)
    for place, begin, end in zip(places.tolist(), begins, (*begins[1:], len(log)), strict=True):
        yield ServedVisits(place, *(column[begin:end] for column in columns[1:]))


def name_stuck(system: System, state: EventState) -> tuple[str, ...]:
    """The operators whose full queues others wait for."""
    stuck = state.queues.blocked_head != NONE
    names = [
        station.name
        for station, record in zip(system.stations, state.stations, strict=True)
        if np.any(stuck[record.first_queue : record.first_queue + record.queues])
    ]
    return tuple(names)
