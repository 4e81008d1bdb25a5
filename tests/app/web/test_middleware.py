"""Middleware: requests are handled, and everything else passes by."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from app.web.middleware import HttpMiddleware


@pytest.mark.parametrize(("kind", "seen"), [("http", ["handle", "app"]), ("lifespan", ["app"])])
def test_only_requests_are_handled(kind: str, seen: list[str]):
    passed: list[str] = []

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        passed.append("app")

    class Marking(HttpMiddleware):
        async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
            passed.append("handle")
            await super().handle(scope, receive, send)

    async def receive() -> Message:
        return {}

    async def send(_message: Message) -> None:
        return None

    asyncio.run(Marking(app)({"type": kind}, receive, send))
    assert passed == seen
