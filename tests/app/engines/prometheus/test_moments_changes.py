"""app/engines/prometheus/moments.py: no rate over a rescale is used."""

import pytest

from app.engines.prometheus.moments import Moment, Values, find_changes


def at(second: float, values: Values) -> Moment:
    """One operator at a time, with a window of a minute."""
    served: Values = {"served_rate": 1.0}
    return Moment(second, {60.0}, operators={"a": served | values})


@pytest.mark.parametrize(
    ("values", "changed"),
    [
        ({"processors": 4.0, "unchanged_processors": 4.0}, False),
        ({"processors": 4.0, "unchanged_processors": 1.0}, True),
        ({"processors": 4.0}, True),  # count(x and x offset 1m) has no answer where nothing is unchanged
        ({}, True),  # the job has ended: its rates go on for a window
    ],
)
def test_instances_that_ran_all_the_time_are_compared(values: Values, *, changed: bool):
    assert find_changes([at(100, values)], is_asked=True) == ({100: "instances-changed"} if changed else {})


def test_processors_are_compared_within_the_window():
    counts = {0: 6.0, 30: 6.0, 60: 6.0, 90: 4.0, 120: 4.0, 150: 4.0, 180: None, 210: 4.0}
    found = find_changes(
        [at(second, {"processors": count}) for second, count in counts.items()], is_asked=False
    )
    assert found == {0: "start-not-seen", 30: "start-not-seen"} | dict.fromkeys(
        [90, 120, 180, 210], "instances-changed"
    )


def test_one_time_alone_shows_no_change():
    assert find_changes([at(100, {"processors": 4.0})], is_asked=False) is None
    assert find_changes([at(100, {}), at(160, {})], is_asked=False) is None
