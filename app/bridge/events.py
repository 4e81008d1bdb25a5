"""The events of a bridge, and its health over HTTP."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Literal, Protocol

from pydantic import JsonValue

from app.terminal.commands import Refused

EventKind = Literal[
    "started", "away", "back", "not-judged", "discarded", "waiting", "decided", "wanted", "refused", "applied",
    "failed", "runs", "proved", "rolled-back", "note", "ended",
]  # fmt: skip
QUIET: dict[EventKind, set[EventKind]] = {
    "not-judged": {"decided", "applied", "discarded"},
    "waiting": {"applied"},
    "wanted": {"applied", "discarded", "runs"},
}
"""Kinds of which the same text is reported once, and again only after an event of one of these other kinds."""
READY = ("engine", "service")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to the bridge: `text` tells it in a sentence, `data` has the same as numbers."""

    kind: EventKind
    at: datetime
    text: str
    data: Mapping[str, JsonValue] = field(default_factory=dict)


class Display(Protocol):
    """A display, which shows the bridge's events to people or programs."""

    def show(self, event: Event) -> None:
        """Shows one event."""
        ...

    def close(self) -> None:
        """Ends the display; no event follows."""
        ...


class Reporter:
    """Makes events, and passes them to a display; a condition is reported when it begins and when it ends."""

    def __init__(self, display: Display) -> None:
        self.display = display
        self.last: dict[EventKind, str] = {}
        self.noted: set[str] = set()
        self.away: set[str] = set()

    def report(self, kind: EventKind, text: str, data: Mapping[str, JsonValue] | None = None) -> None:
        """Reports an event; a reason that continues is reported once, recognised by its code if `data` has
        one, else by `text`.
        """
        reason = str((data or {}).get("code") or text)
        if kind in QUIET and self.last.get(kind) == reason:
            return
        self.last = {one: reported for one, reported in self.last.items() if kind not in QUIET[one]}
        if kind in QUIET:
            self.last[kind] = reason
        self.display.show(Event(kind, datetime.now(UTC), text, data or {}))

    def report_once(self, text: str) -> None:
        """Reports a note, such as a reader's warning, the first time only."""
        if text not in self.noted:
            self.noted.add(text)
            self.report("note", text)

    def report_away(self, subject: str, why: str) -> None:
        """Reports that the engine or the service does not answer, if it answered before."""
        if subject not in self.away:
            self.away.add(subject)
            self.report("away", why, {"of": subject})

    def report_back(self, subject: str) -> None:
        """Reports that the engine or the service answers again, if it did not before."""
        if subject in self.away:
            self.away.remove(subject)
            self.report("back", f"the {subject} answers again", {"of": subject})


@dataclass
class Health:
    """The time at which the engine and the service last answered, by a monotonic clock; long after it, the part counts
    as failed.

    A loop may wait for a minute and for several answers; engine and service answer in each interval.
    """

    clock: Callable[[], float]
    interval_seconds: float
    succeeded: dict[str, float] = field(default_factory=dict)

    def succeed(self, part: str) -> None:
        """Notes that a part, the engine or the service, has just answered."""
        self.succeeded[part] = self.clock()

    def answer(self, path: str) -> tuple[int, dict[str, Any]]:
        """The status and the body of the answer to GET of a path."""
        needed = {"/healthz": ("loop",), "/readyz": READY}.get(path)
        patience = (180.0 if path == "/healthz" else 10.0) + 4.0 * self.interval_seconds
        if needed is None:
            return 404, {"status": "not-found", "detail": "There are /healthz and /readyz."}
        now, parts = self.clock(), ("loop", *READY, "decision")
        ages = {part: now - self.succeeded[part] if part in self.succeeded else None for part in parts}
        late = [part for part in needed if (age := ages[part]) is None or age > patience]
        body: dict[str, Any] = {"last_success_seconds_ago": ages, "late": late}
        return (503, {"status": "late"} | body) if late else (200, {"status": "ok"} | body)


def send_json(handler: BaseHTTPRequestHandler, status: int, body: JsonValue) -> None:
    """Answers a request with this status and JSON body."""
    sent = json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(sent)))
    handler.end_headers()
    handler.wfile.write(sent)


@contextmanager
def serving_health(health: Health, host: str, port: int | None) -> Iterator[int | None]:
    """Serves /healthz and /readyz on a separate thread; yields the port, None if no port is given."""
    if port is None:
        yield None
        return

    class _Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = health.answer(self.path.partition("?")[0])
            send_json(self, status, body)

        def log_message(self, *_arguments: object) -> None:
            """Writes nothing, because requests for the health are no events of the bridge."""

    try:
        server = ThreadingHTTPServer((host, port), _Handler)
    except OSError as error:
        raise Refused(f"--health-port {port}: cannot listen there: {error.strerror}") from error
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
