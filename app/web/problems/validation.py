"""Pydantic's validation errors as JSON pointers into the payload and sentences with the change to make."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from planner.wording import write_count, write_number

LONGEST_SHOWN = 60
EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")
YAML_TRUTHS = {True: "yes, on and true", False: "no, off and false"}


def show(value: object) -> str:
    """A value as in JSON, cut at 60 characters, with its type: `the text "1e3"`, `the number 7`, `a list`."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and value.bit_length() > 4 * LONGEST_SHOWN:
        return "a number with too many digits to show"
    if isinstance(value, int | float):
        return f"the number {value!r}"
    if isinstance(value, str):
        text = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "…"
        return f"the text {json.dumps(text, ensure_ascii=not text.isprintable())}"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, Sequence) else f"a {type(value).__name__}"


def hint(kind: str, value: object, *, is_yaml: bool) -> str:
    """A sentence with the correct spelling, if a wrong value shows what the caller meant; else empty."""
    if kind in {"float_type", "int_type"}:
        return _hint_at_number(kind, value, is_yaml=is_yaml)
    if kind == "bool_type":
        return " Write true or false, without quotes."
    if kind == "string_type" and (value is None or isinstance(value, bool | int | float)):
        return _hint_at_text(value, is_yaml=is_yaml)
    return ""


def _hint_at_number(kind: str, value: object, *, is_yaml: bool) -> str:
    if isinstance(value, float) and kind == "int_type" and value.is_integer():
        return f" Write it without a decimal point: {value:.0f}."
    number = _read_number(value) if isinstance(value, str) else None
    if number is None:
        return ""
    if is_yaml and EXPONENT.fullmatch(str(value).strip()):
        spelled = spell_number(number, is_whole=kind == "int_type")
        return (
            " YAML reads a number with an exponent as text unless it has a point and a signed exponent: "
            f"write {spelled}."
        )
    return f" Write the number without quotes: {str(value).strip()[:LONGEST_SHOWN]}."


def spell_number(number: float, *, is_whole: bool) -> str:
    """A number in the spelling that YAML 1.1 reads: `1000.0 or 1.0e+3`; a whole number in digits alone."""
    if is_whole and number.is_integer():
        return f"{number:.0f}"
    mantissa, _, exponent = f"{Decimal(repr(number)).normalize():e}".partition("e")
    scientific = f"{mantissa}{'' if '.' in mantissa else '.0'}e{int(exponent):+d}"
    plain = repr(number)
    return scientific if "e" in plain else f"{plain} or {scientific}"


def _hint_at_text(value: bool | float | None, *, is_yaml: bool) -> str:  # noqa: FBT001  # a value, no switch
    if not is_yaml:
        return "" if value is None else f' Write it in quotes: "{str(value).lower()}".'
    if isinstance(value, bool):
        example = "yes" if value else "no"
        return f" YAML reads {YAML_TRUTHS[value]} without quotes as {str(value).lower()}: quote it, as '{example}'."
    if value is None:
        return " YAML reads null, ~ and an empty place as null: quote the text."
    return f" YAML reads this as a number: quote the text, as '{value}'."


def _read_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


MOST_NAMES_LISTED = 12


def list_known_fields(body_type: Any, path: Sequence[object]) -> list[str]:
    """The names of the fields that a body's type has at the path, over all branches of its unions."""
    document = _describe(body_type)
    here = list(_branches(document, document))
    for part in path:
        here = [one for schema in here for one in _step(document, schema, part)]
    return list(dict.fromkeys(name for schema in here for name in schema.get("properties", {})))


def advise(wrong: str, known: Sequence[str]) -> str:
    """A sentence ` Did you mean 'k_max'?`, or the list of known names if none is similar; empty if that list
    is long.
    """
    if close := get_close_matches(wrong.lower(), known, 1, 0.6):
        return f" Did you mean {close[0]!r}?"
    return f" Known here: {', '.join(known)}." if 0 < len(known) <= MOST_NAMES_LISTED else ""


@lru_cache(maxsize=128)
def _describe(body_type: Any) -> dict[str, Any]:
    return TypeAdapter(body_type).json_schema()


