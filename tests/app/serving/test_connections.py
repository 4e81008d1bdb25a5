"""Large headers are refused, and a connection on which a request arrives too slowly is closed."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from fastapi.responses import PlainTextResponse
from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from uvicorn import Config, Server

from app.serving.connections import MOST_HEADER_BYTES, MOST_HEADERS, LimitedConnection
from app.serving.server import bind
from tests.app.processes import PATIENCE_SECONDS, Service

BEGIN = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@contextmanager
def connected(address: tuple[str, int]) -> Iterator[socket.socket]:
    with socket.create_connection(address, timeout=PATIENCE_SECONDS) as connection:
        yield connection


def find_address(service: Service) -> tuple[str, int]:
    parts = urlsplit(service.url)
    return str(parts.hostname), int(parts.port or 0)


def read_to_the_end(connection: socket.socket) -> bytes:
    """All that the service sends until it closes; a reset ends it too."""
    received = b""
    try:
        while piece := connection.recv(2**16):
            received += piece
    except ConnectionError:
        pass
    return received


def send_all(connection: socket.socket, *pieces: bytes) -> None:
    """Sends until the service refuses to read more."""
    try:
        for piece in pieces:
            connection.sendall(piece)
    except ConnectionError:
        pass


def read_problem(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    return int(head.split()[1]), json.loads(body)["type"]


@pytest.mark.parametrize(
    "pieces",
    [
        [b"X: " + b"a" * MOST_HEADER_BYTES + b"\r\n\r\n"],
        [b"X: ", *[b"a" * 2**16] * 400],
        [b"".join(b"X%d: a\r\n" % number for number in range(MOST_HEADERS)) + b"\r\n"],
        [b"X: a\r\n" * 10_000] * 100,
    ],
    ids=["one large", "one without end", "many", "many without end"],
)
def test_headers_over_the_limit_are_431(service: Service, pieces: list[bytes]):
    with connected(find_address(service)) as connection:
        send_all(connection, BEGIN, *pieces)
        answer = read_to_the_end(connection)
        if answer:  # the kernel drops the answer where the sender did not stop
            assert read_problem(answer) == (431, "headers-too-large")
        else:
            assert len(pieces) > 1


def test_headers_up_to_the_limit_are_read_also_behind_a_long_body(service: Service):
    many = b"".join(b"X%d: a\r\n" % number for number in range(MOST_HEADERS - 2))
    large = b"X: " + b"a" * (MOST_HEADER_BYTES - 100) + b"\r\n"
    body = BEGIN.replace(b"GET /healthz", b"POST /v1/gate") + b"Content-Type: application/json\r\n"
    body += b"Content-Length: 60000\r\n\r\n"
    last = BEGIN + b"Connection: close\r\n\r\n"
    with connected(find_address(service)) as connection:
        send_all(connection, BEGIN + many + b"\r\n" + BEGIN + large + b"\r\n" + body + b" " * 60_000 + last)
        answers = read_to_the_end(connection)
    assert [int(one[:3]) for one in answers.split(b"HTTP/1.1 ")[1:]] == [200, 200, 422, 200]


CHUNKED = b"POST /v1/gate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED += b"Transfer-Encoding: chunked\r\n\r\n"
UNFINISHED = CHUNKED.replace(b"/v1/gate", b"/docs")  # answered before its body has arrived


@pytest.mark.parametrize(
    ("head", "answered"), [(CHUNKED, b"431"), (UNFINISHED, b"405")], ids=["read", "answered early"]
)
@pytest.mark.parametrize(
    "pieces",
    [
        [b"0\r\nX: ", *[b"x" * 2**16] * 400],
        [b"0\r\n", *[b"X: a\r\n" * 10_000] * 100],
        [b"1;", *[b"e" * 2**16] * 400],
        [b"1;" + b"e" * 1_000 + b"\r\nx\r\n"] * 3_000,
    ],
    ids=["one trailer", "many trailers", "one extension", "many extensions"],
)
def test_chunks_with_more_around_them_than_in_them_end_the_connection(
    service: Service, head: bytes, answered: bytes, pieces: list[bytes]
):
    with connected(find_address(service)) as connection:
        connection.sendall(head)
        sent = 0
        with suppress(ConnectionError):
            for piece in pieces:
                connection.sendall(piece)
                sent += 1
        answer = read_to_the_end(connection)
    assert not answer or answer[9:12] == answered
    assert sent < len(pieces), "the service read everything"


def test_small_chunks_are_read_and_trailers_are_no_headers(service: Service):
    body = b"1\r\n \r\n" * 60_000 + b"0\r\nX-Request-Id: of-a-trailer\r\n\r\n"
    with connected(find_address(service)) as connection:
        send_all(connection, CHUNKED + body + BEGIN + b"Connection: close\r\n\r\n")
        answers = read_to_the_end(connection)
        assert [int(one[:3]) for one in answers.split(b"HTTP/1.1 ")[1:]] == [422, 200]
    short = CHUNKED + b"2\r\n{}\r\n0\r\nX-Request-Id: of-a-trailer\r\n\r\n"
    with connected(find_address(service)) as connection:
        send_all(connection, short + BEGIN + b"Connection: close\r\n\r\n")
        assert b"of-a-trailer" not in read_to_the_end(connection)


class HurriedConnection(LimitedConnection):
    headers_seconds = 0.1
    body_seconds = 0.1


@pytest.fixture(scope="module")
def hurried() -> Iterator[tuple[str, int]]:
    """The address of a server that waits a tenth of a second for headers and bodies."""

    async def answer_length(scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(str(len(body)))(scope, receive, send)

    listener = bind("127.0.0.1", 0)
    server = Server(Config(answer_length, http=HurriedConnection, lifespan="off", log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield listener.getsockname()
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (b"", b""),
        (BEGIN, b"408"),
        (BEGIN + b"Content-Length: 7\r\n\r\nabc", b"408"),
        (BEGIN + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", b"408"),
        (BEGIN + b"Content-Length: 3\r\n\r\nabc" + BEGIN, b"408"),
    ],
    ids=["nothing", "headers", "body", "chunks", "the headers of a second request"],
)
def test_a_request_that_does_not_arrive_in_time_ends_its_connection(
    hurried: tuple[str, int], sent: bytes, answered: bytes
):
    with connected(hurried) as connection:
        connection.sendall(sent)
        answer = read_to_the_end(connection)
    assert answer.split(b"HTTP/1.1 ")[-1][:3] == answered
    if answered:
        assert json.loads(answer.rpartition(b"\r\n\r\n")[2])["type"] == "request-too-slow"
