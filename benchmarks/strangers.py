"""What single hostile requests without a key do to a fresh health check, and how they are answered.

Each request is sent alone to a service with one worker and a key. Beside it a health check on a new connection is
repeated. A delay over the bar is marked, and so is an answer with a status of 5xx. The clients run on the same machine,
so the delays hold their own work too: the first row, without a hostile request, shows how much that is.
"""

import gzip
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from app.database.embedded.embedded_postgres import shared_postgres
from tests.app.processes import Service, start

BAR_SECONDS = 0.2
WATCH_SECONDS = 1.0
ANSWER_SECONDS = 30.0
MEGABYTE = 2**20
PLAN = "/v1/plans/min-latency"
JSON = "Content-Type: application/json"


def ask(line: str, *headers: str, body: bytes = b"", host: str = "Host: a") -> bytes:
    """A request as bytes; the body is announced unless the headers do so."""
    announced = (
        []
        if not body or any("ength" in one or "ncoding: ch" in one for one in headers)
        else [f"Content-Length: {len(body)}"]
    )
    lines = [line, *([host] if host else []), *headers, *announced]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def post(*headers: str, body: bytes, path: str = PLAN) -> bytes:
    """A request that posts JSON."""
    return ask(f"POST {path} HTTP/1.1", JSON, *headers, body=body)


def chunk(*parts: bytes) -> bytes:
    """The parts as a chunked body."""
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


CHUNKED = "Transfer-Encoding: chunked"
SPACES = " " * 30_000
HEADERS: Mapping[str, bytes] = {
    "30,000 spaces in Accept-Encoding": ask("GET /ui/ HTTP/1.1", f"Accept-Encoding: gzip{SPACES}x"),
    "30,000 spaces in Accept": ask("GET /v1/topologies HTTP/1.1", f"Accept: text/html;{SPACES}q=x"),
    "15,000 commas in Accept": ask("GET /v1/topologies HTTP/1.1", "Accept: " + "a/b," * 7_000),
    "15,000 ETags in If-None-Match": ask("GET /ui/app.js HTTP/1.1", "If-None-Match: " + '"a",' * 7_000),
    "a header of 100 MB": ask("GET / HTTP/1.1", "X: " + "x" * (100 * MEGABYTE)),
    "1,000,000 headers": ask("GET / HTTP/1.1", *["a: b"] * 1_000_000),
    "5,000 cookies": ask("GET /v1/session HTTP/1.1", "Cookie: " + "; ".join(f"c{n}=1" for n in range(3_000))),
    "a cookie of quotes": ask("GET /v1/session HTTP/1.1", 'Cookie: headgate="' + '\\"' * 14_000),
    "a ticket of dots": ask("GET /v1/topologies HTTP/1.1", "Cookie: headgate=" + "." * 30_000),
    "a key of 30 kB": ask("GET /v1/topologies HTTP/1.1", "Authorization: Bearer " + "k" * 30_000),
    "a key that is not text": ask("GET /v1/topologies HTTP/1.1", "Authorization: Bearer \xff\xfe\x80"),
    "a Basic login": ask("GET /v1/topologies HTTP/1.1", "Authorization: Basic " + "=" * 20_000),
    "a Host with brackets": ask("GET /v1/topologies HTTP/1.1", host="Host: ["),
    "two Hosts": ask("GET /v1/topologies HTTP/1.1", "Host: b"),
    "no Host": ask("GET /v1/topologies HTTP/1.1", host=""),
    "an Origin of colons": ask("DELETE /v1/topologies/a HTTP/1.1", "Origin: http://" + ":" * 20_000),
    "a request id of 30 kB": ask("GET /healthz HTTP/1.1", "X-Request-Id: " + "a" * 30_000),
    "4,000 forwarded addresses": ask("GET / HTTP/1.1", "X-Forwarded-For: " + "1.2.3.4, " * 3_000),
    "an Idempotency-Key of 30 kB": post(
        "Idempotency-Key: " + "a" * 30_000, body=b"{}", path="/v1/topologies"
    ),
}
ADDRESSES: Mapping[str, bytes] = {
    "a path of 30 kB": ask("GET /" + "a" * 30_000 + " HTTP/1.1"),
    "a path of slashes": ask("GET /" + "/" * 30_000 + " HTTP/1.1"),
    "a path of dots": ask("GET /ui/" + "../" * 9_000 + "etc/passwd HTTP/1.1"),
    "a path of percents": ask("GET /v1/topologies/" + "%00%ff" * 4_000 + " HTTP/1.1"),
    "half a character": ask("GET /v1/topologies/%ed%a0%80 HTTP/1.1"),
    "10,000 parameters": ask("GET /v1/topologies?" + "a&" * 14_000 + " HTTP/1.1"),
    "a cursor of 30 kB": ask("GET /v1/topologies?cursor=" + "A" * 30_000 + " HTTP/1.1"),
    "an unknown method": ask("PROPFIND /v1/topologies HTTP/1.1"),
    "a method of 10 kB": ask("A" * 10_000 + " / HTTP/1.1"),
    "TRACE": ask("TRACE / HTTP/1.1"),
    "an address in absolute form": ask("GET http://evil.example/v1/topologies HTTP/1.1"),
    "CONNECT": ask("CONNECT evil.example:443 HTTP/1.1"),
    "OPTIONS *": ask("OPTIONS * HTTP/1.1"),
    "HTTP/1.0 without Host": ask("GET /healthz HTTP/1.0", host=""),
    "HTTP/9.9": ask("GET /healthz HTTP/9.9"),
    "a TLS handshake": bytes.fromhex("160301020001000100") + b"\x00" * 500,
    "an upgrade": ask(
        "GET / HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"
    ),
}
DEEP = b"[" * (4 * MEGABYTE)
BODIES: Mapping[str, bytes] = {
    "JSON nested 4,000,000 deep": post(body=DEEP),
    "sign-in with JSON nested deep": post(body=DEEP, path="/v1/session"),
    "sign-in with a key of 8 MB": post(
        body=b'{"key": "' + b"k" * (8 * MEGABYTE - 100) + b'"}', path="/v1/session"
    ),
    "sign-in with a number of 1,000,000 digits": post(
        body=b'{"key": ' + b"9" * 1_000_000 + b"}", path="/v1/session"
    ),
    "sign-in with 400,000 names": post(
        body=b"{" + b",".join(b'"k%d":1' % n for n in range(400_000)) + b"}", path="/v1/session"
    ),
    "sign-in with a broken text": post(body=b'{"key": "\\ud800"}', path="/v1/session"),
    "a body of 200 MB": post(body=b"x" * (200 * MEGABYTE)),
    "a body announced with 10^18 bytes": post("Content-Length: " + "9" * 18, body=b"x"),
    "two lengths": post("Content-Length: 2", "Content-Length: 3", body=b"{}"),
    "a length and chunks": post("Content-Length: 2", CHUNKED, body=chunk(b"{}")),
    "a gzip bomb": post("Content-Encoding: gzip", body=gzip.compress(b"x" * (50 * MEGABYTE))),
    "300,000 chunks of a byte": post(CHUNKED, body=chunk(*[b" "] * 300_000), path="/v1/session"),
    "a chunk with a negative size": post(CHUNKED, body=b"-1\r\nx\r\n0\r\n\r\n"),
    "a chunk of 10^18 bytes": post(CHUNKED, body=b"fffffffffffffff\r\nx"),
    "chunks with long extensions": post(CHUNKED, body=b"1;" + b"e" * MEGABYTE + b"\r\nx\r\n0\r\n\r\n"),
    "a trailer of 10 MB": post(CHUNKED, body=b"0\r\nX: " + b"x" * (10 * MEGABYTE) + b"\r\n\r\n"),
    "2,000 requests at once in a connection": ask("GET /nowhere HTTP/1.1") * 2_000,
    "headers that never end": b"GET / HTTP/1.1\r\nHost: a\r\nX-",
    "a body that never ends": post("Content-Length: 100", body=b"{"),
}


