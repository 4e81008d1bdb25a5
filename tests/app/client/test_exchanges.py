"""What a client does when an answer does not come at once, beside a server of few lines."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx
import pytest

from app.client.exchanges import read_retry_after
from headgate.client import AsyncClient, Client, HeadgateProblem, NoAnswer, Patience

Shown = tuple[int, dict[str, str], bytes]
FINE: Shown = (200, {}, b'{"name": "clicks"}')
BUSY: Shown = (503, {"Retry-After": "0"}, b'{"type": "overloaded", "detail": "Try again."}')
QUICK = Patience(first_wait_seconds=0.001)


class Told:
    """What the server was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[tuple[str, str | None]] = []


@contextmanager
def serving(*answers: Shown | None) -> Iterator[Told]:
    """A server that gives these answers in turn; None closes the connection without an answer."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told.requests.append((f"{self.command} {self.path}", self.headers.get("Idempotency-Key")))
            answer = left.pop(0)
            if answer is None:
                self.close_connection = True
                return
            status, headers, body = answer
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PUT = do_GET  # noqa: N815  # as http.server calls them

        def log_message(self, *_: Any) -> None:
            """Writes no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told = Told(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("first", [BUSY, None, (502, {}, b"bad gateway"), (429, {}, b"")])
def test_a_service_that_is_busy_or_away_is_asked_again(first: Shown | None):
    with serving(first, FINE) as told, Client(told.url, patience=QUICK) as client:
        assert client.topology("clicks")["name"] == "clicks"
    assert [asked for asked, _ in told.requests] == ["GET /v1/topologies/clicks"] * 2


def test_what_stores_is_repeated_under_one_key():
    with serving(None, BUSY, FINE, FINE) as told, Client(told.url, patience=QUICK) as client:
        client.create_topology({"name": "clicks"})
        client.create_topology({"name": "clicks"})
    first, second, third, other = [key for _, key in told.requests]
    assert first == second == third
    assert other not in {None, first}


def test_what_stores_nothing_has_no_key():
    with serving(FINE, FINE) as told, Client(told.url) as client:
        client.gate({}, {})
        client.decide("clicks", store=False)
    assert [key for _, key in told.requests] == [None, None]


def test_after_the_last_try_the_problem_is_raised():
    with serving(*[BUSY] * 4) as told, Client(told.url, patience=QUICK) as client:
        with pytest.raises(HeadgateProblem, match="overloaded: Try again"):
            client.overview()
        assert len(told.requests) == 4


def test_a_refusal_is_not_repeated():
    refusal: Shown = (409, {}, b'{"type": "no-snapshot", "detail": "Send one."}')
    with serving(refusal) as told, Client(told.url, patience=QUICK) as client, pytest.raises(HeadgateProblem):
        client.decide("clicks")
    assert len(told.requests) == 1


def test_nobody_waits_longer_than_the_patience_allows():
    later = (503, {"Retry-After": "3600"}, BUSY[2])
    with serving(later) as told, Client(told.url, patience=QUICK) as client, pytest.raises(HeadgateProblem):
        client.overview()
    assert len(told.requests) == 1


def test_all_pages_are_fetched_in_their_order():
    pages = [
        b'{"items": [{"name": "a"}], "next": "/v1/topologies?cursor=x"}',
        b'{"items": [{"name": "b"}], "next": null}',
    ]
    with serving(*[(200, {}, page) for page in pages]) as told, Client(told.url) as client:
        assert [one["name"] for one in client.topologies()] == ["a", "b"]
    assert [asked for asked, _ in told.requests] == ["GET /v1/topologies", "GET /v1/topologies?cursor=x"]


@pytest.mark.parametrize("answer", [(200, {}, b"<html>"), (404, {}, b"<html>"), (500, {}, b"[]")])
def test_another_program_at_the_address_is_told_apart(answer: Shown):
    with serving(answer) as told, Client(told.url) as client, pytest.raises(NoAnswer, match="is it Headgate"):
        client.topology("clicks")


def test_nobody_at_the_address():
    with (
        Client("http://127.0.0.1:1", patience=QUICK) as client,
        pytest.raises(NoAnswer, match="does not answer"),
    ):
        client.overview()


def test_the_asynchronous_client_waits_in_the_same_way():
    async def ask(url: str) -> str:
        async with AsyncClient(url, patience=QUICK) as client:
            return (await client.topology("clicks"))["name"]

    with serving(BUSY, None, FINE) as told:
        assert asyncio.run(ask(told.url)) == "clicks"
    assert len(told.requests) == 3


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("2", 2.0, 2.0),
        ("-1", 0.0, 0.0),
        ("soon", 0.0, 0.0),
        (None, 0.0, 0.0),
        (format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True), 3000.0, 3600.0),
    ],
    ids=["seconds", "below 0", "no number", "none", "a date"],  # the same in all processes that collect
)
def test_both_forms_of_retry_after_are_read(said: str | None, least: float, most: float):
    answer = httpx.Response(503, headers={} if said is None else {"Retry-After": said})
    assert least <= read_retry_after(answer) <= most
