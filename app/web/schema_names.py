"""The names of schemas in the OpenAPI document: `Plan` for the class PlanAnswer, `Load` for LoadBody."""

from typing import Any

REFERENCE = "#/components/schemas/"
SUFFIXES = ("Answer", "Body")
"""In the order in which they claim a name: Policy is PolicyAnswer, and PolicyBody stays as it is."""


def rename_schemas(document: dict[str, Any]) -> dict[str, Any]:
    """The document with short schema names, and with references that follow them."""
    schemas = document["components"]["schemas"]
    short = shorten_names(list(schemas))
    schemas = {short[name]: schema for name, schema in schemas.items()}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    renamed: dict[str, Any] = _rename(
        document, {REFERENCE + old: REFERENCE + new for old, new in short.items()}
    )
    return renamed


def shorten_names(names: list[str]) -> dict[str, str]:
    """By name, the name without its suffix, unless another schema has that already."""
    taken = set(names)
    short = {name: name for name in names}
    for suffix in SUFFIXES:
        for name in names:
            stem = name.removesuffix(suffix)
            if name.endswith(suffix) and stem and stem not in taken:
                taken.add(stem)
                short[name] = stem
    return short


def _rename(part: Any, references: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _rename(value, references) for key, value in part.items()}
    if isinstance(part, list):
        return [_rename(value, references) for value in part]
    return references.get(part, part) if isinstance(part, str) else part
