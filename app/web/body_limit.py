"""Refuses a body over the limit: before it is read where the headers say its length, else when the limit is passed."""

import asyncio

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.errors import PayloadTooLarge
from app.web.middleware import HttpMiddleware
from app.web.problems import answer_exception

# The client is still sending when the service refuses. Closing the connection then would reset it, and the client
# could lose the answer. So the service reads on for a while and discards what it reads.
MOST_DISCARDED = 4  # times the limit
DISCARD_SECONDS = 5


class BodyLimit(HttpMiddleware):
    """ASGI middleware that counts the bytes that arrive, because a Content-Length may be absent or wrong."""

    def __init__(self, app: ASGIApp, limit_bytes: int) -> None:
        super().__init__(app)
        self.limit_bytes = limit_bytes

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        body = _Body(receive, self.limit_bytes)

        async def send_politely(message: Message) -> None:
            begins = message["type"] == "http.response.start"
            # A client that waits for `100 Continue` has not begun to send: there is nothing to discard.
            if begins and body.is_refused and ("expect" in headers or not await body.discard()):
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self.limit_bytes:
            body.is_refused = True
            answer = answer_exception(Request(scope), PayloadTooLarge(self.limit_bytes))
            await answer(scope, receive, send_politely)
        else:
            await self.app(scope, body.receive, send_politely)


class _Body:
    """The body of one request, as far as it has arrived."""

    def __init__(self, receive: Receive, limit_bytes: int) -> None:
        self._receive = receive
        self._limit_bytes = limit_bytes
        self._read_bytes = 0
        self._has_ended = False
        self.is_refused = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._read_bytes += len(message.get("body", b""))
        self._has_ended = not message.get("more_body", False)
        if self._read_bytes > self._limit_bytes:
            self.is_refused = True
            raise PayloadTooLarge(self._limit_bytes)
        return message

    async def discard(self) -> bool:
        """Reads the rest and forgets it; True where all was read, so that the connection can carry another request."""
        try:
            async with asyncio.timeout(DISCARD_SECONDS):
                while not self._has_ended and self._read_bytes <= MOST_DISCARDED * self._limit_bytes:
                    message = await self._receive()
                    self._read_bytes += len(message.get("body", b""))
                    self._has_ended = not message.get("more_body", False)
        except TimeoutError:
            pass
        return self._has_ended
