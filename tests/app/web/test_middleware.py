"""Middleware: requests are handled, and everything else passes by."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from app.web.middleware import HttpMiddleware, keep_own_cookies


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


def test_only_cookies_of_this_service_are_kept():
    mine, quotes = b"__Host-headgate=ab.9.cd.ef", b'headgate="' + b'\\"' * 14_000
    sent = [(b"cookie", b"; ".join([b"a=1", mine, quotes])), (b"cookie", b"x"), (b"host", b"a")]
    kept = [(b"cookie", b" " + mine), (b"cookie", b""), (b"host", b"a")]
    assert keep_own_cookies(sent) == kept
