"""Services under way, as a heap in order of their finish, and how long a service takes: parts of compiled code."""

import numpy as np

from planner.arrays import Counts, Floats
from planner.simulation.compiled import inlined
from planner.simulation.event_state import EXPONENTIAL, GAMMA, HISTOGRAM, LOGNORMAL, EventState


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
