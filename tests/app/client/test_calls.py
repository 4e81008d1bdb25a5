"""What the client sends is what openapi.yaml says."""

import inspect
from typing import Any

import pytest

from app.client import calls
from app.client.clients import Methods
from tests.app.client_calls import MADE, find_operation, list_kinds, resolve


def list_functions() -> dict[str, Any]:
    found = inspect.getmembers(calls, inspect.isfunction)
    return {name: one for name, one in found if one.__module__ == calls.__name__ and name != "at"}


def test_every_call_is_a_method_of_the_clients_and_is_tried_here():
    offered = {name for name in vars(Methods) if not name.startswith("_")}
    assert set(list_functions()) == offered == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_a_request_is_one_that_the_service_takes(name: str):
    call = MADE[name]
    operation = find_operation(call)
    parameters = [resolve(one) for one in operation.get("parameters", [])]
    assert set(call.query) <= {one["name"] for one in parameters if one["in"] == "query"}
    takes_key = "idempotency-key" in {one["name"].lower() for one in parameters}
    assert call.stores == takes_key, "what stores has a key by which its repetition is known"
    if isinstance(call.body, dict):
        kinds = list_kinds(operation["requestBody"]["content"]["application/json"]["schema"])
        assert any(set(call.body) <= set(kind.get("properties", {})) for kind in kinds), call.body
    assert (call.body is None) is ("requestBody" not in operation)
