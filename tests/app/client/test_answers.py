"""The types of answers have the fields, kinds and nulls that openapi.yaml says."""

import types
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from app.client import calls
from tests.app.client_calls import MADE, find_operation, list_kinds, resolve


@pytest.mark.parametrize("name", MADE)
def test_the_type_of_an_answer_has_only_fields_that_the_service_answers(name: str):
    call = MADE[name]
    [wanted] = get_args(get_type_hints(getattr(calls, name))["return"])
    answers = [
        content
        for status, answer in find_operation(call)["responses"].items()
        if status.startswith("2")
        for kind, content in resolve(answer).get("content", {}).items()
        if kind == "application/json"
    ]
    if call.is_text or wanted is type(None):
        assert not answers
        return
    schema = resolve(answers[0]["schema"])
    if call.is_list:
        [wanted] = get_args(wanted)
        schema = schema["properties"]["items"]["items"]
    compare(wanted, schema, name)


def compare(wanted: Any, schema: dict[str, Any], place: str) -> None:
    """Compares a type of the client with a schema of the service, field by field."""
    kinds = list_kinds(schema)
    may_be_null = any(kind.get("type") == "null" for kind in kinds)
    inner = [one for one in get_args(wanted) if one is not type(None)] if is_union(wanted) else [wanted]
    assert is_union(wanted) == may_be_null, f"{place}: null or not"
    [one], [kind] = inner, [kind for kind in kinds if kind.get("type") != "null"][:1]
    if is_typeddict(one):
        assert set(one.__annotations__) <= set(kind["properties"]), place
        for field, hint in get_type_hints(one).items():
            compare(hint, kind["properties"][field], f"{place}.{field}")
    elif get_origin(one) is list:
        assert kind["type"] == "array", place
        compare(get_args(one)[0], kind["items"], f"{place}[]")
    elif get_origin(one) is dict:
        assert kind["type"] == "object", place
    else:
        written = {str: "string", int: "integer", float: "number", bool: "boolean"}
        assert kind["type"] == written[one], place


def is_union(kind: Any) -> bool:
    return get_origin(kind) in {Union, types.UnionType}
