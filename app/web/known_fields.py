"""The field names that a body may have at a place, for the advice about a misspelled name."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

MOST_NAMES_LISTED = 12


def list_known_fields(body_type: Any, path: Sequence[object]) -> list[str]:
    """The field names of the body's type at the path, over all branches of its unions."""
    document = _describe(body_type)
    here = list(_branches(document, document))
    for part in path:
        here = [one for schema in here for one in _step(document, schema, part)]
    return list(dict.fromkeys(name for schema in here for name in schema.get("properties", {})))


def advise(wrong: str, known: Sequence[str]) -> str:
    """` Did you mean 'k_max'?`, or the list of known names where none is similar; empty where that list is long."""
    if close := get_close_matches(wrong.lower(), known, 1, 0.6):
        return f" Did you mean {close[0]!r}?"
    return f" Known here: {', '.join(known)}." if 0 < len(known) <= MOST_NAMES_LISTED else ""


@lru_cache(maxsize=128)
def _describe(body_type: Any) -> dict[str, Any]:
    return TypeAdapter(body_type).json_schema()


def _branches(document: dict[str, Any], schema: Any) -> Iterator[dict[str, Any]]:
    """The schemas that a schema stands for: itself, with references and unions resolved."""
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
