"""The fields of a stored call: one way to smooth, or none."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.load.bodies.terms import EwmaSmoothing, Measured, WindowSmoothing


def test_left_out_the_newest_snapshot_alone_is_used():
    assert Measured.model_validate({}).smoothing is None


def test_the_kind_tells_what_the_smoothing_has():
    for body, expected in (
        ({"kind": "window", "size": 6}, WindowSmoothing(kind="window", size=6)),
        ({"kind": "ewma", "alpha": 0.5}, EwmaSmoothing(kind="ewma", alpha=0.5)),
    ):
        assert Measured.model_validate({"smoothing": body}).smoothing == expected


@pytest.mark.parametrize(
    "smoothing",
    [
        {"kind": "window", "alpha": 0.5},
        {"kind": "window", "size": 0},
        {"kind": "ewma", "alpha": 1.0},
        {"kind": "ewma", "alpha": -0.1},
        {"kind": "mean"},
        {"size": 6},
    ],
)
def test_another_smoothing_is_refused(smoothing: dict[str, Any]):
    with pytest.raises(ValidationError):
        Measured.model_validate({"smoothing": smoothing})
