"""/healthz and /readyz of a bridge: whether its loop turns, and when the engine and the service last answered."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from app.terminal.commands import Refused

READY = ("engine", "service")


@dataclass
class Health:
    """When each part last succeeded, by a clock that never goes back; much later it counts as failed.

    A loop may wait for a minute and for several answers; engine and service answer in each interval.
    """

    clock: Callable[[], float]
    interval_seconds: float
    succeeded: dict[str, float] = field(default_factory=dict)

    def succeed(self, part: str) -> None:
        """The part has just succeeded."""
        self.succeeded[part] = self.clock()

    def find_ages(self) -> dict[str, float | None]:
        """Seconds since the last success of each part; None: never."""
        now = self.clock()
        parts = ("loop", *READY, "decision")
        return {part: now - self.succeeded[part] if part in self.succeeded else None for part in parts}

    def answer(self, path: str) -> tuple[int, dict[str, Any]]:
        """Status and body of GET."""
        needed = {"/healthz": ("loop",), "/readyz": READY}.get(path)
        patience = (180.0 if path == "/healthz" else 10.0) + 4.0 * self.interval_seconds
        if needed is None:
            return 404, {"status": "not-found", "detail": "There are /healthz and /readyz."}
        ages = self.find_ages()
        late = [part for part in needed if (age := ages[part]) is None or age > patience]
        body: dict[str, Any] = {"last_success_seconds_ago": ages, "late": late}
        return (503, {"status": "late"} | body) if late else (200, {"status": "ok"} | body)


@contextmanager
def serving_health(health: Health, host: str, port: int | None) -> Iterator[int | None]:
    """Serves it on a thread of its own; the answer is the port, None where none is asked for."""
    if port is None:
        yield None
        return

    class _Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = health.answer(self.path.partition("?")[0])
            sent = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_arguments: object) -> None:
            """Health checks are no events."""

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
