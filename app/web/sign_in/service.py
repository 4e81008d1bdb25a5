"""Who calls: by key, by the cookie of a signed-in browser, or, without keys, from this machine."""

import time
from datetime import UTC, datetime

from fastapi import Request, Response

from app.web.errors import Unauthorized
from app.web.security import find_caller, find_key, read_bearer
from app.web.sign_in.schemas import SessionAnswer
from app.web.tickets import COOKIES, LIFETIME_SECONDS, ApiKey, make_ticket


def describe_caller(request: Request) -> SessionAnswer:
    """What the caller may do; nothing where its key is missing or unknown."""
    try:
        key = find_caller(request, read_bearer(request))
    except Unauthorized:
        return SessionAnswer(keys_required=True, may_read=False, may_store=False)
    return describe_key(key)


def describe_key(key: ApiKey | None) -> SessionAnswer:
    """What a key may do; None: there are no keys, and this caller may do everything."""
    return SessionAnswer(keys_required=key is not None, may_read=True, may_store=key is None or key.may_store)


def sign_in(request: Request, sent: str, response: Response) -> SessionAnswer:
    """Gives the browser a ticket for the key; without keys there is nothing to sign in to."""
    keys: tuple[ApiKey, ...] = request.app.state.api_keys
    if not keys:
        return describe_key(find_caller(request, None))
    key = find_key(keys, sent)
    if key is None:
        raise Unauthorized(sent=True)
    expires_at = int(time.time()) + LIFETIME_SECONDS
    set_cookie(request, response, make_ticket(key, expires_at), LIFETIME_SECONDS)
    answer = describe_key(key)
    answer.expires_at = datetime.fromtimestamp(expires_at, UTC)
    return answer


def sign_out(request: Request, response: Response) -> None:
    """Takes the ticket back."""
    set_cookie(request, response, "", 0)


def set_cookie(request: Request, response: Response, ticket: str, seconds: int) -> None:
    """The cookie, for this site's own requests alone, and out of the reach of scripts."""
    scheme = request.url.scheme
    response.set_cookie(
        COOKIES.get(scheme, COOKIES["http"]),
        ticket,
        max_age=seconds,
        path="/",
        secure=scheme == "https",
        httponly=True,
        samesite="strict",
    )
