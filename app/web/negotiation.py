"""Chooses the media type of an answer by the header Accept (RFC 9110 §12.5.1), and tags answers to GET (§13)."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from fastapi import Header, Request, Response
from pydantic import BaseModel

from app.web.problems.errors import NotAcceptable

A = TypeVar("A", bound=BaseModel)

JSON, PNG, SVG = "application/json", "image/png", "image/svg+xml"
FORMS = (JSON, PNG, SVG)
"""The forms of a call that answers numbers or their picture; JSON is the default."""

Accept = Annotated[str | None, Header(max_length=1000, include_in_schema=False)]


def document_pictures() -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of an answer that is JSON or a picture, as the argument `responses` of a route."""
    return {200: {"content": {PNG: {}, SVG: {}}}}


def answer_in_form(answer: A, form: str, draw: Callable[[A, str], bytes]) -> Response:
    """The answer as JSON, or drawn by `draw` as a picture in the media type `form`."""
    content = answer.model_dump_json(by_alias=True).encode() if form == JSON else draw(answer, form)
    return Response(content, media_type=form, headers={"Vary": "Accept"})


def asks_for_picture(accept: str | None) -> bool:
    """Whether a call that offers JSON and pictures answers this Accept with a picture."""
    try:
        return choose_form(accept, FORMS) != JSON
    except NotAcceptable:
        return False


def choose_form(accept: str | None, offered: Sequence[str]) -> str:
    """The offered media type that Accept weighs highest; of equal ones the first, and the first of all without
    an Accept.
    """
    if accept is None or not accept.strip():
        return offered[0]
    ranges = [read_range(one) for one in accept.split(",")]
    weights = {form: _weigh(form, ranges) for form in offered}
    best = max(offered, key=weights.__getitem__)
    if weights[best] == 0.0:
        raise NotAcceptable(accept, tuple(offered))
    return best


def _weigh(form: str, ranges: Sequence[tuple[str, float]]) -> float:
    """The weight that Accept gives a media type by the most specific range that includes it; 0 if no range does."""
    kinds = (form, f"{form.partition('/')[0]}/*", "*/*")
    return next((weight for kind in kinds for named, weight in ranges if named == kind), 0.0)


def read_range(text: str) -> tuple[str, float]:
    """The name and the weight of one part of the header Accept or Accept-Encoding."""
    kind, *parameters = (part.strip().lower() for part in text.split(";"))
    weight = 1.0
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                weight = min(max(float(parameter[2:]), 0.0), 1.0)
            except ValueError:
                weight = 0.0
    return kind, weight


SHOWN_DIGITS = 32
KEPT = "private, no-cache"
"""A cache keeps an answer for its caller only, and asks before each use whether the answer is still current."""


def tag_answer(request: Request, answer: Response) -> Response:
    """The answer with an ETag of its bytes, or 304 if the caller has these bytes; an ETag that the route set
    is kept.
    """
    content = getattr(answer, "body", None)  # a streamed answer has none
    if request.method != "GET" or answer.status_code != 200 or not content:
        return answer
    etag = answer.headers.setdefault("ETag", f'"{sha256(content).hexdigest()[:SHOWN_DIGITS]}"')
    answer.headers.setdefault("Cache-Control", KEPT)
    if not is_known(etag, request.headers.get("If-None-Match")):
        return answer
    shown = ("Vary", "Content-Location", "Cache-Control")
    kept = {name: answer.headers[name] for name in shown if name in answer.headers}
    return Response(status_code=304, headers={"ETag": etag, **kept})


IfMatch = Annotated[str | None, Header(description="The ETag of what was changed.")]


def may_change(etag: str, if_match: str) -> bool:
    """Whether If-Match names the current ETag or `*` (RFC 9110 §13.1.1); weak ETags never match."""
    return if_match.strip() == "*" or etag in [tag.strip() for tag in if_match.split(",")]


def is_known(etag: str, if_none_match: str | None) -> bool:
    """Whether If-None-Match names the ETag; the prefix W/ does not count, because proxies that compress add it."""
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or etag in tags
