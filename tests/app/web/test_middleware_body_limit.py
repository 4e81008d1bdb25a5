"""A body over the limit is refused, and its sender can read the answer."""

import asyncio
import json
from contextlib import closing, suppress
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from fastapi.responses import PlainTextResponse
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.middleware import BodyLimit
from app.web.problems.errors import PayloadTooLarge
from app.web.problems.problem_answers import answer_exception
from tests.app.processes import Service


@pytest.mark.parametrize("mebibytes", [9, 100])
@pytest.mark.parametrize("framing", ["announced", "chunked"])
def test_a_body_over_the_limit_is_refused_and_its_sender_reads_why(
    service: Service, framing: str, mebibytes: int
):
    """The service reads and discards some more, so that the connection lasts; it closes that of an endless sender."""
    address = urlsplit(service.url)
    with closing(HTTPConnection(str(address.hostname), address.port, timeout=60)) as connection:
        connection.putrequest("POST", "/v1/topologies")
        connection.putheader("Content-Type", "application/json")
        if framing == "announced":
            connection.putheader("Content-Length", str(mebibytes * 2**20))
        else:
            connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        with suppress(ConnectionError):  # the service had enough, and said so before
            for _ in range(mebibytes):
                piece = b" " * 2**20
                connection.send(piece if framing == "announced" else b"100000\r\n" + piece + b"\r\n")
            connection.send(b"" if framing == "announced" else b"0\r\n\r\n")
        answer = connection.getresponse()
        problem = json.loads(answer.read())
        assert (answer.status, problem["type"], problem["limit_bytes"]) == (
            413,
            "payload-too-large",
            8 * 2**20,
        )
        assert answer.getheader("Connection") == (None if mebibytes == 9 else "close")
        connection.request("GET", "/healthz")  # on the same connection where it lasts
        assert connection.getresponse().status == 200


def test_a_sender_is_refused_before_it_sends_its_body_and_keeps_its_connection(service: Service):
    address = urlsplit(service.url)
    with closing(HTTPConnection(str(address.hostname), address.port, timeout=60)) as connection:
        connection.putrequest("POST", "/v1/topologies")
        connection.putheader("Content-Length", str(9 * 2**20))
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Connection")) == (413, None)
        answer.read()
        for _ in range(9):
            connection.send(b" " * 2**20)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200


def test_a_sender_that_waits_for_100_continue_is_refused_before_it_sends(service: Service):
    address = urlsplit(service.url)
    with closing(HTTPConnection(str(address.hostname), address.port, timeout=60)) as connection:
        connection.putrequest("POST", "/v1/topologies")
        connection.putheader("Content-Length", str(9 * 2**20))
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Connection")) == (413, "close")


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_of_exactly_the_limit_passes_and_one_byte_more_does_not(*, announced: bool):
    assert send_through(BodyLimit(read_all, 10), [b"x" * 6, b"y" * 4], announced=announced) == (200, b"10")
    status, body = send_through(BodyLimit(read_all, 10), [b"x" * 6, b"y" * 5], announced=announced)
    assert status == 413
    assert json.loads(body)["limit_bytes"] == 10


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the length of the body; what the limit raises is answered as the app does."""
    try:
        body = await Request(scope, receive).body()
        await PlainTextResponse(str(len(body)))(scope, receive, send)
    except PayloadTooLarge as error:
        await answer_exception(Request(scope), error)(scope, receive, send)


def send_through(app: ASGIApp, pieces: list[bytes], *, announced: bool) -> tuple[int, bytes]:
    """Status and body of the answer to a body that arrives in pieces."""
    length = str(sum(map(len, pieces))).encode()
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "scheme": "http",
        "query_string": b"",
        "server": ("127.0.0.1", 80),
        "headers": [(b"content-length", length)] if announced else [],
    }
    arriving = [
        {"type": "http.request", "body": piece, "more_body": position < len(pieces) - 1}
        for position, piece in enumerate(pieces)
    ]
    sent: list[Message] = []

    async def receive() -> Message:
        return arriving.pop(0)

    async def keep(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, keep))  # type: ignore[arg-type]  # a coroutine
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])
