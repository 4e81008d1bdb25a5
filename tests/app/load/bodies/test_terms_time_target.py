"""Targets as JSON: what they mean, and how contradictions are refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.load.bodies.terms import TargetTerms
from planner.values import TimeTarget

P99: dict[str, Any] = {"of": "completion", "quantile": 0.99, "seconds": 0.5}


@pytest.mark.parametrize(
    ("terms", "target"),
    [
        ({}, None),
        ({"t_max_seconds": 0.5}, TimeTarget("total", 0.5)),
        ({"target": P99}, TimeTarget("completion", 0.5, 0.99)),
        ({"target": P99 | {"of": "total", "quantile": None}}, TimeTarget("total", 0.5)),
    ],
)
def test_terms_have_one_target_or_none(terms: dict[str, Any], target: TimeTarget | None):
    assert TargetTerms.model_validate(terms).find_target() == target


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"t_max_seconds": 0.5, "target": P99}, "give t_max_seconds or target, not both"),
        ({"target": P99 | {"quantile": 1.0}}, "must be at least 0.000001 and below 1"),
        ({"target": P99 | {"of": "sojourn"}}, "'completion' or 'total'"),
        ({"target": P99 | {"seconds": 0.0}}, "greater than or equal to 0.000000000000001"),
        ({"target": {"of": "total", "seconds": 1.0}}, "Field required"),
    ],
)
def test_a_contradiction_is_refused(terms: dict[str, Any], said: str):
    with pytest.raises(ValidationError, match=said):
        TargetTerms.model_validate(terms)
