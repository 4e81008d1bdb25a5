"""Refuses bodies over the limit before they are read, or as soon as they turn out to be."""

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import PayloadTooLarge
from app.problems import answer_exception


class BodyLimit:
    """ASGI middleware; counts what arrives, because a Content-Length may be absent or lie."""

    def __init__(self, app: ASGIApp, limit_bytes: int) -> None:
        self.app = app
        self.limit_bytes = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self.limit_bytes:
            await self._refuse(scope, receive, send)
            return
        read = 0
        answering = False

        async def receive_counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.limit_bytes:
                raise PayloadTooLarge(self.limit_bytes)
            return message

        async def send_watched(message: Message) -> None:
            nonlocal answering
            answering = True
            await send(message)

        try:
            await self.app(scope, receive_counted, send_watched)
        except PayloadTooLarge:
            if answering:
                raise
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = answer_exception(Request(scope), PayloadTooLarge(self.limit_bytes))
        # The rest of the body will not be read, so the connection cannot carry another request.
        answer.headers["connection"] = "close"
        await answer(scope, receive, send)
