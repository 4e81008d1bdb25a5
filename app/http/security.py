"""Who may call: API keys, what each may do, and nobody from outside while there are none."""

import hmac
import ipaddress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param

from app.http.errors import Forbidden, Unauthorized

READ_ONLY_SUFFIX = ":read"


@dataclass(frozen=True)
class ApiKey:
    """A key by its digest: digests have one length, so comparing them tells nothing about the keys."""

    digest: bytes
    may_store: bool


def parse_api_keys(listed: str) -> tuple[ApiKey, ...]:
    """`secret,other-secret:read` → one key that may do everything, one that may only read and compute."""
    keys = []
    for entry in filter(None, map(str.strip, listed.split(","))):
        secret = entry.removesuffix(READ_ONLY_SUFFIX)
        keys.append(ApiKey(sha256(secret.encode()).digest(), may_store=secret == entry))
    return tuple(keys)


def find_key(keys: tuple[ApiKey, ...], sent: str) -> ApiKey | None:
    """Compares with every key, in constant time, so that the answer's delay names none."""
    digest = sha256(sent.encode()).digest()
    found = None
    for key in keys:
        if hmac.compare_digest(key.digest, digest):
            found = key
    return found


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether an address (or `localhost`) can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


bearer = HTTPBearer(auto_error=False, description="One of HEADGATE_API_KEYS; not needed where none are set.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


async def may_read(request: Request, credentials: Credentials) -> ApiKey | None:
    """Lets a known key pass; with no keys set, callers on this machine only."""
    return find_caller(request, credentials.credentials if credentials else None)


def check_caller(request: Request) -> None:
    """The same for a request whose route has not begun."""
    scheme, sent = get_authorization_scheme_param(request.headers.get("authorization"))
    find_caller(request, sent if scheme.lower() == "bearer" and sent else None)


def find_caller(request: Request, sent: str | None) -> ApiKey | None:
    """The caller's key, None where none are set; whoever may not call is refused."""
    keys: tuple[ApiKey, ...] = request.app.state.api_keys
    if not keys:
        # The Host too: a page of another site could reach us through a name that it lets point to this machine.
        hosts = [request.url.hostname, request.client and request.client.host]
        if not all(is_loopback(host) for host in hosts if host):
            raise Forbidden(
                "This service has no API keys, so it answers callers on its own machine, by a name of its own, only: "
                "call http://127.0.0.1, or set HEADGATE_API_KEYS."
            )
        return None
    key = find_key(keys, sent) if sent is not None else None
    if key is None:
        raise Unauthorized(sent=sent is not None)
    return key


async def may_store(key: Annotated[ApiKey | None, Depends(may_read)]) -> None:
    """Lets only keys pass that may change what is stored."""
    if key is not None and not key.may_store:
        raise Forbidden("This key may read and compute but not store: use one without the :read suffix.")
