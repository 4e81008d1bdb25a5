"""The event loop in compiled code: processes arrivals and finishes in order of time.

All helpers are inlined into one function: a call with arrays costs more than most of the helpers.
"""

import numpy as np

from planner.arrays import Floats
from planner.compiled import borrow, compiled, hash_key, inlined
from planner.simulation.runs.event_state import (
    AT_ENTRY,
    AT_RANDOM,
    BY_KEY,
    BY_OWN_KEY,
    ENTERED,
    FREE_ITEM,
    FREE_ITEMS,
    IN_SERVICE,
    IN_TURN,
    LOGGED,
    NEEDED_ITEMS,
    NONE,
    EventState,
    draw_service,
    pop,
    push,
)

DONE, LOG_FULL, ITEMS_SHORT = range(3)
"""Reasons why the loop ended."""


@inlined
def choose_queue(state: EventState, random: np.random.Generator, sender: int) -> int:
    """Chooses the queue at the target for the next tuple that a sender sends."""
    link = state.senders[sender].link
    target = state.links[link].target
    queueing, first, count = (
        state.stations[target].queueing,
        state.stations[target].first_queue,
        state.stations[target].queues,
    )
    chosen = 0
    if queueing == IN_TURN:
        place = state.links[link].first_turn + state.senders[sender].place
        chosen = state.turns[place]
        state.turns[place] = chosen + 1 if chosen + 1 < count else 0
    elif queueing == AT_RANDOM:
        chosen = min(int(random.random() * count), count - 1)
    elif queueing in {BY_KEY, BY_OWN_KEY}:
        key = hash_key(state.senders[sender].root, target) if queueing == BY_KEY else random.random()
        while chosen < count - 1 and state.key_ends[first + chosen] <= key:
            chosen += 1
    return first + chosen


@inlined
def start_service(
    state: EventState, random: np.random.Generator, server: int, root: int, arrived: float, now: float
) -> None:
    """Lets a server begin to serve a tuple that arrived at `arrived`."""
    state.senders[server].root = root
    state.senders[server].arrived = arrived
    state.senders[server].started = now
    end = now + draw_service(state, random, state.senders[server].station)
    push(state.times, state.serving, state.counters[IN_SERVICE], end, server)
    state.counters[IN_SERVICE] += 1


@inlined
def append_item(state: EventState, queue: int, root: int, now: float) -> None:
    """Appends a tuple of the external tuple `root` to a queue."""
    item = state.counters[FREE_ITEM]
    state.counters[FREE_ITEM] = state.items[item].following
    state.counters[FREE_ITEMS] -= 1
    state.items[item].root = root
    state.items[item].arrived = now
    state.items[item].following = NONE
    if state.queues[queue].head == NONE:
        state.queues[queue].head = item
    else:
        state.items[state.queues[queue].tail].following = item
    state.queues[queue].tail = item
    state.queues[queue].length += 1


@inlined
def take_item(state: EventState, queue: int) -> int:
    """Removes and returns the first waiting tuple of a queue; its fields stay until the next tuple waits."""
    item = state.queues[queue].head
    state.queues[queue].head = state.items[item].following
    state.queues[queue].length -= 1
    state.items[item].following = state.counters[FREE_ITEM]
    state.counters[FREE_ITEM] = item
    state.counters[FREE_ITEMS] += 1
    return item


@inlined
def take_idle(state: EventState, queue: int) -> int:
    """Removes and returns the server that was idle for the longest time; NONE if none is idle."""
    server = state.queues[queue].idle_head
    if server != NONE:
        state.queues[queue].idle_head = state.senders[server].following
    return server


@inlined
def rest_server(state: EventState, queue: int, server: int) -> None:
    """Adds the server to the idle servers of its queue."""
    state.senders[server].following = NONE
    if state.queues[queue].idle_head == NONE:
        state.queues[queue].idle_head = server
    else:
        state.senders[state.queues[queue].idle_tail].following = server
    state.queues[queue].idle_tail = server


@inlined
def block_sender(state: EventState, queue: int, sender: int, now: float) -> None:
    """Adds the sender to the senders that wait for a place in a queue."""
    state.senders[sender].following = NONE
    state.senders[sender].blocked_since = now
    if state.queues[queue].blocked_head == NONE:
        state.queues[queue].blocked_head = sender
    else:
        state.senders[state.queues[queue].blocked_tail].following = sender
    state.queues[queue].blocked_tail = sender


@inlined
def wake_sender(state: EventState, queue: int, now: float) -> int:
    """Removes and returns the sender that waited longest for a place in a queue, or NONE; adds its blocked time."""
    sender = state.queues[queue].blocked_head
    if sender != NONE:
        state.queues[queue].blocked_head = state.senders[sender].following
        station = state.senders[sender].station
        if station != NONE:
            since = max(state.senders[sender].blocked_since, state.window[0])
            state.blocked_seconds[station] += max(0.0, min(now, state.window[1]) - since)
    return sender


@inlined
def enter(state: EventState, random: np.random.Generator, queue: int, root: int, now: float) -> bool:
    """A tuple arrives at a queue: it is served at once, or waits; False if the queue is full."""
    server = take_idle(state, queue)
    if server != NONE:
        start_service(state, random, server, root, now, now)
        return True
    capacity = state.queues[queue].capacity
    if capacity != NONE and state.queues[queue].length >= capacity:
        return False
    append_item(state, queue, root, now)
    return True


