"""Parts of policies: their values for the planner, and what they refuse."""

import pytest
from pydantic import ValidationError

from app.deciding.policy_parts import MaxStepBody, Prices


def test_a_late_minute_is_priced_in_processor_minutes():
    assert Prices(processor_hour=0.05, late_minute=2.0).late_minute_price == pytest.approx(2_400.0)


@pytest.mark.parametrize("step", [{"up": 1.0}, {"down": 1.0}, {"down": -0.1}])
def test_a_step_leaves_room_to_change(step: dict[str, float]):
    with pytest.raises(ValidationError):
        MaxStepBody(**step)
