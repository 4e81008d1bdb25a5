"""A route for small answers that many callers ask for at the same moment."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.callers.security import find_caller, may_read
from app.web.middleware import HttpMiddleware
from app.web.negotiation import JSON, tag_answer
from app.web.problems.problem_answers import LastResort
from app.web.routing import StrictJsonRequest, StrictJsonRoute

MOST_REMEMBERED = 4_096
"""Paths whose parts were validated before."""


class DirectRoute(StrictJsonRoute):
    """A route that DirectPass answers without FastAPI's steps, which cost more than a small answer.

    The endpoint takes the parts of the path and the request. A request with parameters, a body, or a part of the path
    that cannot exist takes FastAPI's way, and is refused there as on every other route.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        allowed = [one.dependency for one in self.dependencies]
        assert allowed == [may_read], "only this permission is checked here"
        self._read_parts = lru_cache(MOST_REMEMBERED)(self._validate_parts)

    async def answer(self, request: Request) -> Response | None:
        """The answer to a GET of this route's path; None if a part of the path cannot exist."""
        await find_caller(request)
        parts = self.read_path(request.scope["path_params"])
        if parts is None:
            return None
        found: BaseModel = await self.endpoint(**parts, request=request)
        return tag_answer(request, Response(found.model_dump_json(by_alias=True), media_type=JSON))

    def read_path(self, sent: dict[str, Any]) -> dict[str, Any] | None:
        """The validated parts of the path; None if one of them cannot exist."""
        return self._read_parts(*(sent[field.alias] for field in self.dependant.path_params))

    def _validate_parts(self, *sent: Any) -> dict[str, Any] | None:
        parts = {}
        for field, part in zip(self.dependant.path_params, sent, strict=True):
            value, errors = field.validate(part, {}, loc=("path", field.alias))
            if errors:
                return None
            parts[field.name] = value
        return parts


class DirectPass(HttpMiddleware):
    """ASGI middleware that answers requests of direct routes before FastAPI's middleware, contexts and dependencies."""

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        super().__init__(app)
        self.routes = [one for one in routes if isinstance(one, DirectRoute)]
        self.answering = LastResort(self.answer)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET" and not scope["query_string"] and not has_body(scope):
            for route in self.routes:
                match, found = route.matches(scope)
                if match is Match.FULL:
                    scope.update(found)
                    scope["route"] = route  # for metrics
                    await self.answering(scope, receive, send)
                    return
        await self.app(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request by its route; FastAPI refuses it if a part of its path cannot exist."""
        answer = await scope["route"].answer(StrictJsonRequest(scope, receive))
        await (self.app if answer is None else answer)(scope, receive, send)


def has_body(scope: Scope) -> bool:
    """Whether the headers of a request announce a body (RFC 9112 §6)."""
    return any(name in {b"content-length", b"transfer-encoding"} for name, _ in scope["headers"])
