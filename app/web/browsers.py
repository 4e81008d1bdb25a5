"""Security headers for browsers, and the refusal of requests that pages of other sites send."""

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from app.web.errors import Forbidden
from app.web.middleware import HttpMiddleware
from app.web.problems import answer_exception

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
OWN_SITES = {"same-origin", "none"}  # `same-site` is another port or another name: not ours
DEFAULT_PORTS = {"http": 80, "https": 443}

HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
# For JSON, text, pictures and reports, which run and load nothing; matplotlib writes its styles into the SVG, and a
# report has its own in the page.
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


class BrowserGuard(HttpMiddleware):
    """ASGI middleware: adds the headers to every answer; refuses other sites all but reading."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                policy = choose_policy(scope["path"], message["headers"])
                message["headers"] = [*message["headers"], *HEADERS, (b"content-security-policy", policy)]
            await send(message)

        if scope["method"] not in SAFE_METHODS and is_of_another_site(Headers(scope=scope)):
            answer = answer_exception(
                Request(scope),
                Forbidden(
                    "A page of another site sent this, which may change and compute nothing here: "
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
    """Whether a page of another site sent the request: by Sec-Fetch-Site, else by Origin.

    Browsers send only Origin over plain http beyond loopback; programs send neither.
    """
    if sites := headers.getlist("sec-fetch-site"):
        return not OWN_SITES.issuperset(sites)
    origins = headers.getlist("origin")
    hosts = headers.getlist("host")
    return bool(origins) and not (len(origins) == len(hosts) == 1 and is_same_origin(origins[0], hosts[0]))


def is_same_origin(origin: str, host: str) -> bool:
    """Whether an Origin names the Host that was called.

    A port that is not named is the default of the Origin's scheme: behind a proxy that ends TLS, the service's own
    port is another one.
    """
    scheme, separator, address = origin.partition("://")
    if not separator or scheme not in DEFAULT_PORTS:  # `null`, files, extensions
        return False
    called = split_address(host, DEFAULT_PORTS[scheme])
    return called is not None and called == split_address(address, DEFAULT_PORTS[scheme])


def split_address(address: str, default_port: int) -> tuple[str, int] | None:
    """Host and port, IP addresses in one form; None where it is no address."""
    try:
        parts = urlsplit(f"//{address}")
        if parts.netloc != address or "@" in address or not parts.hostname:
            return None
        name = ipaddress.ip_address(parts.hostname).compressed if ":" in parts.hostname else parts.hostname
        port = default_port if parts.port is None else parts.port
    except ValueError:
        return None
    return name, port
