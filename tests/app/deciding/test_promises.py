"""Which E[T] a stored decision promised."""

import pytest

from app.deciding.promises import find_promised_seconds


@pytest.mark.parametrize(
    ("answer", "promised"),
    [
        ({"expected_sojourn_seconds": 0.2}, 0.2),
        ({"expected_sojourn_seconds": 0.2, "corrected_sojourn_seconds": None}, 0.2),
        ({"expected_sojourn_seconds": 0.2, "corrected_sojourn_seconds": 0.5}, 0.5),
        ({"expected_sojourn_seconds": None, "corrected_sojourn_seconds": None}, None),
    ],
)
def test_measured_waits_count_where_they_could_be_compared(
    answer: dict[str, float | None], promised: float | None
):
    assert find_promised_seconds(answer) == promised
