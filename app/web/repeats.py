"""The header Idempotency-Key of calls that store: the same key and request again get the first answer again."""

from collections.abc import Callable, Coroutine
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Header, Request, Response

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=255,
        pattern=r"^[!-~]+$",
        description="Your own id of this request: sent again within 24 h, it stores nothing and gets the same answer.",
    ),
]
KEPT_HEADERS = ("content-type", "content-location", "etag", "location")
REPLAYED = "Idempotency-Replayed"


class Replayed(Exception):  # it ends a request early, and is no error
    """Ends a request that was answered before, with the first answer."""

    def __init__(self, response: Response) -> None:
        super().__init__("the request was answered before")
        self.response = response
        response.headers[REPLAYED] = "true"


def keeping_answer(handle: Handler) -> Handler:
    """The handler, which notes its answer where the end of the transaction finds it, and answers repeated requests."""

    async def handle_once(request: Request) -> Response:
        try:
            response = await handle(request)
        except Replayed as replayed:
            return replayed.response
        request.state.answer = response
        return response

    return handle_once


async def digest_request(request: Request) -> bytes:
    """A digest that two requests share if their method, address and body are the same."""
    head = f"{request.method} {request.scope['path']}?{request.scope['query_string'].decode('latin-1')}\n"
    return sha256(head.encode(errors="surrogatepass") + await request.body()).digest()


async def note_repeat(request: Request, idempotency_key: IdempotencyKey = None) -> None:
    """Notes the Idempotency-Key of a request for the beginning and the end of its transaction."""
    if idempotency_key is not None:
        request.state.repeat = idempotency_key, await digest_request(request)
