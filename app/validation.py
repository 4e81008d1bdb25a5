"""What Pydantic finds wrong with a payload, as pointers into it and words that say what to change."""

from typing import Any

MOST_ERRORS_LISTED = 100

# What Pydantic says of the commonest mistakes, turned into what to do about them.
INSTEAD_OF_PYDANTIC = {
    "extra_forbidden": "This field is not known here: remove it, or correct its spelling.",
    "missing": "This field is required: add it.",
    "finite_number": "Must be a finite number: NaN and Infinity are refused.",
    "json_invalid": "The body is not valid JSON",
    "string_unicode": "Holds half of a surrogate pair, which is no character: correct the text.",
}


def _pointer(error: Any, body: object) -> str:
    """A JSON pointer (RFC 6901) to the part at fault.

    Pydantic puts the union member that it tried, and `[key]`, into the location too: what is not in the body
    is left out, but for the field that is missing.
    """
    where, *path = error["loc"]
    if where != "body":
        return ("?" if where == "query" else f"{where}:") + ".".join(map(str, path))
    pointer = "#"
    here = body
    for position, part in enumerate(path):
        inside = (isinstance(here, dict) and part in here) or (
            isinstance(here, list) and isinstance(part, int)
        )
        is_missing_field = error["type"] == "missing" and position == len(path) - 1
        if inside or is_missing_field:
            pointer += "/" + str(part).replace("~", "~0").replace("/", "~1")
        if inside:
            here = here[part]  # type: ignore[index]  # looked at just above
    return pointer


def list_validation_errors(found: list[Any], body: object) -> list[dict[str, str]]:
    """Pydantic's errors as pointers and advice, the first hundred of them."""
    listed = []
    for error in found[:MOST_ERRORS_LISTED]:
        advice = INSTEAD_OF_PYDANTIC.get(error["type"], error["msg"].removeprefix("Value error, "))
        if error["type"] == "json_invalid":
            why = error.get("ctx", {}).get("error", "unreadable")
            listed.append({"pointer": "#", "detail": f"{advice} (at character {error['loc'][-1]}: {why})."})
        elif error["loc"] == ("body",) and error["type"] == "missing":
            listed.append({"pointer": "#", "detail": "The body is empty: send a JSON document."})
        else:
            listed.append({"pointer": _pointer(error, body), "detail": advice})
    if len(found) > MOST_ERRORS_LISTED:
        listed.append({"pointer": "#", "detail": f"… and {len(found) - MOST_ERRORS_LISTED} errors more."})
    return listed


def describe_validation(found: list[Any], body: object) -> dict[str, Any]:
    """The problem of a malformed payload."""
    listed = list_validation_errors(found, body)
    first = listed[0]
    more = f" ({len(found) - 1} more below)" if len(found) > 1 else ""
    return {
        "type": "invalid-request",
        "title": "The request cannot be used",
        "status": 422,
        "detail": f"{first['pointer']}: {first['detail']}{more}",
        "errors": listed,
    }
