"""Targets behind one protocol: the margin has the sign of the comparison, the sentences name the limit."""

from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import TargetUnreachable
from planner.situations.situation import assess_counts, scale_load, survey_load
from planner.targets.target import (
    SojournTarget,
    compare_seconds,
    find_margin,
    is_met,
    place_seconds,
)
from planner.values import Load, Topology
from tests.planner.gate_cases import FPD, RUNNING, cases, measure

COUNTS = list(RUNNING.values())


@given(cases(), st.floats(0.001, 10.0))
def test_the_margin_is_not_negative_exactly_where_the_time_is_within_the_target(
    case: tuple[Topology, Load], seconds: float
):
    topology, load = case
    situation = survey_load(topology, load, "ggk-whitt")
    counts = [one.processors or 1 for one in load.operators.values()]
    expected = assess_counts(situation, counts).expected_sojourn_seconds
    target = SojournTarget(seconds)
    assert target.find_seconds(situation, counts) == expected
    assert is_met(target, situation, counts) == (expected is not None and expected <= seconds)


def test_a_target_of_the_sojourn_itself_is_met_and_the_next_number_below_is_not():
    situation = survey_load(FPD, measure(), "mmk")
    exact = SojournTarget(1.0).find_seconds(situation, COUNTS)
    assert exact is not None
    assert is_met(SojournTarget(exact), situation, COUNTS)
    assert not is_met(SojournTarget(nextafter(exact, 0.0)), situation, COUNTS)
    assert find_margin(SojournTarget(0.5), situation, [1, 1, 1]) == -2.0


def test_the_fewest_processors_meet_the_target_and_without_input_the_least_ones_do():
    situation = survey_load(FPD, measure(), "ggk-whitt")
    target = SojournTarget(0.07)
    found = target.find_fewest(situation)
    assert is_met(target, situation, found)
    idle = scale_load(situation, 0.0)
    assert SojournTarget(0.07).find_fewest(idle) == [1, 1, 1]
    with pytest.raises(TargetUnreachable):
        SojournTarget(0.001).find_fewest(idle)


def test_sentences_name_the_time_and_its_limit():
    target = SojournTarget(0.2)
    assert compare_seconds(target, 0.18) == "E[T] is 180 ms by the estimate, within the target of 200 ms"
    assert compare_seconds(target, None) == (
        "E[T] grows without limit, as by the estimate an operator cannot keep up: above the target of 200 ms"
    )
    assert compare_seconds(target, 0.20004) == "E[T] is 200.04 ms by the estimate, above the target of 200 ms"


@pytest.mark.parametrize(
    ("seconds", "place", "found", "limit"),
    [
        (0.3, "target-missed", "300 ms", "200 ms"),
        (None, "target-missed", "unbounded", "200 ms"),
        (0.2, "within-target", "200 ms", "200 ms"),
        (0.1, "within-target", "100 ms", "200 ms"),
        (0.05, "below-t-min", "50 ms", "100 ms"),
    ],
)
def test_a_time_lies_above_between_or_below(seconds: float | None, place: str, found: str, limit: str):
    assert place_seconds(SojournTarget(0.2), seconds, 0.1) == (place, found, limit)
    assert place_seconds(SojournTarget(0.2), 0.05, None)[0] == "within-target"
