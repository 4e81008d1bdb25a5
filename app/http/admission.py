"""Which requests need a slot to be computed in, and how they get one before their body is parsed."""

from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from inspect import iscoroutinefunction
from time import perf_counter
from typing import Any, TypeVar

from fastapi import Request, Response
from starlette.requests import ClientDisconnect

from app.http.compute_slots import SECONDS_PER_BYTE, UNKNOWN_SECONDS, ClientGone, Computing
from app.http.errors import Overloaded
from app.http.problems import answer_exception
from app.http.security import check_caller

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

SMALL_BODY_BYTES = 32 * 2**10  # is parsed in a millisecond or two: on the event loop
CLIENT_GONE = 499  # nobody reads this status, but the log and the metrics have it; nginx uses the same

_computing: set[Callable[..., Any]] = set()


def computes(endpoint: Endpoint) -> Endpoint:
    """Marks a route whose work takes long whatever its body: it needs a slot always, others for large bodies only."""
    _computing.add(endpoint)
    return endpoint


def admitting(endpoint: Callable[..., Any], handle: Handler) -> Handler:
    """The handler of a route, behind the bound on computing."""
    needs_slot = endpoint in _computing
    # On the event loop, small bodies describe all there is to compute; in a thread, what is stored comes to it.
    base_seconds = 0.0 if iscoroutinefunction(endpoint) or not needs_slot else UNKNOWN_SECONDS

    async def compute(request: Request) -> Response:
        computing: Computing = request.app.state.computing
        announced = announced_bytes(request)
        if announced > SMALL_BODY_BYTES:  # refused before all of it is read, if so
            check_caller(request)
            key, expected = expect(computing, request, announced, base_seconds)
            computing.choose_lane(expected).refuse_if_full()
        size = len(await request.body())  # not in a slot, which a slow sender would keep from others
        key, expected = expect(computing, request, size, base_seconds)
        is_small = size <= SMALL_BODY_BYTES
        lane = computing.choose_lane(expected)
        if not is_small or not lane.is_free:
            check_caller(request)  # else the queue would be open to who has no key
        await lane.enter(expected, request.receive)
        try:
            started = perf_counter()
            if is_small:
                answer = await handle(request)
            else:
                answer = await computing.run_in_thread(lambda: handle_to_the_end(handle, request))
            computing.remember(key, perf_counter() - started)  # of what was refused nothing is learnt
            return answer
        finally:
            lane.leave(expected)

    async def admit(request: Request) -> Response:
        if not needs_slot and has_small_body(request):
            return await handle(request)
        try:
            return await compute(request)
        except Overloaded as error:
            return answer_exception(request, error)  # at once: a handler for it would be run in a thread
        except (ClientGone, ClientDisconnect):
            return Response(status_code=CLIENT_GONE)

    return admit


async def handle_to_the_end(handle: Handler, request: Request) -> Response:
    """The answer, after all that its dependencies hold is let go: the transaction is committed on this event loop.

    FastAPI would let it go on the loop of the server, after this one has ended: that rolls the transaction back.
    """
    names = ("fastapi_inner_astack", "fastapi_function_astack")
    of_server = {name: request.scope[name] for name in names}
    async with AsyncExitStack() as inner, AsyncExitStack() as function:
        request.scope.update(zip(names, (inner, function), strict=True))
        answer = await handle(request)
    request.scope.update(of_server)
    return answer


def has_small_body(request: Request) -> bool:
    """Whether it is announced to be small, or absent."""
    if "transfer-encoding" in request.headers:
        return False
    return announced_bytes(request) <= SMALL_BODY_BYTES


def announced_bytes(request: Request) -> int:
    """0 for a body of unknown length."""
    announced = request.headers.get("content-length", "")
    return int(announced) if announced.isdecimal() else 0


def expect(computing: Computing, request: Request, size: int, base_seconds: float) -> tuple[str, float]:
    """What the request is remembered by, and how long it may take: its address names what is stored."""
    key = f"{request.scope['method']} {request.scope['path']} {size.bit_length()}"
    return key, computing.expect(key, base_seconds + size * SECONDS_PER_BYTE)
