"""Pydantic's validation errors as JSON pointers into the payload and sentences that say what to change."""

import re
from collections.abc import Callable
from typing import Any

from app.web.found_values import hint, show
from app.web.known_fields import advise, list_known_fields

MOST_ERRORS_LISTED = 100

# For the most common errors, what to do instead of Pydantic's message.
INSTEAD_OF_PYDANTIC = {
    "extra_forbidden": "This field is not known here: remove it, or correct its spelling.",
    "missing": "This field is required: add it.",
    "finite_number": "Must be a finite number: NaN and Infinity are refused.",
    "json_invalid": "The body is not valid JSON",
    "string_unicode": "Holds half of a surrogate pair, which is no character: correct the text.",
    "union_tag_not_found": "Its kind is missing: add the field 'kind'.",
}
SAYS_ITS_VALUE = {
    "extra_forbidden",
    "missing",
    "finite_number",
    "string_unicode",
    "union_tag_invalid",
    "union_tag_not_found",
}
"""Errors whose message does not show the value found: it adds nothing, or cannot be printed."""

KnownFields = Callable[[list[object]], list[str]]


def _find_path(error: Any, body: object) -> list[object]:
    """The parts of the error's location that lead into the body.

    Pydantic also puts the union member that it tried, and `[key]`, into the location. Parts that are not in the body
    are left out, except for the name of a missing field.
    """
    path: list[object] = []
    here = body
    parts = error["loc"][1:]
    for position, part in enumerate(parts):
        inside = (isinstance(here, dict) and part in here) or (
            isinstance(here, list) and isinstance(part, int)
        )
        is_missing_field = error["type"] == "missing" and position == len(parts) - 1
        if isinstance(here, dict) and inside:
            # Pydantic says 0 for a key that YAML read as false.
            part = next(key for key in here if key == part)  # noqa: PLW2901  # the same key
        if inside or is_missing_field:
            path.append(part)
        if inside:
            here = here[part]  # type: ignore[index]  # looked at just above
    return path


def _pointer(error: Any, body: object) -> str:
    """The JSON pointer (RFC 6901) of the wrong part, or the name of the parameter."""
    where, *parts = error["loc"]
    if where != "body":
        return ("?" if where == "query" else f"{where}:") + ".".join(map(str, parts))
    names = [str(part).lower() if isinstance(part, bool) else str(part) for part in _find_path(error, body)]
    return "#" + "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)


def _find_candidates(error: Any, body: object, known_fields: KnownFields | None) -> tuple[str, list[str]]:
    """The word that may be misspelled, and the known words in its place."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden" and known_fields is not None:
        path = _find_path(error, body)
        if path:
            return str(path[-1]), known_fields(path[:-1])
    if kind == "literal_error":
        return str(error.get("input")), re.findall(r"'([^']*)'", context.get("expected", ""))
    if kind == "union_tag_invalid":
        return str(context.get("tag")), re.findall(r"'([^']*)'", context.get("expected_tags", ""))
    return "", []


def _advise(error: Any, body: object, known_fields: KnownFields | None, *, is_yaml: bool) -> str:
    """The error, the value found, and what to change; values of headers are never shown."""
    kind = error["type"]
    said = str(error["msg"]).removeprefix("Value error, ").replace("Input should ", "Must ", 1)
    advice = INSTEAD_OF_PYDANTIC.get(kind, said)
    wrong, candidates = _find_candidates(error, body, known_fields)
    if kind == "extra_forbidden" and wrong in candidates:
        return "This field belongs to another kind: remove it, or correct the kind."
    if kind == "extra_forbidden":
        return advice + advise(wrong, candidates)
    value = error.get("input")
    is_plain = value is None or isinstance(value, str | int | float)
    is_shown = kind not in SAYS_ITS_VALUE and (is_plain or kind.endswith("_type"))
    if is_shown and error["loc"][0] in {"body", "query", "path"}:
        advice = f"{advice.rstrip('.')}; found {show(value)}.{hint(kind, value, is_yaml=is_yaml)}"
    similar = advise(wrong, candidates) if candidates else ""
    return advice + (similar if "Did you mean" in similar else "")


def list_validation_errors(
    found: list[Any], body: object, body_type: Any = None, *, is_yaml: bool = False
) -> list[dict[str, str]]:
    """The first hundred of Pydantic's errors, as pointers and advice."""
    known_fields: KnownFields | None = None
    if body_type is not None:
        known_fields = lambda path: list_known_fields(body_type, path)  # noqa: E731  # of this call's type
    listed = []
    for error in found[:MOST_ERRORS_LISTED]:
        if error["type"] == "json_invalid":
            why = error.get("ctx", {}).get("error", "unreadable")
            advice = INSTEAD_OF_PYDANTIC["json_invalid"]
            listed.append({"pointer": "#", "detail": f"{advice} (at character {error['loc'][-1]}: {why})."})
        elif error["loc"] == ("body",) and error["type"] == "missing":
            listed.append({"pointer": "#", "detail": "The body is empty: send a JSON document."})
        else:
            detail = _advise(error, body, known_fields, is_yaml=is_yaml)
            listed.append({"pointer": _pointer(error, body), "detail": detail})
    if len(found) > MOST_ERRORS_LISTED:
        listed.append({"pointer": "#", "detail": f"… and {len(found) - MOST_ERRORS_LISTED} errors more."})
    return listed


def describe_validation(found: list[Any], body: object, body_type: Any = None) -> dict[str, Any]:
    """The problem of a malformed payload."""
    listed = list_validation_errors(found, body, body_type)
    first = listed[0]
    more = f" ({len(found) - 1} more below)" if len(found) > 1 else ""
    return {
        "type": "invalid-request",
        "title": "The request cannot be used",
        "status": 422,
        "detail": f"{first['pointer']}: {first['detail']}{more}",
        "errors": listed,
    }
