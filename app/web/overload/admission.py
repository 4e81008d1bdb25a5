"""Decides which requests need a slot to compute, and makes them wait for it before their body is parsed."""

from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from inspect import iscoroutinefunction
from time import perf_counter
from typing import Any, TypeVar

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from app.web.negotiation import asks_for_picture
from app.web.overload.compute_queue import SECONDS_PER_BYTE, UNKNOWN_SECONDS, ClientGone, Computing
from app.web.problems.errors import Overloaded, WaitedTooLong
from app.web.problems.problem_answers import answer_exception

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

SMALL_BODY_BYTES = 32 * 2**10  # parsed in one or two milliseconds, so on the event loop
CLIENT_GONE = 499  # the status of requests whose client has left, in logs and metrics (as in nginx)

_computing: set[Callable[..., Any]] = set()
_drawing: set[Callable[..., Any]] = set()


def computes(endpoint: Endpoint) -> Endpoint:
    """Marks a route that may compute for long: it always needs a slot; other routes need one for large bodies only."""
    _computing.add(endpoint)
    return endpoint


def draws(endpoint: Endpoint) -> Endpoint:
    """Marks a route that needs a slot to compute if the caller asks for a picture; its JSON only reads the database."""
    _drawing.add(endpoint)
    return endpoint


def admitting(endpoint: Callable[..., Any], handle: Handler) -> Handler:
    """The handler of a route, which waits for a slot before it calls `handle` if the request may compute for long."""
    return AdmittedRoute(endpoint, handle).admit


class AdmittedRoute:
    """A route's handler and the rule by which a request of this route needs a slot."""

    def __init__(self, endpoint: Callable[..., Any], handle: Handler) -> None:
        self.handle = handle
        self.needs_slot = endpoint in _computing
        self.draws = endpoint in _drawing
        # A coroutine computes from its body alone; a route in a thread also reads the database.
        is_described = iscoroutinefunction(endpoint) or not (self.needs_slot or self.draws)
        self.base_seconds = 0.0 if is_described else UNKNOWN_SECONDS
        self.computes_on_loop = iscoroutinefunction(endpoint) and self.needs_slot

    async def admit(self, request: Request) -> Response:
        """Answers the request: at once if it needs no slot to compute, else as soon as it has a slot."""
        needs_slot = self.needs_slot or (self.draws and is_for_picture(request))
        if not needs_slot and has_small_body(request):
            return await self.handle(request)
        try:
            return await self._compute(request)
        except (Overloaded, WaitedTooLong) as error:
            return answer_exception(request, error)  # here: FastAPI would run a handler for it in a thread
        except (ClientGone, ClientDisconnect):
            return Response(status_code=CLIENT_GONE)

    async def _compute(self, request: Request) -> Response:
        computing: Computing = request.app.state.computing
        announced = announced_bytes(request)
        if announced > SMALL_BODY_BYTES:  # a request that will be refused is refused before its body is read
            _, expected = expect(computing, request, announced, self.base_seconds)
            computing.choose_lane(expected).refuse_if_full()
        size = len(
            await request.body()
        )  # read without a slot, because a slow sender would block it for other requests
        if self.computes_on_loop and size <= SMALL_BODY_BYTES:
            await request.app.state.turns.take()
        key, expected = expect(computing, request, size, self.base_seconds)
        lane = computing.choose_lane(expected)
        await lane.enter(expected, request.receive)
        try:
            started = perf_counter()
            answer = await self._handle(request, computing, size)
            computing.remember(
                key, perf_counter() - started
            )  # not reached by a refused request, which computes nothing
            return answer
        finally:
            lane.leave(expected)

    async def _handle(self, request: Request, computing: Computing, size: int) -> Response:
        if size <= SMALL_BODY_BYTES:
            return await self.handle(request)
        answer: Response = await computing.run_in_thread(lambda: handle_to_the_end(self.handle, request))
        return answer


async def handle_to_the_end(handle: Handler, request: Request) -> Response:
    """Calls the handler and ends the request's dependencies on this event loop, which commits the transaction.

    FastAPI would end the dependencies on the server's event loop. This loop has closed by then, and the transaction
    would be rolled back.
    """
    names = ("fastapi_inner_astack", "fastapi_function_astack")
    of_server = {name: request.scope[name] for name in names}
    async with AsyncExitStack() as inner, AsyncExitStack() as function:
        request.scope.update(zip(names, (inner, function), strict=True))
        answer = await handle(request)
    request.scope.update(of_server)
    return answer


def has_small_body(request: Request) -> bool:
    """Whether the body of a request is small or absent, as its headers tell."""
    if "transfer-encoding" in request.headers:
        return False
    return announced_bytes(request) <= SMALL_BODY_BYTES


def is_for_picture(request: Request) -> bool:
    """Whether the header Accept of a request prefers a picture to JSON."""
    return asks_for_picture(request.headers.get("accept"))


def announced_bytes(request: Request) -> int:
    """The number of bytes that the header Content-Length announces; 0 without this header."""
    announced = request.headers.get("content-length", "")
    return int(announced) if announced.isdecimal() else 0


def expect(computing: Computing, request: Request, size: int, base_seconds: float) -> tuple[str, float]:
    """A key under which durations of similar requests are remembered, and the expected seconds of this request."""
    drawn = " drawn" if is_for_picture(request) else ""
    key = f"{request.scope['method']} {request.scope['path']} {size.bit_length()}{drawn}"
    return key, computing.expect(key, base_seconds + size * SECONDS_PER_BYTE)
