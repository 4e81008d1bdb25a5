"""API keys with their permissions, and tickets of browsers; without keys only callers on this machine are answered.

A ticket is a cookie that stands for a key for some hours, `prefix.expiry.mac`: the first bytes of the key's digest, the
time at which it expires, and an HMAC of both keyed by the digest. Any worker can check it; it also ends when its key
is removed.
"""

import hmac
import ipaddress
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param
from starlette.datastructures import URL

from app.web.errors import Forbidden, Unauthorized

LIFETIME_SECONDS = 12 * 3600
PREFIX_BYTES = 8
COOKIES = {"http": "headgate", "https": "__Host-headgate"}
"""Cookie names by scheme: a browser accepts the second one from this host only, and sends it over https only."""


@dataclass(frozen=True)
class ApiKey:
    """The digest and the permission of an API key: all digests have one length, so a comparison reveals
    nothing about the key.
    """

    digest: bytes
    may_store: bool


def make_ticket(key: ApiKey, expires_at: int) -> str:
    """The ticket with which a browser stands for a key until `expires_at`, in seconds since 1970."""
    signed = f"{key.digest[:PREFIX_BYTES].hex()}.{expires_at}"
    return f"{signed}.{sign(key, signed)}"


def sign(key: ApiKey, signed: str) -> str:
    """The HMAC of a text, keyed by the digest of an API key."""
    return hmac.new(key.digest, b"headgate-ticket:" + signed.encode(), sha256).hexdigest()


def read_ticket(keys: Sequence[ApiKey], ticket: str, now: float) -> ApiKey | None:
    """The key of a ticket; None if the ticket is forged or expired, or its key was removed."""
    signed, _, mac = ticket.rpartition(".")
    _, _, expires_at = signed.partition(".")
    if not ticket.isascii() or not expires_at.isdecimal() or len(expires_at) > 12 or int(expires_at) <= now:
        return None
    found = None
    for key in keys:  # all keys are compared, so that timing reveals none
        is_its_own = signed.startswith(key.digest[:PREFIX_BYTES].hex() + ".")
        if hmac.compare_digest(sign(key, signed), mac) and is_its_own:
            found = key
    return found


READ_ONLY_SUFFIX = ":read"


def parse_api_keys(listed: str) -> tuple[ApiKey, ...]:
    """The keys in a text like `secret,other-secret:read`: the first may do everything, the second may only
    read and compute.
    """
    keys = []
    for entry in filter(None, map(str.strip, listed.split(","))):
        secret = entry.removesuffix(READ_ONLY_SUFFIX)
        keys.append(ApiKey(sha256(secret.encode()).digest(), may_store=secret == entry))
    return tuple(keys)


def find_key(keys: tuple[ApiKey, ...], sent: str) -> ApiKey | None:
    """The known key with the text that was sent, or None; compares with all keys in constant time, so that
    timing reveals none.
    """
    digest = sha256(sent.encode()).digest()
    found = None
    for key in keys:
        if hmac.compare_digest(key.digest, digest):
            found = key
    return found


def read_as_utf8(header: str) -> str:
    """The text of a header, which arrives as Latin-1; most clients send UTF-8, and some Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether an address (or `localhost`) is a loopback address, which other machines cannot reach."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def find_called_host(request: Request) -> str | None:
    """The name or address in the request's URL, which is that of the header Host."""
    scope = request.scope
    named = tuple(value for name, value in scope["headers"] if name == b"host")
    return read_hostname(scope["scheme"], named[:1], scope.get("server"))


@lru_cache(maxsize=64)
def read_hostname(scheme: str, named: tuple[bytes, ...], server: tuple[str, int | None] | None) -> str | None:
    """What Starlette finds as the host of a URL, from the header Host or the server's own address."""
    headers = [(b"host", value) for value in named]
    return URL(scope={"scheme": scheme, "headers": headers, "server": server, "path": "/"}).hostname


bearer = HTTPBearer(auto_error=False, description="One of HEADGATE_API_KEYS; not needed where none are set.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


async def may_read(request: Request, credentials: Credentials) -> ApiKey | None:
    """Accepts a known key; if no keys are set, accepts callers on this machine only."""
    return find_caller(request, credentials.credentials if credentials else None)


def check_caller(request: Request) -> None:
    """Refuses an unknown caller, by the rule of `may_read`, before the body of the request is read."""
    find_caller(request, read_bearer(request))


def read_bearer(request: Request) -> str | None:
    """The key in the header `Authorization: Bearer KEY`; None without such a header."""
    scheme, sent = get_authorization_scheme_param(request.headers.get("authorization"))
    return sent if scheme.lower() == "bearer" and sent else None


def find_caller(request: Request, sent: str | None) -> ApiKey | None:
    """The caller's key, None if no keys are set; raises an error for a caller without permission."""
    keys: tuple[ApiKey, ...] = request.app.state.api_keys
    if not keys:
        # The Host is checked too: another site could make its own name point to this machine (DNS rebinding).
        hosts = [find_called_host(request), request.client and request.client.host]
        if not all(is_loopback(host) for host in hosts if host):
            raise Forbidden(
                "This service has no API keys, so it answers only callers on its own machine, at a loopback address: "
                "call http://127.0.0.1, or set HEADGATE_API_KEYS."
            )
        return None
    key = find_key(keys, read_as_utf8(sent)) if sent is not None else find_signed_in(request)
    if key is None:
        raise Unauthorized(sent=sent is not None)
    return key


def find_signed_in(request: Request) -> ApiKey | None:
    """The key that the cookie of a signed-in browser stands for; None without a valid cookie."""
    cookie = COOKIES.get(request.url.scheme, COOKIES["http"])
    ticket = request.cookies.get(cookie)
    return None if ticket is None else read_ticket(request.app.state.api_keys, ticket, time.time())


async def may_store(key: Annotated[ApiKey | None, Depends(may_read)]) -> None:
    """Refuses a key that may only read and compute."""
    if key is not None and not key.may_store:
        raise Forbidden("This key may read and compute but not store: use one without the :read suffix.")
