"""Limits the size of a request's headers and trailers, and the time in which its headers and its body must arrive.

uvicorn itself limits neither, so that a caller without a key could fill the memory, or hold connections for ever.
"""

import asyncio
import json
from typing import Literal

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.web.problems.errors import HeadersTooLarge, RequestTooSlow, ServiceError
from app.web.problems.problem_answers import MEDIA_TYPE
from app.web.problems.problem_kinds import describe_problem

MOST_HEADER_BYTES = 32 * 2**10
"""Of the address and all headers of a request."""
MOST_HEADERS = 100
MOST_FRAMING_BYTES = 8
"""For each byte of a chunked body, beside MOST_HEADER_BYTES: a chunk of one byte comes with five others."""


class LimitedConnection(HttpToolsProtocol):
    """A connection that refuses large headers, and closes when a request arrives too slowly.

    A connection without any request closes too. Between two requests uvicorn's limit for idle connections counts.
    """

    headers_seconds = 20.0
    """The limit from the opening of a connection, or the first byte of a later request, to the end of the headers."""
    body_seconds = 120.0
    """The limit from the end of the headers to the end of the body: 8 MB arrive in this time at 0.6 Mbit/s."""
    phase: Literal["idle", "headers", "body", "answer"] = "idle"
    has_begun = False
    """Whether a request began in the newest piece of data."""
    head_bytes = 0
    """Bytes of unfinished headers, without the piece of data in which their request began."""
    framing_bytes = 0
    """Bytes between the headers and the end that are not of the body (sizes and extensions of chunks, trailers), less
    what the body allows; without the piece of data in which the headers ended.
    """
    refusal: ServiceError | None = None
    deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._limit_time(self.headers_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit_time(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.refusal is not None:
            return  # the connection is closing
        self.has_begun = False
        was_in_body = self.phase == "body"
        super().data_received(data)
        if self.phase == "headers" and not self.has_begun:  # an unfinished header is in no callback yet
            self.head_bytes += len(data)
        elif self.phase == "body" and was_in_body and not self.has_begun:
            self.framing_bytes += len(data)
        if max(self.head_bytes, self.framing_bytes) > MOST_HEADER_BYTES and self.refusal is None:
            self._refuse(HeadersTooLarge(MOST_HEADER_BYTES, MOST_HEADERS))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self.phase != "idle":  # the time of the first request runs since the connection was opened
            self._limit_time(self.headers_seconds)
        self.phase, self.has_begun, self.head_bytes, self.framing_bytes = "headers", True, 0, 0

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.phase == "headers":  # trailers are no headers: proxies do not check them
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > MOST_HEADER_BYTES or len(self.headers) > MOST_HEADERS:
            self.refusal = HeadersTooLarge(MOST_HEADER_BYTES, MOST_HEADERS)
            raise self.refusal  # ends the parser, which calls send_400_response
        super().on_headers_complete()
        self.phase = "body"
        self._limit_time(self.body_seconds)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self.framing_bytes -= len(body) * (1 + MOST_FRAMING_BYTES)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.phase = "answer"
        self._limit_time(None)

    def send_400_response(self, msg: str) -> None:
        """Answers a request that the parser refuses: with 431 if its headers are too large, else with 400."""
        if self.refusal is None:
            super().send_400_response(msg)
        else:
            self._refuse(self.refusal)

    def _limit_time(self, seconds: float | None) -> None:
        """Closes the connection after these seconds, unless the request reaches its next phase before; None
        sets no limit.
        """
        if self.deadline is not None:
            self.deadline.cancel()
        self.deadline = None if seconds is None else self.loop.call_later(seconds, self._close_late)

    def _close_late(self) -> None:
        if self.flow.read_paused:  # the service has not read what was sent
            self._limit_time(self.body_seconds)
        elif self.phase == "idle":
            self.transport.close()
        else:
            self._refuse(
                RequestTooSlow(self.headers_seconds if self.phase == "headers" else self.body_seconds)
            )

    def _refuse(self, error: ServiceError) -> None:
        """Closes the connection, after the problem that belongs to the error unless an answer has begun."""
        self.refusal = error
        if self.phase == "body" and self.cycle.response_started:
            self.transport.close()
            return
        problem = describe_problem(error)
        assert problem is not None, "problem_kinds.py has a row for each of these errors"
        content = json.dumps(problem).encode("ascii")
        head = f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(content)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[problem["status"]] + head.encode("ascii") + content)
        self.transport.close()
