"""A lane gives its slots in the order of arrival, and refuses where its queue is full."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.settings import Settings
from app.web.overload.compute_queue import MOST_REMEMBERED, SHORT_SECONDS, ClientGone, Computing, Lane
from app.web.problems.errors import Overloaded


async def stay() -> Any:
    """A client that sends nothing more and does not leave."""
    await asyncio.Event().wait()


async def leave() -> dict[str, str]:
    """A client that closes its connection."""
    return {"type": "http.disconnect"}


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def within_a_minute() -> None:
        async with asyncio.timeout(60):
            await scenario()

    asyncio.run(within_a_minute())


async def settle() -> None:
    """Lets every task run as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


@given(slots=st.integers(1, 4), requests=st.integers(1, 12))
def test_requests_begin_in_the_order_of_arrival_and_never_more_than_there_are_slots(
    slots: int, requests: int
):
    begun: list[int] = []

    async def scenario() -> None:
        lane = Lane("short", slots, requests)

        async def compute(number: int) -> None:
            await lane.enter(1.0, stay)
            begun.append(number)

        async with asyncio.TaskGroup() as group:
            for number in range(requests):
                group.create_task(compute(number))
            await settle()
            for ended in range(requests):
                assert begun == list(range(min(requests, slots + ended)))
                lane.leave(1.0)
                await settle()
        assert lane.is_free
        assert lane.wait_seconds == 0

    run(scenario)
    assert begun == list(range(requests))


def test_a_full_queue_refuses_and_says_when_to_try_again():
    async def scenario() -> None:
        lane = Lane("long", 1, 1)
        await lane.enter(2.0, stay)
        lane.refuse_if_full()  # one may wait
        waiting = asyncio.create_task(lane.enter(3.5, stay))
        await settle()
        with pytest.raises(Overloaded) as refused:
            await lane.enter(1.0, stay)
        assert (refused.value.queued, refused.value.retry_after_seconds) == (1, 6)
        lane.leave(2.0)
        await waiting

    run(scenario)


def test_a_full_queue_of_brief_requests_still_takes_one_more():
    async def scenario() -> None:
        patient = Lane("short", 1, 0, patience_seconds=0.5)
        await patient.enter(0.1, stay)
        patient.refuse_if_full()
        slow = Lane("short", 1, 0, patience_seconds=0.5)
        await slow.enter(0.6, stay)
        with pytest.raises(Overloaded):
            slow.refuse_if_full()

    run(scenario)


def test_a_client_that_leaves_gives_its_place_to_the_next():
    async def scenario() -> None:
        lane = Lane("long", 1, 2)
        await lane.enter(1.0, stay)
        with pytest.raises(ClientGone):
            await lane.enter(1.0, leave)
        following = asyncio.create_task(lane.enter(1.0, stay))
        await settle()
        assert not following.done()
        lane.leave(1.0)
        await following
        lane.leave(1.0)
        assert lane.is_free

    run(scenario)


def test_a_request_that_is_cancelled_after_it_got_its_slot_gives_it_back():
    async def scenario() -> None:
        lane = Lane("long", 1, 1)
        await lane.enter(1.0, stay)
        waiting = asyncio.create_task(lane.enter(1.0, stay))
        await settle()
        lane.leave(1.0)  # the slot is given to the one that waits, which is cancelled before it runs
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert lane.is_free

    run(scenario)


def test_a_longer_duration_counts_at_once_and_shorter_ones_little_by_little():
    computing = Computing(Settings())
    assert computing.expect("POST /a 3", 0.25) == 0.25
    computing.remember("POST /a 3", 1.0)
    computing.remember("POST /a 3", 0.0)
    assert computing.expect("POST /a 3", 0.25) == pytest.approx(0.7)
    computing.remember("POST /a 3", 2.0)
    assert computing.expect("POST /a 3", 0.25) == 2.0


def test_only_the_newest_durations_are_remembered():
    computing = Computing(Settings())
    for number in range(MOST_REMEMBERED + 1):
        computing.remember(str(number), 1.0)
    assert computing.expect("0", 0.5) == 0.5
    assert computing.expect("1", 0.5) == 1.0


def test_short_and_long_requests_have_lanes_of_their_own():
    computing = Computing(Settings())
    assert computing.choose_lane(SHORT_SECONDS) is computing.choose_lane(0.0)
    assert computing.choose_lane(2 * SHORT_SECONDS) is not computing.choose_lane(0.0)


def test_work_in_a_thread_has_an_event_loop_of_its_own():
    async def scenario() -> None:
        here = asyncio.get_running_loop()

        async def work() -> asyncio.AbstractEventLoop:
            return asyncio.get_running_loop()

        assert await Computing(Settings()).run_in_thread(work) is not here

    run(scenario)
