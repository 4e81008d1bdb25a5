"""A route for small answers that many callers ask for at the same moment."""

from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from app.web.callers.security import find_caller, may_read
from app.web.negotiation import JSON, tag_answer
from app.web.routing import StrictJsonRequest, StrictJsonRoute


class DirectRoute(StrictJsonRoute):
    """A route that calls its endpoint without FastAPI's dependencies and contexts, which cost more than a small answer.

    The endpoint takes the parts of the path and the request. A request with parameters, a body, or a part of the path
    that cannot exist takes FastAPI's way, and is refused there as on every other route.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        allowed = [one.dependency for one in self.dependencies]
        assert allowed == [may_read], "only this permission is checked here"

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "GET" and not scope["query_string"] and not has_body(scope):
            request = StrictJsonRequest(scope, receive)
            await find_caller(request)
            parts = self.read_path(scope["path_params"])
            if parts is not None:
                answer = await self._answer(parts, request)
                await answer(scope, receive, send)
                return
        await super().handle(scope, receive, send)

    def read_path(self, sent: dict[str, Any]) -> dict[str, Any] | None:
        """The validated parts of the path; None if one of them cannot exist."""
        parts = {}
        for field in self.dependant.path_params:
            value, errors = field.validate(sent[field.alias], {}, loc=("path", field.alias))
            if errors:
                return None
            parts[field.name] = value
        return parts

    async def _answer(self, parts: dict[str, Any], request: Request) -> Response:
        found: BaseModel = await self.endpoint(**parts, request=request)
        return tag_answer(request, Response(found.model_dump_json(by_alias=True), media_type=JSON))


def has_body(scope: Scope) -> bool:
    """Whether the headers of a request announce a body (RFC 9112 §6)."""
    return any(name in {b"content-length", b"transfer-encoding"} for name, _ in scope["headers"])
