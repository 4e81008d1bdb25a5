"""The fields that several requests share have the same limits in each."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.load.bodies.terms import Beta, Described, KMax, ProcessorCounts, TMax
from app.web.fields import MOST_BUDGET


@pytest.mark.parametrize(
    ("kind", "least", "beyond"),
    [
        (KMax, 1, 0),
        (KMax, MOST_BUDGET, MOST_BUDGET + 1),
        (TMax, 1e-9, 0.0),
        (TMax, 1e15, 1.1e15),
        (Beta, 1e-9, 0.0),
        (Beta, 0.999, 1.0),
        (ProcessorCounts, {"a": 1}, {"a": 0}),
    ],
)
def test_a_field_ends_at_its_limit(kind: Any, least: Any, beyond: Any):
    field = TypeAdapter(kind)
    assert field.validate_python(least) == least
    with pytest.raises(ValidationError):
        field.validate_python(beyond)


def test_without_a_model_whitts_is_taken():
    body = Described.model_validate(
        {
            "topology": {"operators": [{"name": "a"}]},
            "load": {"external_rate": 1.0, "operators": {"a": {"service_rate": 2.0}}},
        }
    )
    assert body.model == "ggk-whitt"
