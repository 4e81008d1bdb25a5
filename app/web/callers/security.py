"""Who calls, and what they may do: by a key or a browser's ticket; without keys only this machine is answered."""

import ipaddress
import time
from functools import lru_cache
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param

from app.web.callers.keys import ApiKey, KeyRing
from app.web.callers.proxies import read_list
from app.web.callers.tickets import COOKIES, read_ticket
from app.web.callers.wrong_keys import WrongKeys
from app.web.middleware import split_address
from app.web.problems.errors import Forbidden, Unauthorized


def read_as_utf8(header: str) -> str:
    """The text of a header, which arrives as Latin-1; most clients send UTF-8, and some Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


TOLD_BY_PROXIES = (b"x-forwarded-for", b"x-real-ip")


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether an address (or `localhost`) is a loopback address, which other machines cannot reach."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


@lru_cache(maxsize=64)
def is_loopback_host(host: str) -> bool:
    """Whether a header Host names a loopback address; a malformed one does not."""
    called = split_address(host, 80)
    return called is not None and is_loopback(called[0])


bearer = HTTPBearer(auto_error=False, description="A key of the service; not needed where it has none.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


async def may_read(request: Request, _: Credentials) -> ApiKey | None:
    """Accepts a known key; if no keys are set, accepts callers on this machine only."""
    return await find_caller(request)


async def find_caller(request: Request) -> ApiKey | None:
    """The caller's key, None if the service has no keys; raises an error for a caller without permission.

    A route asks before it reads the body, and again for its permission: the second time finds the first answer.
    """
    state = request.scope.setdefault("state", {})
    if "caller" not in state:
        state["caller"] = await _identify(request)
    found: ApiKey | None = state["caller"]
    return found


async def _identify(request: Request) -> ApiKey | None:
    keys: KeyRing = request.app.state.keys
    if not keys.known:
        refuse_other_machines(request)
        return None
    sent = read_bearer(request)
    key = await find_signed_in(request) if sent is None else check_key(request, sent)
    if key is None:
        raise Unauthorized(sent=sent is not None)
    return key


def refuse_other_machines(request: Request) -> None:
    """Refuses a caller on another machine, also one behind a proxy on this machine."""
    # The Host is checked too: another site could make its own name point to this machine (DNS rebinding).
    sent = {name for name, _ in request.headers.raw}
    callers = [request.client.host] if request.client else []
    for name in TOLD_BY_PROXIES:
        callers += read_list(request.headers, name.decode()) if name in sent else []
    is_near = all(map(is_loopback, callers)) and b"forwarded" not in sent
    if not is_near or not all(map(is_loopback_host, request.headers.getlist("host"))):
        raise Forbidden(
            "This service has no API keys, so it answers only callers on its own machine, at a loopback address: "
            "call http://127.0.0.1, or set HEADGATE_API_KEYS."
        )


def read_bearer(request: Request) -> str | None:
    """The key in the header `Authorization: Bearer KEY`; None without such a header."""
    scheme, sent = get_authorization_scheme_param(request.headers.get("authorization"))
    return read_as_utf8(sent) if scheme.lower() == "bearer" and sent else None


def check_key(request: Request, sent: str) -> ApiKey | None:
    """The key with the text that was sent, or None; raises an error if too many wrong ones came from the address."""
    keys: KeyRing = request.app.state.keys
    wrong_keys: WrongKeys = request.app.state.wrong_keys
    key = keys.find(sent)
    wrong_keys.check(request.client.host if request.client else "", key)
    return key


async def find_signed_in(request: Request) -> ApiKey | None:
    """The key that the cookie of a signed-in browser stands for; None without a valid cookie."""
    ticket = request.cookies.get(name_cookie(request), "")
    key = read_ticket(request.app.state.keys.known, ticket, time.time())
    if key is None or await request.app.state.signed_out.has(ticket):
        return None
    return key


def name_cookie(request: Request) -> str:
    """The name of the cookie of a signed-in browser."""
    return COOKIES.get(request.scope["scheme"], COOKIES["http"])


async def may_store(key: Annotated[ApiKey | None, Depends(may_read)]) -> None:
    """Refuses a key that may only read and compute."""
    if key is not None and not key.may_store:
        raise Forbidden("This key may read and compute but not store: use one without the :read suffix.")
