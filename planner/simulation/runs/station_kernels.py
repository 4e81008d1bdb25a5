"""The inner loops of the simulation station by station, in compiled code.

The functions fill the arrays whose names begin with `out_`. NONE stands for a server without a tuple.
"""

import numpy as np

from planner.arrays import Counts, Floats
from planner.compiled import compiled, hash_key

NONE = -1
CELLS = 1024
"""The number of equal cells of [0, 1), each with a known first server; a power of 2, so that no key is misplaced."""


@compiled
def serve_shared(
    arrived: Floats,
    root: Counts,
    service: Floats,
    free: Floats,
    server: Counts,
    held: Counts,
    out_started: Floats,
    out_server: Counts,
    out_time: Floats,
    out_root: Counts,
    out_sender: Counts,
) -> int:
    """Serves tuples in order of arrival, each by the server that is free first; returns the number of departures.

    `free`, `server` and `held` are a binary heap: when each server is free, and the root of the tuple that it holds
    until then. Times leave the heap in rising order, so departures need no sorting (Kiefer and Wolfowitz 1955).
    """
    size, departures = len(free), 0
    for i in range(len(arrived)):
        time, one, place = free[0], server[0], 0
        if held[0] != NONE:
            out_time[departures], out_root[departures], out_sender[departures] = time, held[0], one
            departures += 1
        out_started[i] = max(arrived[i], time)
        out_server[i] = one
        end = out_started[i] + service[i]
        while 2 * place + 1 < size:
            child = 2 * place + 1
            if child + 1 < size and free[child + 1] < free[child]:
                child += 1
            if free[child] >= end:
                break
            free[place], server[place], held[place] = free[child], server[child], held[child]
            place = child
        free[place], server[place], held[place] = end, one, root[i]
    return departures


@compiled
def serve_own(arrived: Floats, chosen: Counts, service: Floats, last: Floats, out_started: Floats) -> None:
    """Serves tuples in order of arrival, each by its chosen server after that server's `last` finish (Lindley 1952)."""
    for i in range(len(arrived)):
        one = chosen[i]
        out_started[i] = max(arrived[i], last[one])
        last[one] = out_started[i] + service[i]


@compiled
def deal(sender: Counts, turns: Counts, size: int) -> Counts:
    """The next server for each tuple under round robin; `turns` holds the next server of each sender."""
    chosen = np.empty(len(sender), np.int64)
    for i in range(len(sender)):
        turn = turns[sender[i]]
        chosen[i] = turn
        turns[sender[i]] = turn + 1 if turn + 1 < size else 0
    return chosen


@compiled
def choose_by_key(root: Counts, station: int, ends: Floats) -> Counts:
    """The server of each tuple: the one whose stretch of [0, 1) holds the hashed key of the tuple's root."""
    chosen = np.empty(len(root), np.int64)
    first = np.searchsorted(ends, np.arange(CELLS) / CELLS, side="right")
    last = len(ends) - 1
    for i in range(len(root)):
        key = hash_key(root[i], station)
        place = first[int(key * CELLS)]
        while place < last and ends[place] <= key:
            place += 1
        chosen[i] = min(place, last)
    return chosen


@compiled
def multiply(
    time: Floats,
    root: Counts,
    sender: Counts,
    copies: Counts,
    out_time: Floats,
    out_root: Counts,
    out_sender: Counts,
) -> None:
    """Writes `copies` copies of each tuple into the arrays `out_time`, `out_root` and `out_sender`."""
    end = 0
    for i in range(len(time)):
        for _ in range(copies[i]):
            out_time[end], out_root[end], out_sender[end] = time[i], root[i], sender[i]
            end += 1


@compiled
def tally(
    root: Counts,
    arrived: Floats,
    started: Floats,
    finished: Floats,
    batch: Counts,
    window: Floats,
    totals: Floats,
    last: Floats,
    sums: Floats,
    busy: Floats,
) -> None:
    """Adds the visits of one station to the sums of a simulation.

    For each root: the `totals` of time in stations, and the `last` finish. For each batch of roots: the `sums` of
    waits, sojourns and visits. Within the window of time: `busy` seconds and arrivals.
    """
    begin, end = window[0], window[1]
    for i in range(len(root)):
        one, sojourn = root[i], finished[i] - arrived[i]
        totals[one] += sojourn
        last[one] = max(last[one], finished[i])
        row = batch[one]
        sums[row, 0] += started[i] - arrived[i]
        sums[row, 1] += sojourn
        sums[row, 2] += 1.0
        busy[0] += max(0.0, min(finished[i], end) - max(started[i], begin))
        busy[1] += 1.0 if begin < arrived[i] <= end else 0.0
