"""ASGI middleware: limits the size of bodies, adds security headers, refuses changes by pages of other sites."""

import asyncio
import ipaddress
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.callers.tickets import COOKIES
from app.web.problems.errors import Forbidden, PayloadTooLarge
from app.web.problems.problem_answers import answer_exception


class HttpMiddleware:
    """The base class of ASGI middleware whose `handle` receives HTTP requests, but not the service's start and end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.handle(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request itself, or passes it to `app`."""
        await self.app(scope, receive, send)


# The client is still sending when the service refuses. Closing the connection then would reset it, and the client
# could lose the answer. So the service continues to read for a while and discards the data.
MOST_DISCARDED = 4  # times the limit
DISCARD_SECONDS = 5


SHORT_BODIES = {"/v1/session": 4096}
"""Most bytes of bodies that are parsed for callers without a key."""


class BodyLimit(HttpMiddleware):
    """ASGI middleware that counts the bytes of a body as they arrive: a Content-Length may be absent or wrong."""

    def __init__(self, app: ASGIApp, limit_bytes: int) -> None:
        super().__init__(app)
        self.limit_bytes = limit_bytes

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        limit_bytes = min(self.limit_bytes, SHORT_BODIES.get(scope["path"], self.limit_bytes))
        too_large = PayloadTooLarge(limit_bytes, is_fixed=limit_bytes < self.limit_bytes)
        body = _Body(receive, too_large)

        async def send_politely(message: Message) -> None:
            if message["type"] == "http.response.start" and body.is_refused and not await body.discard():
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        async def send_before_reading(message: Message) -> None:
            # A client that waits for `100 Continue` has not begun to send: there is nothing to discard.
            is_long = "expect" in headers or int(announced) > MOST_DISCARDED * limit_bytes
            if message["type"] == "http.response.start" and is_long:
                MutableHeaders(scope=message)["connection"] = "close"
            elif message["type"] == "http.response.body" and "expect" not in headers:
                await send({**message, "more_body": True})
                await body.discard()
                message = {"type": "http.response.body"}
            await send(message)

        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > limit_bytes:
            answer = answer_exception(Request(scope), too_large)
            await answer(scope, receive, send_before_reading)
        else:
            await self.app(scope, body.receive, send_politely)


class _Body:
    """The part of a request's body that has arrived so far."""

    def __init__(self, receive: Receive, too_large: PayloadTooLarge) -> None:
        self._receive = receive
        self._too_large = too_large
        self._read_bytes = 0
        self._has_ended = False
        self.is_refused = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._read_bytes += len(message.get("body", b""))
        self._has_ended = not message.get("more_body", False)
        if self._read_bytes > self._too_large.limit_bytes:
            self.is_refused = True
            raise self._too_large
        return message

    async def discard(self) -> bool:
        """Reads and discards the rest of the body; True if all was read, so that the connection can be kept."""
        most_bytes = MOST_DISCARDED * self._too_large.limit_bytes
        try:
            async with asyncio.timeout(DISCARD_SECONDS):
                while not self._has_ended and self._read_bytes <= most_bytes:
                    message = await self._receive()
                    self._read_bytes += len(message.get("body", b""))
                    self._has_ended = not message.get("more_body", False)
        except TimeoutError:
            pass
        return self._has_ended


SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
OWN_SITES = {"same-origin", "none"}  # `same-site` is another port or another name, so another service
DEFAULT_PORTS = {"http": 80, "https": 443}

NOT_MODIFIED = 304
HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
# For JSON, text, pictures and reports, which run and load nothing; a report has its styles in the page.
NOTHING = b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
PICTURE = NOTHING + b"; style-src 'unsafe-inline'; img-src data:"
# Swagger UI loads its own files, draws with `data:` pictures and calls this service.
DOCUMENTATION = (
    b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The dashboard's scripts and styles are files of its own; no text becomes a script or markup.
DASHBOARD = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    b"require-trusted-types-for 'script'"
)


OWN_COOKIE = re.compile(rb"\s*(?:%b)=[\w.-]{,500}\s*" % "|".join(COOKIES.values()).encode())


def keep_own_cookies(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers with the cookies of this service alone: Python reads a cookie of many quotes for seconds."""
    kept = []
    for name, value in headers:
        if name == b"cookie":
            value = b";".join(filter(OWN_COOKIE.fullmatch, value.split(b";")))  # noqa: PLW2901
        kept.append((name, value))
    return kept


class BrowserGuard(HttpMiddleware):
    """ASGI middleware that adds security headers to every answer, and refuses changes by pages of other sites.

    It removes the cookies of others.
    """

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["headers"] = keep_own_cookies(scope["headers"])

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
                if (
                    message["status"] != NOT_MODIFIED
                ):  # the browser keeps the policy of the answer that it has
                    policy = choose_policy(scope["path"], message["headers"])
                    message["headers"].append((b"content-security-policy", policy))
            await send(message)

        if scope["method"] not in SAFE_METHODS and is_of_another_site(Headers(scope=scope)):
            answer = answer_exception(
                Request(scope),
                Forbidden(
                    "A page of another site sent this request, and such pages may only read: "
                    "send it from a page of this service, or from a program."
                ),
            )
            await answer(scope, receive, send_guarded)
        else:
            await self.app(scope, receive, send_guarded)


def choose_policy(path: str, headers: list[tuple[bytes, bytes]]) -> bytes:
    """The Content-Security-Policy for the media type of the answer."""
    kind = next((value for name, value in headers if name == b"content-type"), b"")
    if path.startswith("/ui"):
        return DASHBOARD
    if kind.startswith(b"text/html") and path == "/docs":
        return DOCUMENTATION
    return PICTURE if kind.startswith((b"image/svg", b"text/html")) else NOTHING


def is_of_another_site(headers: Headers) -> bool:
    """Whether a page of another site sent the request, by the header Sec-Fetch-Site, else by the header Origin.

    Browsers send only Origin over plain http beyond loopback; programs send neither.
    """
    if sites := headers.getlist("sec-fetch-site"):
        return not OWN_SITES.issuperset(sites)
    origins = headers.getlist("origin")
    hosts = headers.getlist("host")
    return bool(origins) and not (len(origins) == len(hosts) == 1 and is_same_origin(origins[0], hosts[0]))


def is_same_origin(origin: str, host: str) -> bool:
    """Whether an Origin names the Host that was called.

    An absent port is the default port of the Origin's scheme: behind a proxy that ends TLS, the service listens on
    another one.
    """
    scheme, separator, address = origin.partition("://")
    if not separator or scheme not in DEFAULT_PORTS:  # `null`, files, extensions
        return False
    called = split_address(host, DEFAULT_PORTS[scheme])
    return called is not None and called == split_address(address, DEFAULT_PORTS[scheme])


def split_address(address: str, default_port: int) -> tuple[str, int] | None:
    """The host and the port of an address, with IP addresses in one form; None if the text is no address."""
    try:
        parts = urlsplit(f"//{address}")
        if parts.netloc != address or "@" in address or not parts.hostname:
            return None
        name = ipaddress.ip_address(parts.hostname).compressed if ":" in parts.hostname else parts.hostname
        port = default_port if parts.port is None else parts.port
    except ValueError:
        return None
    return name, port
