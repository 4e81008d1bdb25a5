"""The outcome of a decision as JSON: times that no calendar has are unknown."""

from datetime import UTC, datetime

import pytest

from app.deciding.outcomes.answers import date
from app.deciding.outcomes.gathering import AskedDecision

END = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "found"),
    [(90.5, datetime(2026, 11, 18, 0, 1, 30, 500_000, UTC)), (None, None), (1e12, None), (1e300, None)],
)
def test_a_time_beyond_the_calendar_is_unknown(seconds: float | None, found: datetime | None):
    asked = AskedDecision(
        is_change=True,
        decided_for=END,
        before_seconds=None,
        horizon_seconds=60.0,
        current={},
        recommended={},
        measured_from=END,
    )
    assert date(asked, seconds) == found
