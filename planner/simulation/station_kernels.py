"""The inner loops of a simulation without loops or bounds of queues, in compiled code.

Arrays that begin with `out_` are filled here. NONE stands for a server that holds no tuple.
"""

import numpy as np

from planner.arrays import Counts, Floats
from planner.simulation.compiled import compiled, hash_key

NONE = -1
CELLS = 1024
"""Parts of [0, 1) for which the first server is looked up: a power of 2, so that no key is in the wrong one."""


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
    """Tuples in order of arrival go to the server that is free first; the number of departures found, in their order.

    `free`, `server` and `held` are a binary heap: when each server is free, and the root of the tuple that it holds
    until then. What leaves the heap are times that rise, so departures need no sorting (Kiefer and Wolfowitz 1955).
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
    """Tuples in order of arrival wait at the server chosen for each until its `last` one is finished (Lindley 1952)."""
    for i in range(len(arrived)):
        one = chosen[i]
        out_started[i] = max(arrived[i], last[one])
        last[one] = out_started[i] + service[i]


@compiled
def deal(sender: Counts, turns: Counts, size: int) -> Counts:
    """The next server in turn for each tuple; `turns` has a place of its own for each sender."""
    chosen = np.empty(len(sender), np.int64)
    for i in range(len(sender)):
        turn = turns[sender[i]]
        chosen[i] = turn
        turns[sender[i]] = turn + 1 if turn + 1 < size else 0
    return chosen


@compiled
def choose_by_key(root: Counts, station: int, ends: Floats) -> Counts:
    """The server whose stretch of [0, 1) holds the key of each tuple; a cell of CELLS says which is the first there."""
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
    """Each tuple as often as `copies` says."""
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
    """Adds visits of one station to what is measured.

    By root: `totals` of time in stations, and when the `last` tuple finished. By batch of roots: `sums` of waits, of
    sojourns, and of visits. Within the window of time: `busy` seconds and arrivals.
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
