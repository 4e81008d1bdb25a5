"""A described load: its values, and the time that it covers."""

import pytest
from pydantic import ValidationError

from app.load.bodies.load import FPD_LOAD, LoadBody
from planner.values import OperatorLoad


def test_every_measurement_reaches_the_planner():
    load = LoadBody.model_validate_json(
        '{"external_rate": 3, "measured_sojourn_seconds": 0.5, "operators": {"a": {"service_rate": 8, '
        '"arrival_rate": 4, "arrival_scv": 1.5, "service_scv": 0.5, "processors": 2}, "b": {}}}'
    ).to_values()
    assert (load.external_rate, load.measured_sojourn_seconds) == (3.0, 0.5)
    assert load.operators == {"a": OperatorLoad(8.0, 4.0, 1.5, 0.5, 2), "b": OperatorLoad()}


@pytest.mark.parametrize("covered", [60.5, 61.0, 31_536_000.0])
def test_a_load_covers_no_more_than_its_window(covered: float):
    with pytest.raises(ValidationError, match="at most window_seconds, which is 60"):
        LoadBody.model_validate(FPD_LOAD | {"observed_at": None, "covered_seconds": covered})


def test_a_load_may_cover_its_whole_window():
    body = LoadBody.model_validate(FPD_LOAD | {"observed_at": None, "covered_seconds": 60.0})
    assert body.covered_seconds == body.window_seconds
