"""Which quantiles can be asked for, and how a wrong one is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.load.bodies.terms import QuantileTerms


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 2.0])
def test_a_level_outside_of_0_and_1_is_refused_and_told_what_a_level_means(level: float):
    with pytest.raises(
        ValidationError, match=r"must be at least 0.000001 and below 1, and is .*99 of 100 external tuples"
    ):
        QuantileTerms.model_validate({"quantiles": [0.5, level]})


def test_a_percentage_is_refused_with_the_part_that_it_means():
    with pytest.raises(ValidationError, match=r"is 99.9 \(p99.9 is 0.999\)"):
        QuantileTerms.model_validate({"quantiles": [99.9]})


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"quantiles": [0.5, 0.9, 0.5]}, "has 0.5 twice: give each quantile once"),
        ({"quantiles": []}, "at least 1 item"),
        ({"quantiles": [n / 100 for n in range(1, 22)]}, "at most 20 items"),
        ({"quantiles": [0.5], "roots": 10}, "greater than or equal to 1000"),
        ({"quantiles": [0.5], "roots": 10_000_000}, "less than or equal to 1000000"),
        ({"quantiles": [0.5], "seed": -1}, "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(terms: dict[str, Any], said: str):
    with pytest.raises(ValidationError, match=said):
        QuantileTerms.model_validate(terms)


def test_only_quantiles_take_long():
    assert not QuantileTerms().is_long
    assert QuantileTerms(quantiles=[0.5]).is_long
