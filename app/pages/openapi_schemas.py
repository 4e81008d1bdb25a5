"""Shortens the names and texts of the schemas in the OpenAPI document without changing their meaning."""

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/"
TAKEN, ANSWERED = "-Input", "-Output"
SUFFIXES = ("Answer", "Body")
"""Suffixes in the order of precedence: PolicyAnswer becomes Policy, and PolicyBody keeps its name."""


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
    """Maps each name to the name without its suffix, unless another schema has that name."""
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


def merge_directions(document: dict[str, Any]) -> dict[str, Any]:
    """The document with one schema for a class that has fields which are taken and never answered.

    FastAPI makes two of it, Name-Input and Name-Output; the one of bodies describes the answers too.
    """
    schemas = document["components"]["schemas"]
    references: dict[str, str] = {}
    for name in [name.removesuffix(TAKEN) for name in schemas if name.endswith(TAKEN)]:
        taken, answered = schemas[name + TAKEN], schemas.get(name + ANSWERED)
        if answered and answered["properties"].items() <= taken["properties"].items():
            schemas[name] = schemas.pop(name + TAKEN)
            del schemas[name + ANSWERED]
            references |= {REFERENCE + name + way: REFERENCE + name for way in (TAKEN, ANSWERED)}
    merged: dict[str, Any] = _rename(document, references)
    return merged


def list_parents(root: type) -> dict[str, str]:
    """Every class below the root with the name of the class that it extends."""
    children: list[type] = root.__subclasses__()
    parents = {one.__name__: root.__name__ for one in children}
    for one in children:
        parents |= list_parents(one)
    return parents


def share_parents(document: dict[str, Any], parents: dict[str, str]) -> None:
    """Replaces the fields that an answer has from its parent by a reference to the schema of the parent."""
    schemas = document["components"]["schemas"]
    for name in [name for name in schemas if parents.get(name) in schemas]:
        child, parent = schemas[name], _list_fields(schemas, parents[name])
        own = {field: one for field, one in child["properties"].items() if one != parent.get(field)}
        if own.keys() & parent.keys():
            continue  # the child describes one of these fields in another way
        required = [field for field in child.get("required", []) if field in own]
        parts = {"properties": own, "required": required, "type": "object"}
        added = {key: value for key, value in parts.items() if value}
        kept = {key: value for key, value in child.items() if key not in parts}
        schemas[name] = {"allOf": [{"$ref": REFERENCE + parents[name]}, added]} | kept


def _list_fields(schemas: dict[str, Schema], name: str) -> Schema:
    """The fields of a schema, those of the schemas that it extends too."""
    schema = schemas[name]
    parent, added = schema.get("allOf", (None, schema))
    inherited = {} if parent is None else _list_fields(schemas, parent["$ref"].removeprefix(REFERENCE))
    fields: Schema = inherited | added.get("properties", {})
    return fields


LEAST_CHARACTERS = {2: 105, 3: 75}
"""The length from which on a schema is shared by two fields, and by three or more; a reference takes as much."""

BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def tidy_schemas(document: dict[str, Any]) -> None:
    """Tidies every schema of the document: the components, and those of parameters, bodies and answers."""
    for schema in document["components"]["schemas"].values():
        tidy_schema(schema)
    for schema in _find_schemas(document["paths"]):
        tidy_schema(schema)


def tidy_schema(schema: Schema) -> None:
    """Removes titles made from names (`k_max`: `K Max`); writes a value or null as `type: [number, 'null']`.

    Removes defaults that are objects too: client generators refuse them, and the object's fields have their own.
    """
    schema.pop("title", None)
    if isinstance(schema.get("default"), dict):
        del schema["default"]
    if schema.get("type") == "integer":
        schema |= {key: int(value) for key, value in schema.items() if key in BOUNDS}
    for inner in _list_inner(schema):
        tidy_schema(inner)
    match schema.get("anyOf"):
        case [{"type": str(kind)} as value, {"type": "null"}] if not {"enum", "const"} & value.keys():
            del schema["anyOf"]
            schema |= value | {"type": [kind, "null"]}


def share_fields(document: dict[str, Any]) -> None:
    """Replaces a long schema that several fields of one name share by a reference to a component of that name.

    A schema that is shared only apart from null is shared first, so that both fields refer to one component.
    """
    schemas = document["components"]["schemas"]
    for find in (_value_of_nullable, _whole_field):
        places: dict[tuple[str, str], list[tuple[str, Schema]]] = {}
        for owner, schema in schemas.items():
            _, added = schema.get("allOf", (None, schema))
            for name, field in added.get("properties", {}).items():
                part = find(field)
                places.setdefault((name, _without_default(part)), []).append((owner, part))
        for (name, text), found in places.items():
            if len(found) > 1 and len(text) >= LEAST_CHARACTERS[min(len(found), 3)]:
                _share(schemas, _name_component(schemas, name, found[0][0]), [part for _, part in found])


def _value_of_nullable(field: Schema) -> Schema:
    """The schema of the value of a field that may be null; else the field."""
    match field.get("anyOf"):
        case [dict() as value, {"type": "null"}]:
            return value
    return field


def _whole_field(field: Schema) -> Schema:
    return field


def _name_component(schemas: dict[str, Any], field: str, owner: str) -> str:
    """The first free name of a shared field: `State`, `StateChoice`, and `OutcomeState` after a schema that has it."""
    stem = "".join(map(str.capitalize, field.split("_")))
    return next(name for name in (stem, f"{stem}Choice", f"{owner}{stem}") if name not in schemas)


def _share(schemas: dict[str, Any], component: str, fields: list[Schema]) -> None:
    """Makes a component of the equal schemas of these fields, and refers to the component in each of them.

    The component has the default that all of the fields have; defaults that differ stay in the fields.
    """
    is_same = all(field == fields[0] for field in fields)
    schemas[component] = {key: value for key, value in fields[0].items() if is_same or key != "default"}
    for field in fields:
        kept = {key: value for key, value in field.items() if key == "default" and not is_same}
        field.clear()
        field.update({"$ref": f"#/components/schemas/{component}"} | kept)


def _without_default(field: Schema) -> str:
    return repr(sorted((key, value) for key, value in field.items() if key != "default"))


def _list_inner(schema: Schema) -> Iterator[Schema]:
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield schema[key]
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        yield from schema.get(key, [])
    for key in ("properties", "patternProperties"):
        yield from schema.get(key, {}).values()


def _find_schemas(part: Any) -> Iterator[Schema]:
    """The schemas of a part of the document: each lies under the key `schema`."""
    if isinstance(part, list):
        for value in part:
            yield from _find_schemas(value)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key == "schema":
                yield value
            elif key != "examples":
                yield from _find_schemas(value)
