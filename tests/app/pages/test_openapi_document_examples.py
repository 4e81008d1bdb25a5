"""The example answers in the document are what the service answers to the example bodies."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from app.pages.openapi_document import round_numbers

DOCUMENT = Path(__file__).parents[3] / "openapi.yaml"


@pytest.mark.parametrize(
    ("path", "operation", "answer"),
    [
        ("/v1/estimate", "estimate", "estimate-answer"),
        ("/v1/plans/min-latency", "planMinLatency", "min-latency-answer"),
    ],
)
def test_the_example_answer_is_the_answer_to_the_example(
    client: httpx.Client, path: str, operation: str, answer: str
):
    examples = yaml.load(DOCUMENT.read_text(), Loader=yaml.CSafeLoader)["components"]["examples"]
    computed = client.post(path, json=examples[f"{operation}-fpd"]["value"]).json()
    assert drop_nulls(round_numbers(computed)) == examples[answer]["value"]


def drop_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: drop_nulls(one) for name, one in value.items() if one is not None}
    return [drop_nulls(one) for one in value] if isinstance(value, list) else value


def test_numbers_are_cut_to_six_digits_and_nothing_else_changes():
    assert round_numbers({"a": [0.123456789, 12345678.9, 3, True, "0.123456789"], "b": None}) == {
        "a": [0.123457, 12345700.0, 3, True, "0.123456789"],
        "b": None,
    }
