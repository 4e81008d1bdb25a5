"""A receiver of webhooks: a real HTTP server on this machine that notes what it is sent."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """Answers each POST with `status`, and keeps headers and bodies."""

    url: str = ""
    status: int = 204
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@contextmanager
def open_receiver(host: str = "127.0.0.1") -> Iterator[Receiver]:
    """A receiver on a free port, at the path /hook; a redirect would lead to the path /elsewhere."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.asked.append(self.path)
            receiver.headers.append(dict(self.headers.items()))
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(receiver.status)
            self.send_header("Location", f"{receiver.url.rpartition('/')[0]}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Writes nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://{host}:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield receiver
    server.shutdown()
    server.server_close()
    thread.join()
