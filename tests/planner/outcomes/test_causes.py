"""Of what was measured while E[T] was too long, only what makes E[T] longer is named, the largest change first."""

from dataclasses import replace
from typing import Any

import pytest

from planner.outcomes.causes import CAUSES, MOST_COMPARED, Compared, describe_causes, is_longer, list_causes
from planner.outcomes.observed import ObservedOutcome, Promised
from planner.values import IdcPoint, Load, OperatorLoad

PROMISED = Promised(
    is_change=False,
    horizon_seconds=1800.0,
    interval_seconds=60.0,
    expected_seconds=0.217,
    target_seconds=0.35,
)
MISSED = ObservedOutcome("held", 0.0, 1800.0, 0.416, 0.6, 30, 27, 0)
SCORE = OperatorLoad(34.0, 160.0, 1.0, 1.4, arrival_idc=(IdcPoint(1.0, 2.0),))
THEN = Load(100.0, {"parse": OperatorLoad(60.0, 100.0), "score": SCORE})


def change(**fields: Any) -> Load:
    """The load of then with other measurements of `score`."""
    return replace(THEN, operators={**THEN.operators, "score": SCORE._replace(**fields)})


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (change(service_rate=24.5), "one processor of score served 24.5/s instead of 34/s"),
        (
            change(arrival_rate=210.0),
            "score received 2.1 tuples for each one from outside instead of 1.6",
        ),
        (change(arrival_scv=4.0), "tuples reached score less evenly (an SCV of 4 instead of 1)"),
        (
            change(arrival_idc=(IdcPoint(1.0, 12.0),)),
            "tuples reached score in larger bursts (an index of dispersion of 12 instead of 2)",
        ),
        (change(service_scv=3.0), "services of score varied more (an SCV of 3 instead of 1.4)"),
    ],
)
def test_each_cause_is_named_with_both_numbers(now: Load, said: str) -> None:
    expected = f"In these intervals {said}: this is compared with what was measured when it was decided."
    assert describe_causes(PROMISED, MISSED, Compared(THEN, now)) == [expected]
    assert list_causes(now, THEN) == [], "the other way round E[T] would become shorter"


def test_the_test_above_has_every_cause_of_the_table() -> None:
    assert len(CAUSES) == 5


def test_more_from_outside_is_a_cause_unless_it_is_said_already() -> None:
    now = replace(THEN, external_rate=130.0, operators={})
    assert list_causes(THEN, now) == ["the rate was 130/s instead of 100/s"]
    beyond = replace(MISSED, missed_beyond_rate=27)
    assert describe_causes(PROMISED, beyond, Compared(THEN, now)) == []


def test_the_largest_changes_come_first_and_small_ones_are_no_causes() -> None:
    now = Load(
        104.0,
        {
            "parse": OperatorLoad(50.0, 104.0),
            "score": SCORE._replace(service_rate=17.0, arrival_rate=330.0, service_scv=2.0),
            "new": SCORE,
        },
    )
    named = list_causes(THEN, now)
    assert [one.split(" served")[0].split(" received")[0] for one in named] == [
        "one processor of score",
        "score",
        "one processor of parse",
    ]
    four = describe_causes(
        PROMISED, MISSED, Compared(THEN, replace(now, external_rate=106.0, operators=now.operators))
    )
    assert "; and 1 more of such changes: " in four[0]


def test_nothing_that_differs_is_said_too_and_nothing_is_said_of_what_is_not_known() -> None:
    same = describe_causes(PROMISED, MISSED, Compared(THEN, THEN))
    assert same == [
        "In these intervals rates, services and bursts were measured about as when it was decided."
    ]
    for compared in (None, Compared(None, THEN), Compared(THEN, None)):
        assert describe_causes(PROMISED, MISSED, compared) == []


def test_what_waited_already_when_it_was_decided_is_named_where_nothing_else_differs() -> None:
    piled = replace(THEN, measured_sojourn_seconds=67.6)
    (said,) = describe_causes(PROMISED, MISSED, Compared(piled, THEN))
    assert said.startswith("E[T] was 67.6 s when it was decided: tuples that waited then")
    other = describe_causes(PROMISED, MISSED, Compared(piled, change(service_rate=24.5)))
    assert "67.6 s" not in other[0]


def test_a_longer_time_within_the_target_has_a_cause_too() -> None:
    kept = replace(MISSED, missed=0, kept=True)
    assert is_longer(PROMISED, kept)
    said = describe_causes(PROMISED, kept, Compared(THEN, change(service_rate=24.5)))
    assert said[0].startswith(
        "E[T] was on average 92% above the expected one. In this time one processor of score served"
    )
    assert not is_longer(replace(PROMISED, expected_seconds=0.4), kept)
    assert not is_longer(replace(PROMISED, expected_seconds=None), kept)


def test_of_many_intervals_the_worst_are_compared_and_the_sentence_says_so() -> None:
    many = replace(MISSED, missed=MOST_COMPARED + 1)
    said = describe_causes(PROMISED, many, Compared(THEN, change(service_rate=24.5)))
    assert said[0].startswith("In the 60 of these intervals with the longest E[T] one processor")
    one = describe_causes(PROMISED, replace(MISSED, missed=1), Compared(THEN, change(service_rate=24.5)))
    assert one[0].startswith("In this interval one processor")
