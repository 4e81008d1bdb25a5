"""Answers every error with a document of the type problem+json (RFC 9457), by the table in problem_kinds.py."""

import json
import logging
from contextvars import ContextVar
from typing import Annotated, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from psycopg.errors import ForeignKeyViolation, UndefinedColumn, UndefinedTable
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.problems import errors
from app.web.problems.database_trouble import log_trouble
from app.web.problems.error_pointers import RefusedByPlanner
from app.web.problems.problem_kinds import KINDS, describe_problem, find_kind
from app.web.problems.stored_data_errors import UnknownTopology
from app.web.problems.validation import describe_validation, list_validation_errors
from planner.errors import suggest_name

log = logging.getLogger(__name__)
request_id: ContextVar[str] = ContextVar("request_id", default="-")
"""The id of the current request; web/observability.py sets it."""

MEDIA_TYPE = "application/problem+json"
OTHER_SCHEMA = (
    "The database does not have the schema that this version needs: run `headgate migrate` of this version."
)


class ProblemDetail(BaseModel):
    """One thing to change: `pointer` leads into the body (`#/edges/0/target`) or names a parameter (`?limit`)."""

    pointer: str
    detail: str


class Problem(BaseModel):
    """RFC 9457: what went wrong, and what to change."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[ProblemDetail] | None = Field(None, description="Each part to change (with 422).")


class ProblemResponse(JSONResponse):
    """A problem in ASCII: a name from the request may contain half of a surrogate pair, which UTF-8 cannot encode."""

    media_type = MEDIA_TYPE

    def render(self, content: object) -> bytes:
        return json.dumps(content, allow_nan=False).encode("ascii")


def answer_exception(request: Request, error: Exception) -> ProblemResponse:
    """The answer for an exception: its problem type in the table, or a 500 without internal details."""
    if isinstance(error, ProgrammingError) and isinstance(error.orig, UndefinedTable | UndefinedColumn):
        log.warning("the database lacks a part of the schema: %s", error.orig)
        error = errors.NotReady(OTHER_SCHEMA)
    body = describe_problem(error)
    if body is None:
        log.error("unexpected error", exc_info=error)
        body = {
            "type": "internal-error",
            "title": "Internal error",
            "status": 500,
            "detail": "The service failed, and your request is not the cause: "
            f"the service's log shows the error under request id {request_id.get()}.",
        }
    elif isinstance(error, OperationalError | PoolTimeoutError):
        log_trouble(error)
    kind = find_kind(error)
    return ProblemResponse(
        body | {"instance": request.scope["path"]},
        status_code=body["status"],
        headers=kind.list_headers(error) if kind else None,
    )


async def _answer_validation(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, RequestValidationError)
    found = list(error.errors())
    if in_path := [one for one in found if one["loc"][0] == "path"]:
        [first, *_] = list_validation_errors(in_path[:1], None)
        return _answer_not_found(request, f" {first['pointer'].partition(':')[2]}: {first['detail']}")
    body = describe_validation(found, error.body, _find_body_type(request))
    return ProblemResponse(body | {"instance": request.scope["path"]}, status_code=422)


def _find_body_type(request: Request) -> Any:
    """The type of the body that the request's route takes; None for a route without a body."""
    field = getattr(request.scope.get("route"), "body_field", None)
    return None if field is None else Annotated[field.field_info.annotation, field.field_info]


async def _answer(request: Request, error: Exception) -> ProblemResponse:
    """Answers an exception; `async`, because FastAPI runs other handlers in a thread, and all threads may be busy."""
    return answer_exception(request, error)


async def _answer_integrity(request: Request, error: Exception) -> ProblemResponse:
    """Answers `unknown-topology` if the topology was deleted while the request stored data for it."""
    assert isinstance(error, IntegrityError)
    cause, name = error.orig, request.path_params.get("name")
    if isinstance(cause, ForeignKeyViolation) and name is not None:
        missing = (cause.diag.constraint_name or "").endswith("_topology_id")
        return answer_exception(request, UnknownTopology(name) if missing else error)
    return answer_exception(request, error)


