"""Chooses the media type of an answer by the header Accept (RFC 9110 §12.5.1)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Header, Response
from pydantic import BaseModel

from app.web.errors import NotAcceptable

A = TypeVar("A", bound=BaseModel)

JSON, PNG, SVG = "application/json", "image/png", "image/svg+xml"
FORMS = (JSON, PNG, SVG)
"""What calls that have numbers and a picture of them offer; JSON where nothing is asked for."""

Accept = Annotated[str | None, Header(max_length=1000, include_in_schema=False)]


def document_pictures() -> dict[int | str, dict[str, Any]]:
    """The OpenAPI response 200 of a call that answers with a picture or with its numbers."""
    picture = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"content": {PNG: picture, SVG: picture}}}


def answer_in_form(answer: A, form: str, draw: Callable[[A, str], bytes]) -> Response:
    """The answer as JSON, or drawn as a picture."""
    content = answer.model_dump_json(by_alias=True).encode() if form == JSON else draw(answer, form)
    return Response(content, media_type=form, headers={"Vary": "Accept"})


def asks_for_picture(accept: str | None) -> bool:
    """Whether the answer of a call that offers JSON and pictures would be a picture."""
    try:
        return choose_form(accept, FORMS) != JSON
    except NotAcceptable:
        return False


def choose_form(accept: str | None, offered: Sequence[str]) -> str:
    """The offered media type with the highest weight; the first among equals, and where there is no Accept."""
    if accept is None or not accept.strip():
        return offered[0]
    ranges = [_read_range(one) for one in accept.split(",")]
    weights = {form: _weigh(form, ranges) for form in offered}
    best = max(offered, key=weights.__getitem__)
    if weights[best] == 0.0:
        raise NotAcceptable(accept, tuple(offered))
    return best


def _weigh(form: str, ranges: Sequence[tuple[str, float]]) -> float:
    """The weight of the most specific range that holds the media type; 0 where none does."""
    kinds = (form, f"{form.partition('/')[0]}/*", "*/*")
    return next((weight for kind in kinds for named, weight in ranges if named == kind), 0.0)


def _read_range(text: str) -> tuple[str, float]:
    kind, *parameters = (part.strip().lower() for part in text.split(";"))
    weight = 1.0
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                weight = min(max(float(parameter[2:]), 0.0), 1.0)
            except ValueError:
                weight = 0.0
    return kind, weight
