"""Answers an exception with the problem+json (RFC 9457) of its row in problem_kinds.py."""

import json
import logging
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.requests import Request
from starlette.responses import JSONResponse

from app.serving.observability import current_request_id
from app.web.error_pointers import RefusedByPlanner, find_place
from app.web.problem_kinds import find_kind
from planner import errors as planning

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"


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
    """A problem in ASCII: a name that was sent may hold half of a surrogate pair, which UTF-8 cannot encode."""

    media_type = MEDIA_TYPE

    def render(self, content: object) -> bytes:
        return json.dumps(content, allow_nan=False).encode("ascii")


# The database's own messages go to the log; the caller reads what to do.
DATABASE_DETAILS: dict[type[Exception], str] = {
    PoolTimeoutError: "All database connections are busy: try again in a moment, "
    "or raise HEADGATE_DATABASE_POOL_SIZE.",
    OperationalError: "The database does not answer, or went away before it could: try again in a moment. "
    "A request is stored completely or not at all: check before you send it again.",
}


def describe_problem(error: Exception) -> dict[str, Any] | None:
    """The problem body of an exception, None where the table has no row for it; the command line prints the same."""
    if isinstance(error, planning.PlannerError):
        error = RefusedByPlanner(error, find_place(error))
    kind = find_kind(error)
    if kind is None:
        return None
    detail = next(
        (DATABASE_DETAILS[base] for base in type(error).__mro__ if base in DATABASE_DETAILS), str(error)
    )
    problem: dict[str, Any] = {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
    }
    if isinstance(error, RefusedByPlanner):
        to_change = [{"pointer": f"#{error.pointer}", "detail": detail}]
        return problem | dict(kind.extend(error.error)) | {"errors": to_change}
    return problem | dict(kind.extend(error))


def answer_exception(request: Request, error: Exception) -> ProblemResponse:
    """The answer to an exception: its row in the table, or a 500 that shows nothing of the service's inside."""
    body = describe_problem(error)
    if body is None:
        log.error("unexpected error", exc_info=error)
        body = {
            "type": "internal-error",
            "title": "Internal error",
            "status": 500,
            "detail": "Something went wrong here, not with your request: "
            f"the log has it under request id {current_request_id()}.",
        }
    elif isinstance(error, DBAPIError | PoolTimeoutError):
        log.warning("database trouble", exc_info=error)
    kind = find_kind(error)
    return ProblemResponse(
        body | {"instance": request.url.path},
        status_code=body["status"],
        headers=kind.list_headers(error) if kind else None,
    )
