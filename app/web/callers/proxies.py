"""Requests that came through a trusted proxy: the client's address, its scheme and the Host it called.

The headers X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host count only if HEADGATE_TRUSTED_PROXIES has the
address of the connection: any other caller could write into them what it likes.
"""

import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from app.settings import Network
from app.web.middleware import HttpMiddleware, split_address

SCHEMES = {"http", "https"}


class TrustedProxies(HttpMiddleware):
    """ASGI middleware that gives a request of a trusted proxy the address, scheme and Host of the proxy's client."""

    def __init__(self, app: ASGIApp, networks: Sequence[Network]) -> None:
        super().__init__(app)
        self.networks = networks

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["client"] is not None and self.trusts(scope["client"][0]):
            self.unwrap(scope)
        await self.app(scope, receive, send)

    def trusts(self, address: str) -> bool:
        """Whether an address is that of a trusted proxy."""
        try:
            parsed = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(parsed in network for network in self.networks)

    def unwrap(self, scope: Scope) -> None:
        """Replaces what the proxy's connection says by what the proxy says of its client."""
        headers = MutableHeaders(scope=scope)
        if client := self.find_client(read_list(headers, "x-forwarded-for")):
            scope["client"] = (client, 0)
        scheme = read_list(headers, "x-forwarded-proto")[-1:]
        if scheme and scheme[0].lower() in SCHEMES:
            scope["scheme"] = scheme[0].lower()
        host = read_list(headers, "x-forwarded-host")[-1:]
        if host and split_address(host[0], 80) is not None:
            headers["host"] = host[0]
        for name in ("x-forwarded-for", "x-real-ip", "forwarded"):
            del headers[name]  # they have done their work: no later part takes them for those of a stranger

    def find_client(self, addresses: Sequence[str]) -> str | None:
        """The nearest address that is not of a trusted proxy; each proxy adds the address that it was called from."""
        client = None
        for address in reversed(addresses):
            try:
                client = ipaddress.ip_address(address.strip("[]")).compressed
            except ValueError:
                return client
            if not self.trusts(client):
                return client
        return client


def read_list(headers: Headers, name: str) -> list[str]:
    """The parts of a header that is a list with commas, and may stand several times."""
    return [part.strip() for value in headers.getlist(name) for part in value.split(",") if part.strip()]
