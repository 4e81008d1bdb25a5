"""Exception handlers: every refusal and every failure of the service is answered with a problem."""

from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from psycopg.errors import ForeignKeyViolation
from sqlalchemy.exc import IntegrityError
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.database.storage_errors import UnknownTopology
from app.web import errors
from app.web.error_pointers import RefusedByPlanner
from app.web.problem_kinds import KINDS
from app.web.problems import ProblemResponse, answer_exception
from app.web.validation import describe_validation
from planner.errors import suggest_name


async def _answer_validation(request: Request, error: Exception) -> ProblemResponse:
    assert isinstance(error, RequestValidationError)
    body = describe_validation(list(error.errors()), error.body, _find_body_type(request))
    return ProblemResponse(body | {"instance": request.url.path}, status_code=422)


def _find_body_type(request: Request) -> Any:
    """The type of the route's body, None where it has none."""
    field = getattr(request.scope.get("route"), "body_field", None)
    return None if field is None else Annotated[field.field_info.annotation, field.field_info]


async def _answer(request: Request, error: Exception) -> ProblemResponse:
    """The answer; `async`, because all threads may be waiting for the database, and a plain function would wait too."""
    return answer_exception(request, error)


async def _answer_integrity(request: Request, error: Exception) -> ProblemResponse:
    """Says that the topology is unknown where it was deleted while something was stored with it."""
    assert isinstance(error, IntegrityError)
    cause, name = error.orig, request.path_params.get("name")
    if isinstance(cause, ForeignKeyViolation) and name is not None:
        missing = (cause.diag.constraint_name or "").endswith("_topology_id")
        return answer_exception(request, UnknownTopology(name) if missing else error)
    return answer_exception(request, error)


MOST_PARTS, LONGEST_PATH = 10, 500
ROUTING = {404: ("not-found", "Nothing is here"), 405: ("method-not-allowed", "Not with this method")}


async def _answer_http(request: Request, error: Exception) -> ProblemResponse:
    """Answers what the framework refuses: unknown paths, wrong methods, bodies that are not text."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, errors.ServiceError):  # raised while FastAPI read the body
        return answer_exception(request, error.__cause__)
    status = 422 if error.status_code == 400 else error.status_code
    kind, title = ROUTING.get(status, ("invalid-request", "The request cannot be used"))
    detail = {
        404: f"There is nothing at {request.url.path}: /docs lists what there is.{_suggest_address(request)}",
        405: f"{request.method} is not possible at {request.url.path}: /docs lists what is.",
        422: "The body cannot be read as JSON.",
    }.get(status, str(error.detail))
    body: dict[str, Any] = {"type": kind, "title": title, "status": status, "detail": detail}
    if status == 422:
        body["errors"] = [{"pointer": "#", "detail": detail}]
    return ProblemResponse(
        body | {"instance": request.url.path},
        status_code=status,
        headers={"Allow": _list_methods(request)} if status == 405 else dict(error.headers or {}),
    )


def _suggest_address(request: Request) -> str:
    """` Did you mean '…'?` with a similar address; its parts that stand for names are those that were sent."""
    sent = request.url.path.split("/")[:MOST_PARTS]
    known = set()
    for route in request.app.router.routes:
        parts = getattr(route, "path", "").split("/")
        if len(parts) == len(sent) and not isinstance(route, Mount):
            known.add("/".join(s if k.startswith("{") else k for s, k in zip(sent, parts, strict=True)))
    return suggest_name("/".join(sent), sorted(known), 0.8) if len(request.url.path) <= LONGEST_PATH else ""


def _list_methods(request: Request) -> str:
    """The header Allow of a 405 (RFC 9110); the framework lists only the methods of the first route with this path."""
    allowed = [
        method
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE")
        for route in request.app.router.routes
        if not isinstance(route, Mount)
        and route.matches({**request.scope, "method": method})[0] is Match.FULL
    ]
    return ", ".join(allowed) or "GET, HEAD"  # the files below /docs


def install_problems(app: FastAPI) -> None:
    """Registers a handler for every exception of the table and for those of the framework."""
    for kind in (*KINDS, RefusedByPlanner):
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(RequestValidationError, _answer_validation)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(IntegrityError, _answer_integrity)
    app.add_middleware(LastResort)


class LastResort:
    """ASGI middleware: answers an unexpected exception while the log still knows the request's id.

    Starlette's own handler for `Exception` runs outside of every middleware.
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
