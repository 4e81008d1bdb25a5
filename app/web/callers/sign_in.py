"""/v1/session: the permissions of the caller; a browser signs in with a key once and receives a cookie."""

import time
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from app.web.callers.keys import ApiKey
from app.web.callers.security import (
    check_key,
    find_caller,
    find_signed_in,
    name_cookie,
    refuse_other_machines,
)
from app.web.callers.tickets import LIFETIME_SECONDS, make_ticket, read_expiry
from app.web.fields import Answer, Body, show_example
from app.web.problems.documented_problems import BODY, document_problems
from app.web.problems.errors import Unauthorized
from app.web.routing import StrictJsonRoute

router = APIRouter(prefix="/v1/session", tags=["sessions"], route_class=StrictJsonRoute)


class SignIn(Body):
    """The key with which a browser signs in."""

    model_config = show_example({"key": "a-key-of-the-service"})

    key: Annotated[str, Field(min_length=1, max_length=1000)]


class SessionAnswer(Answer):
    """The permissions of the caller."""

    model_config = show_example(
        {"keys_required": True, "may_read": True, "may_store": False, "expires_at": None}
    )

    keys_required: Annotated[bool, Field(description="Whether the service has keys.")]
    may_read: bool
    may_store: bool
    expires_at: Annotated[
        datetime | None,
        Field(description="When a signed-in browser must sign in again; null for every other caller."),
    ] = None


@router.get("", summary="Read what the caller may do", responses=document_problems("forbidden"))
async def get_session(request: Request) -> SessionAnswer:
    """Answers every caller: without a valid key `may_read` and `may_store` are false."""
    try:
        return describe_key(await find_caller(request))
    except Unauthorized:
        return SessionAnswer(keys_required=True, may_read=False, may_store=False)


@router.post("", summary="Sign in", responses=document_problems("unauthorized", *BODY))
async def sign_in(request: Request, body: SignIn, response: Response) -> SessionAnswer:
    """Sets a cookie that stands for the key for 12 hours; scripts of a page cannot read it."""
    if not request.app.state.keys.known:  # without keys there is no sign-in
        refuse_other_machines(request)
        return describe_key(None)
    key = check_key(request, body.key)
    if key is None:
        raise Unauthorized(sent=True)
    expires_at = int(time.time()) + LIFETIME_SECONDS
    set_cookie(request, response, make_ticket(key, expires_at), LIFETIME_SECONDS)
    answer = describe_key(key)
    answer.expires_at = datetime.fromtimestamp(expires_at, UTC)
    return answer


@router.delete("", status_code=204, summary="Sign out", responses=document_problems("database-unavailable"))
async def sign_out(request: Request, response: Response) -> None:
    """Ends the cookie at every worker and service of the database, and removes it; the key stays valid."""
    ticket = request.cookies.get(name_cookie(request), "")
    if await find_signed_in(request) is not None:
        await request.app.state.signed_out.add(ticket, read_expiry(ticket))
    set_cookie(request, response, "", 0)


def describe_key(key: ApiKey | None) -> SessionAnswer:
    """The permissions of a key; None means that no keys are set, so that this caller has all permissions."""
    return SessionAnswer(keys_required=key is not None, may_read=True, may_store=key is None or key.may_store)


def set_cookie(request: Request, response: Response, ticket: str, seconds: int) -> None:
    """Sets the cookie of a signed-in browser: only requests of this site send it, and scripts cannot read it."""
    response.set_cookie(
        name_cookie(request),
        ticket,
        max_age=seconds,
        path="/",
        secure=request.scope["scheme"] == "https",
        httponly=True,
        samesite="strict",
    )
