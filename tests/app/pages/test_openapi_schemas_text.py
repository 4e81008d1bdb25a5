"""A tidied schema accepts exactly what it accepted before."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import validator_for
from pydantic import TypeAdapter

from app.pages.openapi_schemas import list_parents, merge_directions, share_fields, share_parents, tidy_schema
from app.planning.objectives.optimal import MinLatencyRequest

NULL: dict[str, Any] = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "tidy"),
    [
        ({"title": "K Max", "type": "integer"}, {"type": "integer"}),
        ({"anyOf": [{"type": "number", "minimum": 0}, NULL]}, {"type": ["number", "null"], "minimum": 0}),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}, None),
        ({"anyOf": [{"$ref": "#/$defs/a"}, NULL]}, None),
        (
            {"properties": {"title": {"title": "Title", "type": "string"}}},
            {"properties": {"title": {"type": "string"}}},
        ),
        ({"items": {"title": "X"}, "default": {"a": 1}}, {"items": {}}),
    ],
)
def test_titles_go_and_a_value_or_null_is_one_type(schema: dict[str, Any], tidy: dict[str, Any] | None):
    before = json.loads(json.dumps(schema))
    tidy_schema(schema)
    assert schema == (before if tidy is None else tidy)


VALUES = st.none() | st.integers(-2, 3) | st.sampled_from([0.5, -0.5]) | st.sampled_from(["", "a", "b" * 300])
SCHEMAS = st.sampled_from(
    [
        {"type": "integer", "minimum": 0},
        {"type": "string", "maxLength": 200},
        {"enum": ["a", 1]},
        {"type": "number"},
    ]
)


@given(SCHEMAS, VALUES)
def test_a_tidied_schema_accepts_the_same_values(schema: dict[str, Any], value: object):
    nullable = {"title": "One", "anyOf": [dict(schema), NULL]}
    before = validator_for(json.loads(json.dumps(nullable))).is_valid(value)
    tidy_schema(nullable)
    assert validator_for(nullable).is_valid(value) == before


def test_a_whole_body_keeps_its_meaning():
    schema = TypeAdapter(MinLatencyRequest).json_schema()
    [example] = schema["examples"]
    for definition in (*schema["$defs"].values(), schema):
        tidy_schema(definition)
    assert validator_for(schema).is_valid(example)
    assert not validator_for(schema).is_valid(example | {"k_max": 0})
    assert "title" not in json.dumps(schema["properties"]["k_max"])


def test_a_field_that_is_taken_and_not_answered_makes_no_second_schema():
    taken, answered = make_schema(a="string", secret="string"), make_schema(a="string")
    schemas = {
        "One-Input": taken,
        "One-Output": answered,
        "Two-Input": answered,
        "Two-Output": make_schema(b="null"),
    }
    places = {
        "post": {"$ref": "#/components/schemas/One-Input"},
        "get": {"$ref": "#/components/schemas/One-Output"},
    }
    merged = merge_directions({"components": {"schemas": schemas}, "paths": places})
    one = {"$ref": "#/components/schemas/One"}
    assert merged["paths"] == {"post": one, "get": one}
    assert merged["components"]["schemas"].keys() == {"One", "Two-Input", "Two-Output"}
    assert merged["components"]["schemas"]["One"] == taken


class _Grandparent: ...


class _Parent(_Grandparent): ...


class _Child(_Parent): ...


def make_schema(**fields: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in fields.items()},
        "required": list(fields),
    }


def test_an_answer_refers_to_its_parent_and_means_the_same():
    whole = {
        "_Grandparent": make_schema(a="string"),
        "_Parent": make_schema(a="string", b="number"),
        "_Child": make_schema(a="string", b="number", c="integer"),
    }
    schemas = json.loads(json.dumps(whole))
    share_parents({"components": {"schemas": schemas}}, list_parents(_Grandparent))
    added = {"properties": {"c": {"type": "integer"}}, "required": ["c"], "type": "object"}
    assert schemas["_Child"] == {"allOf": [{"$ref": "#/components/schemas/_Parent"}, added]}
    for name, before in whole.items():
        after = validator_for({"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}})
        for value in (
            {},
            {"a": ""},
            {"a": "", "b": 1.5},
            {"a": "", "b": 1.5, "c": 1},
            {"a": 1, "b": 1.5, "c": 1},
        ):
            assert after.is_valid(value) == validator_for(before).is_valid(value), (name, value)


def test_a_child_that_describes_a_field_of_its_parent_in_another_way_keeps_all_of_its_fields():
    schemas = {"_Grandparent": make_schema(a="string"), "_Parent": make_schema(a="integer", b="number")}
    share_parents({"components": {"schemas": schemas}}, list_parents(_Grandparent))
    assert schemas["_Parent"] == make_schema(a="integer", b="number")


def test_a_long_schema_of_three_fields_becomes_a_component_and_defaults_stay():
    model = {"enum": ["mmk", "ggk", "ggk-whitt"], "type": "string", "description": "The waiting model. " * 6}
    schemas: dict[str, Any] = {
        name: {"properties": {"waiting_model": dict(model, default=default), "short": {"type": "number"}}}
        for name, default in (("A", "mmk"), ("B", "ggk"), ("C", "ggk"))
    }
    share_fields({"components": {"schemas": schemas}})
    assert schemas["WaitingModel"] == model
    assert schemas["A"]["properties"]["waiting_model"] == {
        "$ref": "#/components/schemas/WaitingModel",
        "default": "mmk",
    }
    assert schemas["B"]["properties"]["short"] == {"type": "number"}


def test_a_default_that_all_fields_have_stands_in_their_component():
    step = {"type": "number", "description": "The length of one step in seconds. " * 3, "default": 60.0}
    schemas: dict[str, Any] = {name: {"properties": {"step": dict(step)}} for name in ("A", "B")}
    share_fields({"components": {"schemas": schemas}})
    assert schemas["Step"] == step
    assert schemas["A"] == schemas["B"] == {"properties": {"step": {"$ref": "#/components/schemas/Step"}}}


def test_a_long_schema_is_shared_with_fields_that_may_be_null_too_and_a_third_is_named_after_its_owner():
    def choose(words: list[str]) -> dict[str, Any]:
        return {"enum": words, "type": "string", "description": "How tuples queue. " * 6}

    queueing, state = choose(["shared", "random"]), choose(["busy", "idle"])
    schemas: dict[str, Any] = {
        "State": {},
        "StateChoice": {},
        "A": {"properties": {"queueing": dict(queueing), "state": dict(state)}},
        "B": {"properties": {"queueing": {"anyOf": [dict(queueing), NULL]}, "state": dict(state)}},
    }
    share_fields({"components": {"schemas": schemas}})
    shared = {"$ref": "#/components/schemas/Queueing"}
    assert schemas["Queueing"] == queueing
    assert schemas["A"]["properties"] == {
        "queueing": shared,
        "state": {"$ref": "#/components/schemas/AState"},
    }
    assert schemas["B"]["properties"]["queueing"] == {"anyOf": [shared, NULL]}
    assert schemas["AState"] == state
