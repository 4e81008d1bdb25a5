"""The two clients, Client and AsyncClient, which offer every call as a method."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeVar, overload

import httpx

from app.client import calls
from app.client.exchanges import Call, Patience, converse

Taken = ParamSpec("Taken")
Answered = TypeVar("Answered")

LOCAL = "http://127.0.0.1:8000"
TIMEOUT_SECONDS = 60.0


class OfferedCall(Generic[Taken, Answered]):
    """A method of both clients: it makes a call and sends it; of AsyncClient it is awaited."""

    def __init__(self, make: Callable[Taken, Call[Answered]]) -> None:
        self.make = make
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, client: "Client", owner: Any = None) -> Callable[Taken, Answered]: ...
    @overload
    def __get__(self, client: "AsyncClient", owner: Any = None) -> Callable[Taken, Awaitable[Answered]]: ...
    @overload
    def __get__(self, client: None, owner: Any = None) -> Self: ...
    def __get__(self, client: Any, owner: Any = None) -> Any:
        """The method of a client."""
        if client is None:
            return self

        @wraps(self.make)
        def send(*given: Taken.args, **named: Taken.kwargs) -> Any:
            return client.send(self.make(*given, **named))

        return send


class Methods:
    """What both clients offer; app.client.calls has a sentence and the arguments of each."""

    estimate = OfferedCall(calls.estimate)
    plan = OfferedCall(calls.plan)
    gate = OfferedCall(calls.gate)
    create_topology = OfferedCall(calls.create_topology)
    change_topology = OfferedCall(calls.change_topology)
    delete_topology = OfferedCall(calls.delete_topology)
    topology = OfferedCall(calls.topology)
    topologies = OfferedCall(calls.topologies)
    push = OfferedCall(calls.push)
    estimate_stored = OfferedCall(calls.estimate_stored)
    plan_stored = OfferedCall(calls.plan_stored)
    gate_stored = OfferedCall(calls.gate_stored)
    policy = OfferedCall(calls.policy)
    set_policy = OfferedCall(calls.set_policy)
    decide = OfferedCall(calls.decide)
    decision = OfferedCall(calls.decision)
    patch = OfferedCall(calls.patch)
    record_outcome = OfferedCall(calls.record_outcome)
    overview = OfferedCall(calls.overview)
    plan_fleet = OfferedCall(calls.plan_fleet)
    fleet_policy = OfferedCall(calls.fleet_policy)
    set_fleet_policy = OfferedCall(calls.set_fleet_policy)
    decide_fleet = OfferedCall(calls.decide_fleet)
    fleet_decision = OfferedCall(calls.fleet_decision)
    what_if = OfferedCall(calls.what_if)
    simulate_stored = OfferedCall(calls.simulate_stored)
    replay = OfferedCall(calls.replay)
    report = OfferedCall(calls.report)


def read_place(url: str | None, api_key: str | None) -> dict[str, Any]:
    """The settings of an HTTP client; HEADGATE_URL and HEADGATE_API_KEY stand for what is not given."""
    key = api_key or os.environ.get("HEADGATE_API_KEY")
    return {
        "base_url": url or os.environ.get("HEADGATE_URL", LOCAL),
        "headers": {"Authorization": f"Bearer {key}"} if key else {},
    }


class Client(Methods):
    """Calls a service and waits for its answers. It may be used by several threads at once."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = TIMEOUT_SECONDS,
        patience: Patience | None = None,
    ) -> None:
        self.http = httpx.Client(timeout=timeout, **read_place(url, api_key))
        self.patience = patience or Patience()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self.http.close()

    def send(self, call: Call[Answered]) -> Answered:
        """Sends a call, again where that may help, and returns its answer; raises HeadgateProblem or NoAnswer."""
        exchange = converse(self.http, call, self.patience)
        try:
            step = next(exchange)
            while True:
                if isinstance(step, float):
                    time.sleep(step)
                    step = next(exchange)
                    continue
                try:
                    answer = self.http.send(step)
                except httpx.TransportError as error:
                    step = exchange.throw(error)
                else:
                    step = exchange.send(answer)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]


class AsyncClient(Methods):
    """As Client, for asyncio: every method is awaited."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = TIMEOUT_SECONDS,  # of each request, as httpx takes it
        patience: Patience | None = None,
    ) -> None:
        self.http = httpx.AsyncClient(timeout=timeout, **read_place(url, api_key))
        self.patience = patience or Patience()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self.http.aclose()

    async def send(self, call: Call[Answered]) -> Answered:
        """As Client.send."""
        exchange = converse(self.http, call, self.patience)
        try:
            step = next(exchange)
            while True:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                    step = next(exchange)
                    continue
                try:
                    answer = await self.http.send(step)
                except httpx.TransportError as error:
                    step = exchange.throw(error)
                else:
                    step = exchange.send(answer)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]
