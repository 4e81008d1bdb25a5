"""app/engines/prometheus/moments.py: what was measured at each time."""

from app.engines.prometheus.moments import find_external, find_sources, make_moments
from app.engines.prometheus.signals import Points, Role, Signal


def make(role: Role, operator: str | None, points: Points, job: str | None = None) -> Signal:
    """A signal over a minute."""
    return Signal(role, operator, None, job, 60.0, points)


def test_points_within_a_second_are_of_one_time():
    moments = make_moments(
        [make("served_rate", "a", {10.0: 1.0, 75.2: 2.0}), make("busy_processors", "a", {75.9: 0.5})]
    )
    assert [moment.at for moment in moments] == [10.0, 75.9]
    assert moments[1].operators == {"a": {"served_rate": 2.0, "busy_processors": 0.5}}
    assert moments[1].window == 60.0


def test_rates_add_up_and_means_do_not():
    moments = make_moments(
        [
            make("arrival_rate", "a", {9: 1.0}),
            make("arrival_rate", "a", {9: 2.0}),
            make("service_rate", "a", {9: 5.0}),
            make("service_rate", "a", {9: 7.0}),
        ]
    )
    assert moments[0].operators["a"] == {"arrival_rate": 3.0, "service_rate": None}
    assert moments[0].doubled == {"a"}


def test_a_sum_with_an_unknown_part_or_out_of_bounds_is_unknown():
    unknown = make_moments([make("arrival_rate", "a", {9: 1.0}), make("arrival_rate", "a", {9: None})])
    huge = make_moments([make("arrival_rate", "a", {9: 9e14}), make("arrival_rate", "a", {9: 9e14})])
    assert unknown[0].find("a", "arrival_rate") is None
    assert huge[0].find("a", "arrival_rate") is None


def test_a_source_takes_in_nothing():
    moments = make_moments(
        [
            make("served_rate", "Source:_a", {9: 0.0}),
            make("sent_rate", "Source:_a", {9: 5.0}),
            make("served_rate", "Source:_b", {9: 0.0}),
            make("sent_rate", "Source:_b", {9: 2.0}),
            make("busy_processors", "Source:_b", {9: 0.1}),
            make("served_rate", "idle", {9: 0.0}),
            make("served_rate", "parse", {9: 7.0}, "j"),
        ]
    )
    assert find_sources(moments) == {"Source:_a": True, "Source:_b": False}
    assert find_external(moments[0], find_sources(moments), ["parse"]) == 7.0
    assert moments[0].jobs == {"j"}


def test_the_external_rate_may_be_asked_for_or_be_that_of_the_only_operator():
    asked = make_moments([make("external_rate", None, {9: 3.0}), make("arrival_rate", "a", {9: 5.0})])[0]
    alone = make_moments([make("arrival_rate", "a", {9: 5.0})])[0]
    assert find_external(asked, {}, ["a"]) == 3.0
    assert find_external(alone, {}, ["a"]) == 5.0
    assert find_external(alone, {}, ["a", "b"]) is None
    assert find_external(alone, {"Source:_x": True}, ["a"]) is None
