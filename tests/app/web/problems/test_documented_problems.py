"""Which problems an operation documents, and under which names they are shared."""

from typing import Any

import pytest

from app.web.problems.documented_problems import (
    ANY_CALL,
    BODY,
    LEAST_USES,
    document_problems,
    name_response,
    share_problems,
)
from app.web.problems.problem_kinds import KINDS


def test_the_problems_of_any_call_are_documented_without_being_named():
    described = ", ".join(response["description"] for response in document_problems().values())
    assert set(described.split(", ")) == set(ANY_CALL)


@pytest.mark.parametrize(
    "types", [("unknown-topology",), BODY, ("no-snapshot", "stored-data-unusable", "not-ready")]
)
def test_every_named_type_stands_once_at_its_own_status(types: tuple[str, ...]):
    by_status = document_problems(*types)
    for name in types:
        [status] = {kind.status for kind in KINDS.values() if kind.type == name}
        assert by_status[status]["description"].split(", ").count(name) == 1
    assert sum(len(one["description"].split(", ")) for one in by_status.values()) == len({*types, *ANY_CALL})


def test_a_shared_response_is_named_after_its_type():
    assert name_response("unknown-vm-catalogue") == "UnknownVmCatalogue"


def test_operations_refer_to_shared_responses_and_an_own_one_stands_for_a_type_of_many():
    own = {"description": "Validation Error", "content": {"application/json": {}}}
    many = {"description": "invalid-request, invalid-topology, invalid-load"}
    responses = {"200": {"description": "OK"}, "404": {"description": "unknown-plan"}, "422": own}
    document: dict[str, Any] = {
        "paths": {"/a": {"get": {"responses": responses}}, "/b": {"get": {"responses": {"422": many}}}}
        | {
            f"/{number}": {"get": {"responses": {"404": {"description": "unknown-topology"}}}}
            for number in range(LEAST_USES)
        },
        "components": {},
    }
    share_problems(document)
    assert responses == {
        "200": {"description": "OK"},
        "404": {"$ref": "#/components/responses/Unknown", "description": "unknown-plan"},
        "default": {"$ref": "#/components/responses/Refused"},
    }, "422 invalid-request is among the refusals of any call"
    second = document["paths"]["/b"]["get"]["responses"]["422"]
    assert second == {
        "$ref": "#/components/responses/Unprocessable",
        "description": "invalid-topology, invalid-load",
    }
    assert document["paths"]["/0"]["get"]["responses"]["404"] == {
        "$ref": "#/components/responses/UnknownTopology"
    }
    components = document["components"]
    assert set(components["responses"]) == {"Refused", "Unknown", "UnknownTopology", "Unprocessable"}
    assert set(components["examples"]) == {kind.type for kind in KINDS.values()}
