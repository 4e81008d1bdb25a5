"""Sentences about outcomes say what was measured, and name a cause only where the numbers show one beside it."""

from dataclasses import replace

import pytest
from hypothesis import given

from planner.outcomes.observed import LaterInterval, Match, Observations, Promised, observe_outcome
from planner.outcomes.wording import describe_outcome
from tests.planner.outcomes.test_observed import histories

CHANGE = Promised(
    is_change=True,
    horizon_seconds=120.0,
    interval_seconds=60.0,
    expected_seconds=0.2,
    target_seconds=0.3,
    holds_up_to_rate=20.0,
)


def minute(
    at: float, match: Match = "same", sojourn: float | None = 0.2, rate: float = 10.0
) -> LaterInterval:
    return LaterInterval(60.0 * at, 60.0, rate, sojourn, match)


def say(later: list[LaterInterval], promised: Promised = CHANGE, superseded: float | None = None) -> str:
    until = max((one.begin_seconds + one.seconds for one in later), default=0.0)
    observations = Observations(later, superseded, until)
    return describe_outcome(promised, observations, observe_outcome(promised, observations))


@pytest.mark.parametrize(
    ("later", "said"),
    [
        ([minute(1), minute(2)], "The recommended processors ran from 60 s after the decision on."),
        ([minute(0), minute(1)], "The recommended processors ran from the decision on."),
        (
            [minute(0), minute(1)],
            "E[T] was within the target of 300 ms for 2 min, in all 2 measured intervals.",
        ),
        ([minute(0, sojourn=0.4), minute(1)], "E[T] was above the target of 300 ms in 1 of 2 intervals."),
        (
            [minute(0)],
            "Whether E[T] stayed within its limit over 2 min is not known yet: this time is not over.",
        ),
        (
            [minute(0), minute(3)],
            "is not known: for a part of this time E[T] with these processors was not measured.",
        ),
        (
            [minute(0, sojourn=None), minute(3)],
            "no interval in this time measured E[T] with these processors.",
        ),
        ([minute(0), minute(1, "other")], "is not known: other processors ran before its end."),
        ([minute(0, "other")], "The recommended processors have not run yet."),
        ([minute(0, "part")], "Only some operators ran their recommended processors."),
        ([], "Nothing has been measured since the decision."),
        (
            [minute(0, sojourn=0.4, rate=25.0), minute(1)],
            "up to which these processors are enough, by what was measured when it was decided.",
        ),
    ],
)
def test_what_was_seen_is_said(later: list[LaterInterval], said: str):
    assert said in say(later)


def test_the_load_is_named_only_where_it_was_above_what_the_decision_held_for():
    assert "the rate was above" not in say([minute(0, sojourn=0.4, rate=19.0), minute(1, rate=30.0)])
    unknown = replace(CHANGE, holds_up_to_rate=None)
    assert "the rate was above" not in say([minute(0, sojourn=0.4, rate=99.0)], unknown)


def test_a_search_that_ended_says_what_ended_it():
    assert "did not run before the next change was decided." in say([minute(0, "other")], CHANGE, 60.0)
    assert "did not run in the 24 h after the decision." in say([minute(0, "other"), minute(1440, "other")])
    assert "Nothing was measured before the next change was decided." in say([], CHANGE, 60.0)


def test_holding_through_a_gap_says_that_nothing_was_measured():
    hold = replace(CHANGE, is_change=False)
    observations = Observations([], None, 500.0)
    said = describe_outcome(hold, observations, observe_outcome(hold, observations))
    assert said == "Nothing was measured in the 2 min after the decision."
    assert say([], hold) == "Nothing has been measured since the decision."


def test_a_promise_above_the_target_is_named():
    for expected, said in (
        (0.5, "expected 500 ms, more than the target"),
        (None, "expected an unbounded E[T]"),
    ):
        assert said in say([minute(0), minute(1)], replace(CHANGE, expected_seconds=expected))
    assert "itself expected" not in say([minute(0), minute(1)])


def test_a_promise_without_a_target_is_compared_on_average():
    promise = replace(CHANGE, target_seconds=None)
    assert (
        "E[T] was 200 ms on average, at most 230 ms: that is 15% above the expected 200 ms, the most"
        in say([minute(0), minute(1)], promise)
    )
    assert "on average, above 230 ms" in say([minute(0, sojourn=9.0), minute(1)], promise)
    endless = replace(promise, expected_seconds=None)
    assert "expected no bounded E[T]" in say([minute(0), minute(1)], endless)


@given(histories())
def test_a_verdict_and_its_sentence_agree(history: tuple[Promised, Observations]):
    promised, observations = history
    found = observe_outcome(promised, observations)
    text = describe_outcome(promised, observations, found)
    assert text.endswith(".")
    assert ("is not known" in text) == (
        found.kept is None and found.state in {"applied", "held"} and promised.limit_seconds is not None
    )
