"""openapi.yaml: its size, its names, its references and its examples."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.main import ROUTERS
from app.pages.openapi_document import name_operation
from app.web.problems.problem_kinds import KINDS

COMMITTED = Path(__file__).parents[3] / "openapi.yaml"
MOST_BYTES = 300_000

Document = dict[str, Any]


@pytest.fixture(scope="module")
def document() -> Document:
    read: Document = yaml.load(COMMITTED.read_text(), Loader=yaml.CSafeLoader)
    return read


def list_operations(document: Document) -> Iterator[Document]:
    return (operation for operations in document["paths"].values() for operation in operations.values())


def list_references(part: Any) -> Iterator[str]:
    """Every `$ref`, and the references in a discriminator's mapping."""
    if isinstance(part, str) and part.startswith("#/components/"):
        yield part
    elif isinstance(part, dict | list):
        for value in part.values() if isinstance(part, dict) else part:
            yield from list_references(value)


def resolve(document: Document, part: Any) -> Any:
    """The part, or what it refers to."""
    while "$ref" in part:
        keys, part = part["$ref"].removeprefix("#/").split("/"), document
        for key in keys:
            part = part[key]
    return part


def list_examples(part: Any) -> Iterator[Any]:
    """The value of every example of the document, those inside of bodies and answers too."""
    if isinstance(part, list):
        for inner in part:
            yield from list_examples(inner)
    elif isinstance(part, dict):
        if isinstance(part.get("examples"), dict):
            yield from (one["value"] for one in part["examples"].values() if "value" in one)
        for inner in part.values():
            yield from list_examples(inner)


def test_the_document_is_small_enough_to_be_read():
    assert len(COMMITTED.read_bytes()) <= MOST_BYTES


def test_every_reference_resolves_and_every_component_is_used(document: Document):
    references = set(list_references(document))
    for reference in references:
        assert resolve(document, {"$ref": reference}), reference
    for kind in ("schemas", "responses", "parameters"):
        for name in document["components"][kind]:
            assert f"#/components/{kind}/{name}" in references, f"{kind} {name} is used nowhere"


def test_operation_ids_are_unique_camel_case_and_short(document: Document):
    ids = [operation["operationId"] for operation in list_operations(document)]
    assert len(ids) == len(set(ids))
    for name in ids:
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]+){0,4}", name), name


def test_operation_ids_are_the_names_of_the_routes_functions(document: Document):
    functions = [
        route for router in ROUTERS for route in router.routes if getattr(route, "include_in_schema", 0)
    ]
    assert {name_operation(route) for route in functions} == {  # type: ignore[arg-type]  # all are API routes
        operation["operationId"] for operation in list_operations(document)
    }


def test_schema_names_are_words_without_the_suffixes_of_classes(document: Document):
    names = set(document["components"]["schemas"])
    for name in names:
        assert re.fullmatch(r"([A-Z][a-z]*)+", name), name
        assert not name.startswith("App"), name
        assert not name.endswith(("Input", "Output")), name
        for suffix in ("Answer", "Body"):
            assert not name.endswith(suffix) or name.removesuffix(suffix) in names, name
    assert {"Plan", "Decision", "Load", "Topology", "Policy", "Gate", "Estimate", "Recommendation"} <= names


def test_an_example_that_is_used_once_stands_where_it_is_used(document: Document):
    references = list(list_references(document))
    for name in document["components"]["examples"]:
        assert references.count(f"#/components/examples/{name}") != 1, name


def list_problems(document: Document) -> list[Document]:
    """The examples of problems."""
    return [
        one for one in list_examples(document) if isinstance(one, dict) and "status" in one and "title" in one
    ]


def test_every_problem_type_has_exactly_one_example(document: Document):
    types = [one["type"] for one in list_problems(document)]
    assert sorted(types) == sorted({kind.type for kind in KINDS.values()})


def test_problem_examples_are_what_the_table_says(document: Document):
    kinds = {kind.type: kind for kind in KINDS.values()}
    for body in list_problems(document):
        kind = kinds[body["type"]]
        assert (body["status"], body["title"]) == (kind.status, kind.title)
        assert "the text says what to change" not in body["detail"]
        # The key of a repeated request is no place in the body.
        has_places = body["status"] == 422 and kind.type != "idempotency-key-reused"
        assert ("errors" in body) == has_places, kind.type


def test_no_schema_repeats_an_example_of_a_body(document: Document):
    shown = list(list_examples(document))
    for name, schema in document["components"]["schemas"].items():
        assert not any(one in shown for one in schema.get("examples", [])), name


def test_a_refusal_lists_its_problem_types_and_shows_an_example_of_each(document: Document):
    for operation in list_operations(document):
        for status, response in operation["responses"].items():
            if status < "400" or status == "default":
                continue
            shared = resolve(document, response)
            types = (response.get("description") or shared["description"]).split(", ")
            shown = shared["content"]["application/problem+json"]["examples"]
            assert set(types) <= set(shown), operation["operationId"]
            for kind in types:
                assert resolve(document, shown[kind])["value"]["status"] == int(status)


def test_one_shared_response_stands_for_the_refusals_of_any_call(document: Document):
    """401, 403 and 503 `overloaded` are the same everywhere, and so are 413 and 415 of every body."""
    shared = document["components"]["responses"]["Refused"]
    for kind, example in shared["content"]["application/problem+json"]["examples"].items():
        assert f"{resolve(document, example)['value']['status']} {kind}" in shared["description"]
    for operation in list_operations(document):
        refused = operation["responses"].get("default")
        assert refused == {"$ref": "#/components/responses/Refused"} or operation["tags"] == ["health"]