@contextmanager
def watching(port: int) -> Iterator[list[float]]:
    """Repeats a fresh health check; returns the seconds of each."""
    took: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            started = time.perf_counter()
            with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS) as one:
                one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                while one.recv(4096):
                    pass
            took.append(time.perf_counter() - started)
            ended.wait(0.005)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield took
    finally:
        ended.set()
        thread.join()


def send(port: int, request: bytes) -> str:
    """Sends a request; returns the status of the first answer, or how the connection ended."""
    with socket.create_connection(("127.0.0.1", port), timeout=WATCH_SECONDS) as one:
        with suppress(OSError):  # the service may close the connection before everything is sent
            one.sendall(request)
        try:
            answer = one.recv(65_536)
        except TimeoutError:
            return "none yet"
        except OSError:
            return "reset"
    return answer.split(b" ", 2)[1].decode() if answer.startswith(b"HTTP/") else "closed"


def measure(service: Service, what: str, request: bytes) -> None:
    """Prints the answer to a request, and the longest delay of a health check beside it."""
    port = int(service.url.rpartition(":")[2])
    with watching(port) as took:
        started = time.perf_counter()
        status = send(port, request) if request else "-"
        time.sleep(max(0.0, WATCH_SECONDS - (time.perf_counter() - started)))
    longest = max(took)
    marks = " OVER THE BAR" * (longest > BAR_SECONDS) + " FAILED" * status.startswith("5")
    print(f"{what:45} {status:>8} {1000 * longest:7.0f} ms{marks}", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="headgate-") as folder:
        Path(folder).chmod(0o755)
        with shared_postgres(Path(folder)) as url:
            service = start([], database_url=url, api_keys="ci=a-secret-of-ci-01")
            try:
                print(f"{'request':45} {'status':>8}  longest health check")
                measure(service, "none", b"")
                for what, request in {**HEADERS, **ADDRESSES, **BODIES}.items():
                    measure(service, what, request)
            finally:
                service.stop()
