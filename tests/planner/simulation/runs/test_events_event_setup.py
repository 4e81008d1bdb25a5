"""The records before the first event."""

import numpy as np

from planner.simulation.arrivals import EVENTS, make_random
from planner.simulation.runs.event_state import FREE_ITEM, FREE_ITEMS, ITEM, NEEDED_ITEMS, NONE
from planner.simulation.runs.events import build_state, grow_items
from planner.simulation.system import System, build_system
from tests.planner.simulation.systems import build_mixed


def build(capacities: dict[str, int]) -> System:
    topology, load, processors = build_mixed()
    return build_system(topology, load, processors, {}, capacities)


def test_every_server_is_idle_at_its_own_queue_and_sends_on_the_links_of_its_station():
    system = build({"d": 5})
    state = build_state(system, make_random(1, EVENTS), np.zeros(2))
    assert len(state.queues) == 1 + 3 + 4 + 5 + 3 + 1 + 2
    assert len(state.senders) == sum(station.processors for station in system.stations) + 2
    for number, queue in enumerate(state.queues):
        idle, found = queue.idle_head, []
        while idle != NONE:
            found.append(idle)
            idle = state.senders[idle].following
        assert found == np.flatnonzero(state.senders.queue == number).tolist()
        assert found[-1] == queue.idle_tail
    for sender in state.senders[state.senders.station != NONE]:
        targets = state.links.target[sender.first_link : sender.end_link].tolist()
        assert sorted(targets) == sorted(
            link.target for link in system.links if link.source == sender.station
        )
    assert state.queues.capacity[8:13].tolist() == [5] * 5
    assert set(np.delete(state.queues.capacity, range(8, 13)).tolist()) == {NONE}


def test_one_event_may_take_what_one_sender_sends_or_all_of_them_where_queues_are_bounded():
    """Sender a sends up to 1 + 2 tuples, b 2, c 1 + 1, d 1, e 1, the world 1 + 1."""
    free = build_state(build({}), make_random(1, EVENTS), np.zeros(2))
    bound = build_state(build({"a": 1}), make_random(1, EVENTS), np.zeros(2))
    assert free.counters[NEEDED_ITEMS] == 3 + 1
    assert bound.counters[NEEDED_ITEMS] == (2 * 3 + 3 * 2 + 4 * 2 + 5 + 3 + 2) + 21 + 1


def test_items_grow_and_keep_those_in_use():
    counters = np.zeros(7, np.int64)
    counters[FREE_ITEM], counters[NEEDED_ITEMS] = NONE, 3
    items = grow_items(np.recarray(0, ITEM), counters)
    items.root[0], counters[FREE_ITEM] = 42, 1
    counters[FREE_ITEMS] -= 1
    grown = grow_items(items, counters)
    assert len(grown) == 2 * len(items)
    assert grown.root[0] == 42
    free, place = 0, counters[FREE_ITEM]
    while place != NONE:
        free, place = free + 1, grown.following[place]
    assert free == counters[FREE_ITEMS] == len(grown) - 1