MOST_PARTS, LONGEST_PATH = 10, 500


async def _answer_http(request: Request, error: Exception) -> ProblemResponse:
    """Answers an error of the framework: an unknown path, a wrong method, or a body that is not text."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, errors.ServiceError):  # raised while FastAPI read the body
        return answer_exception(request, error.__cause__)
    if error.status_code == 404:
        return _answer_not_found(request, f" /docs lists all addresses.{_suggest_address(request)}")
    if error.status_code == 405:
        at = request.scope["path"]
        detail = f"{request.method} is not possible at {at}: /docs lists the methods of each address."
        kind = {"type": "method-not-allowed", "title": "Method not allowed", "status": 405, "detail": detail}
        return _answer_unrouted(request, kind, {"Allow": _list_methods(request)})
    status = 422 if error.status_code == 400 else error.status_code
    detail = "The body cannot be read as JSON." if status == 422 else str(error.detail)
    body: dict[str, Any] = {"type": "invalid-request", "title": "Invalid request", "status": status}
    if status == 422:
        body["errors"] = [{"pointer": "#", "detail": detail}]
    return _answer_unrouted(request, body | {"detail": detail}, dict(error.headers or {}))


def _answer_not_found(request: Request, why: str) -> ProblemResponse:
    """Answers 404 for an address without a route, or with a part (an id, a name, an engine) that cannot exist."""
    detail = f"There is nothing at {request.scope['path']}:{why}"
    return _answer_unrouted(
        request, {"type": "not-found", "title": "Not found", "status": 404, "detail": detail}
    )


def _answer_unrouted(
    request: Request, body: dict[str, Any], headers: dict[str, str] | None = None
) -> ProblemResponse:
    return ProblemResponse(
        body | {"instance": request.scope["path"]}, status_code=body["status"], headers=headers
    )


def _suggest_address(request: Request) -> str:
    """A sentence ` Did you mean '…'?` with a similar address, in which names and ids are those of the request.

    Empty if the similar address is the requested one: then one of its parts is no valid id.
    """
    sent = request.scope["path"].split("/")[:MOST_PARTS]
    known = set()
    for route in request.app.router.routes:
        parts = getattr(route, "path", "").split("/")
        if len(parts) == len(sent) and not isinstance(route, Mount):
            known.add("/".join(s if k.startswith("{") else k for s, k in zip(sent, parts, strict=True)))
    if len(request.scope["path"]) > LONGEST_PATH or request.scope["path"] in known:
        return ""
    return suggest_name("/".join(sent), sorted(known), 0.8)


def _list_methods(request: Request) -> str:
    """The methods of a path, for the header Allow of a 405 (RFC 9110); the framework lists only those of the
    first route.
    """
    allowed = [
        method
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE")
        for route in request.app.router.routes
        if not isinstance(route, Mount)
        and route.matches({**request.scope, "method": method})[0] is Match.FULL
    ]
    return ", ".join(allowed) or "GET, HEAD"  # the files below /docs


def install_problems(app: FastAPI) -> None:
    """Registers handlers for every exception in the table of problem types, and for the framework's exceptions."""
    for kind in (*KINDS, RefusedByPlanner):
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(RequestValidationError, _answer_validation)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(IntegrityError, _answer_integrity)
    app.add_exception_handler(ProgrammingError, _answer)
    app.add_middleware(LastResort)


class LastResort:
    """ASGI middleware: answers an unexpected exception while the log lines still carry the request id.

    Starlette's handler for `Exception` runs outside of all middleware.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answering = False

        async def send_watched(message: Message) -> None:
            nonlocal answering
            answering = True
            await send(message)

        try:
            await self.app(scope, receive, send_watched)
        except Exception as error:
            if answering:
                raise
            await answer_exception(Request(scope), error)(scope, receive, send)