@inlined
def begin_sending(state: EventState, sender: int, root: int) -> None:
    """Prepares a sender to send all tuples that it emits for one finished tuple."""
    state.senders[sender].root = root
    state.senders[sender].link = state.senders[sender].first_link - 1
    state.senders[sender].left = 0
    state.senders[sender].chosen = NONE


@inlined
def send(state: EventState, random: np.random.Generator, sender: int, now: float) -> bool:
    """Sends the tuples of a sender to their queues; False if the sender had to stop at a full queue."""
    while True:
        while state.senders[sender].left > 0:
            if state.senders[sender].chosen == NONE:
                state.senders[sender].chosen = choose_queue(state, random, sender)
            queue = state.senders[sender].chosen
            if not enter(state, random, queue, state.senders[sender].root, now):
                block_sender(state, queue, sender, now)
                return False
            state.senders[sender].chosen = NONE
            state.senders[sender].left -= 1
        link = state.senders[sender].link + 1
        if link >= state.senders[sender].end_link:
            return True
        state.senders[sender].link = link
        rest = state.links[link].rest
        more = 1 if rest > 0.0 and random.random() < rest else 0
        state.senders[sender].left = state.links[link].whole + more


@inlined
def continue_sending(state: EventState, random: np.random.Generator, first: int, now: float) -> None:
    """Lets a sender send; when done, it takes the next tuple of its queue, and a sender waiting for it continues."""
    state.stack[0] = first
    size = 1
    while size > 0:
        size -= 1
        sender = state.stack[size]
        if send(state, random, sender, now):
            queue = state.senders[sender].queue
            if state.queues[queue].head == NONE:
                rest_server(state, queue, sender)
            else:
                item = take_item(state, queue)
                root = state.items[item].root
                if state.senders[sender].station == NONE:
                    begin_sending(state, sender, root)
                    state.stack[size] = sender
                    size += 1
                else:
                    start_service(state, random, sender, root, state.items[item].arrived, now)
            woken = wake_sender(state, queue, now)
            if woken != NONE:
                state.stack[size] = woken
                size += 1


@inlined
def finish(state: EventState) -> int:
    """Ends the next service and logs its visit; returns the server, which then sends its tuples."""
    server, row = state.serving[0], state.counters[LOGGED]
    state.log[row].station = state.senders[server].station
    state.log[row].instance = state.senders[server].place
    state.log[row].root = state.senders[server].root
    state.log[row].arrived = state.senders[server].arrived
    state.log[row].started = state.senders[server].started
    state.log[row].finished = state.times[0]
    state.counters[LOGGED] += 1
    pop(state.times, state.serving, state.counters[IN_SERVICE])
    state.counters[IN_SERVICE] -= 1
    begin_sending(state, server, state.senders[server].root)
    return server


@inlined
def admit(state: EventState, now: float) -> int:
    """Lets a root arrive at its next entry; returns the entry as sender, or NONE if a full queue blocks the root."""
    root, entry = state.counters[ENTERED], state.entries[state.counters[AT_ENTRY]]
    state.counters[AT_ENTRY] += 1
    if state.counters[AT_ENTRY] == len(state.entries):
        state.counters[AT_ENTRY] = 0
        state.counters[ENTERED] += 1
    queue = state.senders[entry].queue
    if take_idle(state, queue) == NONE:
        append_item(state, queue, root, now)
        return NONE
    begin_sending(state, entry, root)
    return entry


@inlined
def borrow_state(state: EventState) -> EventState:
    """The state of the simulation in arrays without reference counts (see compiled.make_borrow)."""
    return EventState(
        borrow(state.stations),
        borrow(state.links),
        borrow(state.queues),
        borrow(state.senders),
        borrow(state.items),
        borrow(state.log),
        borrow(state.times),
        borrow(state.serving),
        borrow(state.tables),
        borrow(state.key_ends),
        borrow(state.turns),
        borrow(state.entries),
        borrow(state.stack),
        borrow(state.counters),
        borrow(state.blocked_seconds),
        borrow(state.window),
    )


@compiled
def run_events(owned: EventState, random: np.random.Generator, arrivals: Floats) -> int:
    """Simulates to the end, or until the log of visits is full or memory for waiting tuples runs short.

    The caller empties the log or adds memory, and then calls again to continue.
    """
    state = borrow_state(owned)
    while True:
        if state.counters[LOGGED] == len(state.log):
            return LOG_FULL
        if state.counters[FREE_ITEMS] < state.counters[NEEDED_ITEMS]:
            return ITEMS_SHORT
        root = state.counters[ENTERED]
        busy = state.counters[IN_SERVICE] > 0
        if root == len(arrivals) and not busy:
            return DONE
        if busy and (root == len(arrivals) or state.times[0] <= arrivals[root]):
            now = state.times[0]
            sender = finish(state)
        else:
            now = arrivals[root]
            sender = admit(state, now)
        if sender != NONE:
            continue_sending(state, random, sender, now)
