"""Requests take turns to compute on the event loop; in an overload the newest begin, and the oldest are refused."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.web.overload.compute_turns import BURST_SECONDS, CALM_SECONDS, PATIENCE_SECONDS, Turns
from app.web.problems.errors import WaitedTooLong
from app.web.problems.problem_kinds import KINDS, describe_problem

TURN_SECONDS = PATIENCE_SECONDS / 20


@dataclass
class Clock:
    """A clock that stands until it is moved."""

    now: float = 100.0

    def read(self) -> float:
        return self.now


@dataclass
class Requests:
    """Requests at the turns of an event loop, and what became of each."""

    clock: Clock = field(default_factory=Clock)
    begun: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    refusals: list[WaitedTooLong] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = Turns(self.clock.read)

    def send(self, number: int) -> None:
        self.tasks.append(asyncio.create_task(self.compute(number)))

    async def compute(self, number: int) -> None:
        try:
            await self.turns.take()
            self.begun.append(number)
        except WaitedTooLong as refusal:
            self.refused.append(number)
            self.refusals.append(refusal)

    async def send_two(self) -> None:
        """Sends two requests in an iteration of the event loop, which computes one."""
        for _ in range(2):
            self.send(len(self.tasks))
        await asyncio.sleep(0)
        self.clock.now += TURN_SECONDS

    async def overload(self) -> None:
        """Sends two requests in each iteration until one is refused."""
        for _ in range(10_000):
            await self.send_two()
            if self.refused:
                return
        raise AssertionError("nothing was refused")

    async def answer_all(self) -> None:
        await asyncio.gather(*self.tasks)


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def within_a_minute() -> None:
        async with asyncio.timeout(60):
            await scenario()

    asyncio.run(within_a_minute())


@given(waiting=st.integers(1, 30))
def test_a_burst_begins_in_the_order_of_arrival_one_in_each_iteration(waiting: int):
    async def scenario() -> None:
        requests = Requests()
        for number in range(waiting):
            requests.send(number)
        seen = []
        while not all(task.done() for task in requests.tasks):
            await asyncio.sleep(0)
            seen.append(len(requests.begun))
        assert max(after - before for before, after in zip([0, *seen], seen, strict=False)) == 1
        assert requests.begun == list(range(waiting))

    run(scenario)


def test_a_request_between_turns_computes_at_once():
    async def scenario() -> None:
        turns = Turns()
        for _ in range(3):
            taking = turns.take()
            try:
                taking.send(None)
            except StopIteration:
                pass
            else:
                raise AssertionError("it waits")
            await asyncio.sleep(0)

    run(scenario)


def test_a_short_burst_is_no_overload_however_long_its_requests_wait():
    async def scenario() -> None:
        requests = Requests()
        for number in range(20):
            requests.send(number)
        await asyncio.sleep(0)
        requests.clock.now += 10 * BURST_SECONDS  # the machine stood still
        await requests.answer_all()
        assert (requests.begun, requests.refused) == (list(range(20)), [])

    run(scenario)


def test_in_an_overload_the_newest_begins_and_what_waited_too_long_is_refused():
    async def scenario() -> None:
        requests = Requests()
        await requests.overload()
        for _ in range(200):
            before = len(requests.begun)
            await requests.send_two()
            assert len(requests.begun) == before + 1
            assert requests.begun[-1] >= len(requests.tasks) - 6
        assert requests.refused == sorted(requests.refused)
        assert len(requests.refused) >= 200
        assert min(one.waited_seconds for one in requests.refusals) > PATIENCE_SECONDS
        await requests.answer_all()
        assert sorted(requests.begun + requests.refused) == list(range(len(requests.tasks)))

    run(scenario)


def test_a_refusal_is_overloaded_and_says_when_to_try_again():
    problem = describe_problem(WaitedTooLong(0.25, 17, 1))
    assert problem is not None
    assert (problem["type"], problem["status"], problem["queued"]) == ("overloaded", 503, 17)
    assert "waited 250 ms" in problem["detail"]
    assert KINDS[WaitedTooLong].list_headers(WaitedTooLong(0.25, 17, 1)) == {"Retry-After": "1"}


def test_after_a_calm_moment_requests_begin_in_the_order_of_arrival_again():
    async def scenario() -> None:
        requests = Requests()
        await requests.overload()
        await requests.answer_all()
        requests.clock.now += 2 * CALM_SECONDS
        before, sent = len(requests.begun), len(requests.tasks)
        for number in range(sent, sent + 20):
            requests.send(number)
        await requests.answer_all()
        assert requests.begun[before:] == list(range(sent, sent + 20))

    run(scenario)


def test_a_cancelled_request_passes_its_turn_on():
    async def scenario() -> None:
        requests = Requests()
        for number in range(3):
            requests.send(number)
        await asyncio.sleep(0)
        requests.tasks[1].cancel()
        await asyncio.gather(*requests.tasks, return_exceptions=True)
        assert requests.begun == [0, 2]

    run(scenario)
