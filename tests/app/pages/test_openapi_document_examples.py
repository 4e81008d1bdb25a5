"""The example answers in the document are what the service answers to the example bodies."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from app.pages.openapi_document import round_numbers

DOCUMENT = Path(__file__).parents[3] / "openapi.yaml"


@pytest.mark.parametrize(
    ("path", "answer"), [("/v1/estimate", "estimate-answer"), ("/v1/plans/min-latency", "min-latency-answer")]
)
def test_the_example_answer_is_the_answer_to_the_example(client: httpx.Client, path: str, answer: str):
    document = yaml.load(DOCUMENT.read_text(), Loader=yaml.CSafeLoader)
    [shown] = document["paths"][path]["post"]["requestBody"]["content"]["application/json"][
        "examples"
    ].values()
    computed = client.post(path, json=shown["value"]).json()
    assert drop_nulls(round_numbers(computed)) == document["components"]["examples"][answer]["value"]


def drop_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: drop_nulls(one) for name, one in value.items() if one is not None}
    return [drop_nulls(one) for one in value] if isinstance(value, list) else value


def test_numbers_are_cut_to_six_digits_and_nothing_else_changes():
    assert round_numbers({"a": [0.123456789, 12345678.9, 3, True, "0.123456789"], "b": None}) == {
        "a": [0.123457, 12345700.0, 3, True, "0.123456789"],
        "b": None,
    }