def _branches(document: dict[str, Any], schema: Any) -> Iterator[dict[str, Any]]:
    """A JSON schema and all schemas that its references and unions lead to."""
    if not isinstance(schema, dict):
        return
    if reference := schema.get("$ref"):
        yield from _branches(document, document["$defs"][reference.rpartition("/")[2]])
    for union in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(union, []):
            yield from _branches(document, one)
    yield schema


def _step(document: dict[str, Any], schema: dict[str, Any], part: object) -> Iterator[dict[str, Any]]:
    if "items" in schema:
        yield from _branches(document, schema["items"])
        return
    inside = schema.get("properties", {}).get(part, schema.get("additionalProperties"))
    yield from _branches(document, inside)
    for named in schema.get("patternProperties", {}).values():
        yield from _branches(document, named)


MOST_ERRORS_LISTED = 100

# Sentences that replace Pydantic's messages of the most common errors.
INSTEAD_OF_PYDANTIC = {
    "extra_forbidden": "This field is not known here: remove it, or correct its spelling.",
    "missing": "This field is required: add it.",
    "finite_number": "Must be a finite number: NaN and Infinity are refused.",
    "json_invalid": "The body is not valid JSON",
    "model_type": "Must be an object",
    "model_attributes_type": "Must be an object",
    "dict_type": "Must be an object",
    "list_type": "Must be a list",
    "tuple_type": "Must be a list",
    "string_unicode": "Contains half of a surrogate pair, which is no character: correct the text.",
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
"""Errors whose message does not show the value: it adds nothing, or cannot be printed."""

BOUNDS = ("ge", "gt", "le", "lt")
"""The names of a number's bounds in the context of an error."""
BOUND_AT_END = re.compile(r"\S+$")

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
            # Pydantic reports 0 for a key that YAML read as false.
            part = next(key for key in here if key == part)  # noqa: PLW2901  # the same key
        if inside or is_missing_field:
            path.append(part)
        if inside:
            here = here[part]  # type: ignore[index]  # `inside` has checked it
    return path


def _pointer(error: Any, body: object) -> str:
    """The JSON pointer (RFC 6901) to the part of a body with the error, or the name of the wrong parameter."""
    where, *parts = error["loc"]
    if where != "body":
        return ("?" if where == "query" else f"{where}:") + ".".join(map(str, parts))
    names = [str(part).lower() if isinstance(part, bool) else str(part) for part in _find_path(error, body)]
    return "#" + "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)


def _find_candidates(error: Any, body: object, known_fields: KnownFields | None) -> tuple[str, list[str]]:
    """The word in the body that may be misspelled, and the words that are known at its place."""
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


def _rewrite(error: Any) -> str:
    """Pydantic's message as an instruction, with the bound of a number written as people do: `1e-15`, `1,000`."""
    text = str(error["msg"]).removeprefix("Value error, ").replace("Input should ", "Must ", 1)
    for bound in (value for name, value in error.get("ctx", {}).items() if name in BOUNDS):
        if isinstance(bound, int | float):
            written = write_count(bound) if isinstance(bound, int) else write_number(bound, digits=15)
            text = BOUND_AT_END.sub(written, text)
    return text


def _advise(error: Any, body: object, known_fields: KnownFields | None, *, is_yaml: bool) -> str:
    """A sentence with the error, the value that was sent, and what to change; values of headers are never shown."""
    kind = error["type"]
    advice = INSTEAD_OF_PYDANTIC.get(kind) or _rewrite(error)
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
    """The first hundred of Pydantic's errors, each with its JSON pointer and a sentence on what to change."""
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
        listed.append({"pointer": "#", "detail": f"… and {len(found) - MOST_ERRORS_LISTED} more errors."})
    return listed


def describe_validation(found: list[Any], body: object, body_type: Any = None) -> dict[str, Any]:
    """The problem that describes the errors in a malformed payload."""
    listed = list_validation_errors(found, body, body_type)
    first = listed[0]
    more = f" ({len(found) - 1} more below)" if len(found) > 1 else ""
    return {
        "type": "invalid-request",
        "title": "Invalid request",
        "status": 422,
        "detail": f"{first['pointer']}: {first['detail']}{more}",
        "errors": listed,
    }
