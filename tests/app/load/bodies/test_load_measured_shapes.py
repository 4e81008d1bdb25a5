"""What must hold for measured bursts, shares of instances and histograms of services."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.load.bodies.load import OperatorLoadBody


def idc(*windows: float) -> list[dict[str, float]]:
    return [{"window_seconds": window, "idc": 2.0} for window in windows]


def shares(*parts: float) -> list[dict[str, Any]]:
    return [{"instance": f"i{place}", "share": part} for place, part in enumerate(parts)]


def buckets(*pairs: tuple[float, int]) -> list[dict[str, float]]:
    return [{"upper_seconds": upper, "count": count} for upper, count in pairs]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("arrival_idc", idc(1.0), "has only one window_seconds"),
        ("arrival_idc", idc(1.0, 2.0, 1.0), "has the same window_seconds twice"),
        ("instances", shares(0.5, 0.4), "the shares add up to 0.9, not to 1"),
        ("instances", shares(0.7, 0.4), "the shares add up to 1.1, not to 1"),
        ("instances", [*shares(0.5), *shares(0.5)], "has the same instance twice"),
        ("service_histogram", buckets((0.1, 1), (0.1, 2)), "upper_seconds must rise"),
        ("service_histogram", buckets((0.1, 0), (0.2, 0)), "has no service in any bucket"),
        (
            "service_histogram",
            buckets((0.001, 5), (0.1, 2)),
            "has a gap: the bucket up to 0.1 s begins at 0.001 s",
        ),
    ],
)
def test_what_contradicts_itself_is_refused_with_what_to_change(field: str, value: object, said: str):
    with pytest.raises(ValidationError, match=said):
        OperatorLoadBody.model_validate({field: value})


def test_an_empty_bucket_may_be_wide_and_so_may_the_first():
    wide = buckets((1.0, 5), (100.0, 0), (200.0, 1))
    assert len(OperatorLoadBody.model_validate({"service_histogram": wide}).service_histogram) == 3


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=20, unique=True))
def test_windows_come_in_their_order(windows: list[float]):
    read = OperatorLoadBody.model_validate({"arrival_idc": idc(*windows)}).to_values()
    assert [point.window_seconds for point in read.arrival_idc] == sorted(windows)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30))
def test_shares_that_add_up_come_with_the_largest_first(parts: list[int]):
    total = sum(parts)
    read = OperatorLoadBody.model_validate(
        {"instances": shares(*(part / total for part in parts))}
    ).to_values()
    assert [one.share for one in read.instances] == sorted((part / total for part in parts), reverse=True)
