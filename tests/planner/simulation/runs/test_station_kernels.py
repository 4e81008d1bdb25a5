"""The inner loops beside the same in plain Python."""

from heapq import heapreplace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.simulation.runs.station_kernels import (
    NONE,
    choose_by_key,
    deal,
    multiply,
    serve_own,
    serve_shared,
    tally,
)
from tests.planner.test_compiled_keys import hash_keys

GAPS = st.lists(st.floats(0.0, 3.0), min_size=1, max_size=40)


@given(GAPS, st.integers(1, 5), st.integers(0, 2**32))
def test_a_shared_queue_serves_in_order_and_releases_in_order(gaps: list[float], servers: int, seed: int):
    arrived = np.cumsum(gaps)
    size = len(arrived)
    service = np.random.default_rng(seed).exponential(1.5, size)
    free, held = np.zeros(servers), np.full(servers, NONE)
    started, server = np.empty(size), np.empty(size, np.int64)
    time, root, sender = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
    count = serve_shared(
        arrived, np.arange(size), service, free, np.arange(servers), held, started, server, time, root, sender
    )
    plain, expected = [0.0] * servers, []
    for moment, lasts in zip(arrived, service, strict=True):
        expected.append(max(moment, plain[0]))
        heapreplace(plain, expected[-1] + lasts)
    assert started.tolist() == expected
    assert sorted(free.tolist()) == sorted(plain)
    assert np.all(np.diff(time[:count]) >= 0.0)
    finished = started + service
    assert time[:count].tolist() == finished[root[:count]].tolist()
    assert sender[:count].tolist() == server[root[:count]].tolist()
    assert sorted([*root[:count].tolist(), *held[held != NONE].tolist()]) == list(range(size))
    assert all(
        np.all(np.diff(started[server == one]) >= service[server == one][:-1] - 1e-9)
        for one in range(servers)
    )


@given(GAPS, st.integers(1, 5), st.integers(0, 2**32))
def test_own_queues_serve_in_order(gaps: list[float], servers: int, seed: int):
    arrived, random = np.cumsum(gaps), np.random.default_rng(seed)
    chosen, service = random.integers(servers, size=len(gaps)), random.exponential(1.5, len(gaps))
    last, started = np.zeros(servers), np.empty(len(gaps))
    serve_own(arrived, chosen, service, last, started)
    plain = [0.0] * servers
    for place, one in enumerate(chosen):
        assert started[place] == max(arrived[place], plain[one])
        plain[one] = started[place] + service[place]
    assert last.tolist() == plain


def test_each_sender_deals_in_a_turn_of_its_own():
    turns = np.array([2, 0])
    assert deal(np.array([0, 1, 0, 0, 1]), turns, 3).tolist() == [2, 0, 0, 1, 1]
    assert turns.tolist() == [2, 2]


def test_keys_choose_instances_by_their_shares():
    ends = np.array([0.5, 0.8, 1.0])
    chosen = choose_by_key(np.arange(100_000), 3, ends)
    assert np.allclose(np.bincount(chosen) / 100_000, [0.5, 0.3, 0.2], atol=0.01)
    assert choose_by_key(np.array([7, 7, 7]), 3, ends).tolist() == [int(chosen[7])] * 3


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=2000))
def test_a_key_is_found_in_its_stretch_however_narrow(shares: list[float]):
    ends = np.cumsum(shares) / np.sum(shares)
    roots = np.arange(2000)
    expected = np.minimum(np.searchsorted(ends, hash_keys(2000, 5), side="right"), len(ends) - 1)
    assert np.array_equal(choose_by_key(roots, 5, ends), expected)


@given(st.lists(st.integers(0, 4), max_size=30))
def test_tuples_are_multiplied_in_their_order(copies: list[int]):
    size, total = len(copies), sum(copies)
    time, root, sender = np.arange(size) / 2.0, np.arange(size), np.arange(size) % 3
    found = np.empty(total), np.empty(total, np.int64), np.empty(total, np.int64)
    multiply(time, root, sender, np.array(copies, np.int64), *found)
    for column, before in zip(found, (time, root, sender), strict=True):
        assert column.tolist() == np.repeat(before, np.array(copies, np.int64)).tolist()


def test_visits_are_added_by_root_by_batch_and_within_the_window():
    root = np.array([0, 1, 1, 2])
    arrived, started, finished = (
        np.array([0.0, 1.0, 2.0, 3.0]),
        np.array([0.5, 1.0, 4.0, 6.0]),
        np.array([1.0, 4.0, 6.0, 9.0]),
    )
    totals, last, sums, busy = np.zeros(3), np.array([0.0, 1.0, 3.0]), np.zeros((2, 3)), np.zeros(2)
    tally(
        root, arrived, started, finished, np.array([1, 0, 0]), np.array([1.0, 5.0]), totals, last, sums, busy
    )
    assert totals.tolist() == [1.0, 7.0, 6.0]
    assert last.tolist() == [1.0, 6.0, 9.0]
    assert sums.tolist() == [[2.0 + 3.0, 7.0 + 6.0, 3.0], [0.5, 1.0, 1.0]]
    assert busy.tolist() == [3.0 + 1.0, 2.0]
