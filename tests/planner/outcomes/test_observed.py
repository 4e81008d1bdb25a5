"""Outcomes against a minute-by-minute reading of their own, and laws: more E[T] or more gaps never make them better."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.outcomes.observed import (
    LaterInterval,
    Match,
    Observations,
    ObservedOutcome,
    Promised,
    compare_processors,
    observe_outcome,
)

LENGTH = 60.0
matches: st.SearchStrategy[Match] = st.sampled_from(
    ["same", "same", "same", "same", "other", "part", "unknown"]
)
sojourns = st.sampled_from([None, 0.1, 0.2, 0.3, 0.4])


@st.composite
def histories(draw: st.DrawFn) -> tuple[Promised, Observations]:
    """A decision and the minutes after it, some of them not measured."""
    minutes = draw(st.lists(st.tuples(st.booleans(), matches, sojourns, st.integers(0, 3)), max_size=12))
    later = [
        LaterInterval(LENGTH * place, LENGTH, 10.0 * rate, sojourn, match)
        for place, (is_there, match, sojourn, rate) in enumerate(minutes)
        if is_there
    ]
    promised = Promised(
        is_change=draw(st.booleans()),
        horizon_seconds=LENGTH * draw(st.integers(1, 5)),
        interval_seconds=LENGTH,
        expected_seconds=draw(st.sampled_from([None, 0.2, 0.25])),
        target_seconds=draw(st.sampled_from([None, 0.2, 0.35])),
        known_error=draw(st.sampled_from([None, 0.0, 0.5])),
        holds_up_to_rate=draw(st.sampled_from([None, 15.0])),
    )
    superseded = draw(st.none() | st.integers(0, 12))
    until = later[-1].begin_seconds + LENGTH if later else None
    return promised, Observations(later, None if superseded is None else LENGTH * superseded, until)


def read_minutes(promised: Promised, observations: Observations) -> dict[str, Any]:
    """The outcome read off minute by minute, with exact sums; written without the planner's functions."""
    by_minute = {int(one.begin_seconds // LENGTH): one for one in observations.later}
    last_search = (
        1440 if observations.superseded_seconds is None else int(observations.superseded_seconds // LENGTH)
    )
    begin = 0
    if promised.is_change:
        runs = [minute for minute in range(min(last_search, 20)) if match_at(by_minute, minute) == "same"]
        if not runs:
            return {"kept": None, "measured": None, "begin": None}
        begin = runs[0]
    seconds, tuples, missed, plain, complete = Fraction(0), Fraction(0), 0, [], True
    length = int(promised.horizon_seconds // LENGTH)
    for minute in range(begin, length if begin < length else begin + length):
        match = match_at(by_minute, minute)
        if match in {"other", "part"}:
            complete = False
            break
        if match != "same" or by_minute[minute].sojourn_seconds is None:
            complete = False
            continue
        sojourn = Fraction(by_minute[minute].sojourn_seconds or 0.0)
        seconds += sojourn * Fraction(by_minute[minute].external_rate)
        tuples += Fraction(by_minute[minute].external_rate)
        plain.append(sojourn)
        if promised.target_seconds is not None and sojourn > Fraction(promised.target_seconds):
            missed += 1
    measured = (seconds / tuples if tuples else sum(plain) / len(plain)) if plain else None
    kept: bool | None = None
    if promised.target_seconds is not None:
        kept = False if missed else True if complete else None
    elif promised.expected_seconds is not None and complete and measured is not None:
        error = 0.15 if promised.known_error is None else promised.known_error
        kept = float(measured) <= promised.expected_seconds * (1 + error) * (1 + 1e-12)
    return {"kept": kept, "measured": measured, "begin": begin * LENGTH}


def match_at(by_minute: dict[int, LaterInterval], minute: int) -> Match | None:
    return by_minute[minute].match if minute in by_minute else None


@given(histories())
def test_outcomes_are_those_of_a_reading_minute_by_minute(history: tuple[Promised, Observations]):
    promised, observations = history
    found, read = observe_outcome(promised, observations), read_minutes(promised, observations)
    assert found.kept is read["kept"]
    if read["measured"] is None:
        assert found.measured_seconds is None
    else:
        assert found.measured_seconds == pytest.approx(float(read["measured"]))
    if promised.is_change:
        assert (found.begin_seconds if found.state == "applied" else None) == read["begin"]


@given(histories(), st.data())
def test_a_longer_time_never_makes_a_miss_kept(history: tuple[Promised, Observations], data: st.DataObject):
    promised, observations = history
    before = observe_outcome(promised, observations)
    later = [
        one._replace(sojourn_seconds=one.sojourn_seconds + data.draw(st.sampled_from([0.0, 0.1, 1.0])))
        if one.sojourn_seconds is not None
        else one
        for one in observations.later
    ]
    after = observe_outcome(promised, replace(observations, later=later))
    assert (before.kept, after.kept) not in {(False, True), (None, True), (False, None)}


@given(histories(), st.data())
def test_more_gaps_never_make_it_kept(history: tuple[Promised, Observations], data: st.DataObject):
    promised, observations = history
    before = observe_outcome(promised, observations)
    places = data.draw(st.sets(st.integers(0, 11)))
    later = [
        one
        for place, one in enumerate(observations.later)
        if place not in places or one.begin_seconds == begin_of(before)
    ]
    after = observe_outcome(promised, replace(observations, later=later))
    assert after.kept is not True or before.kept is True
    blind = [
        one._replace(sojourn_seconds=None) if place in places else one
        for place, one in enumerate(observations.later)
    ]
    unmeasured = observe_outcome(promised, replace(observations, later=blind))
    assert unmeasured.kept is not True or before.kept is True


def begin_of(found: ObservedOutcome) -> float | None:
    """Where it was applied: without that interval another decision would be judged."""
    return found.begin_seconds if found.state == "applied" else None


@given(histories())
def test_a_mean_lies_between_the_least_and_the_worst(history: tuple[Promised, Observations]):
    promised, observations = history
    found = observe_outcome(promised, observations)
    assert (found.measured_seconds is None) == (found.intervals == 0) == (found.worst_seconds is None)
    if found.measured_seconds is not None and found.worst_seconds is not None:
        assert 0.1 * 0.999 <= found.measured_seconds <= found.worst_seconds * 1.001
    assert found.missed <= found.intervals
    assert found.missed_beyond_rate is None or found.missed_beyond_rate <= found.missed


@pytest.mark.parametrize(
    ("seen", "match"),
    [
        ({"a": 3, "b": 5, "c": 1}, "same"),
        ({"a": 3, "b": 5, "c": 1, "stranger": 9}, "same"),
        ({"a": 2, "b": 4, "c": 1}, "other"),
        ({"a": 3, "b": 4, "c": 1}, "part"),
        ({"a": 3, "b": 5}, "unknown"),
        ({"a": 3, "b": 5, "c": None}, "unknown"),
        ({"a": 2}, "other"),
        ({}, "unknown"),
        ({"a": 2, "b": 4, "c": 2}, "other"),
    ],
)
def test_processors_are_the_same_only_where_every_operator_says_so(seen: dict[str, int | None], match: str):
    assert compare_processors({"a": 2, "b": 4, "c": 1}, {"a": 3, "b": 5, "c": 1}, seen) == match


CHANGE = Promised(
    is_change=True, horizon_seconds=120.0, interval_seconds=60.0, expected_seconds=0.2, target_seconds=0.3
)


def minute(
    at: float, match: Match = "same", sojourn: float | None = 0.2, rate: float = 10.0
) -> LaterInterval:
    return LaterInterval(60.0 * at, 60.0, rate, sojourn, match)


@pytest.mark.parametrize(
    ("later", "superseded", "until", "state"),
    [
        ([], None, 0.0, "waiting"),
        ([], 60.0, 60.0, "unknown"),
        ([minute(0, "other")], None, 60.0, "waiting"),
        ([minute(0, "other")], 60.0, 60.0, "not-applied"),
        ([minute(0, "other"), minute(1)], 60.0, 120.0, "not-applied"),
        ([minute(0, "other"), minute(1)], 61.0, 120.0, "applied"),
        ([minute(0, "other"), minute(1, "part")], None, 120.0, "partly-applied"),
        ([minute(0, "unknown"), minute(1, "other")], 120.0, 120.0, "unknown"),
        ([minute(0, "other")], None, 86_400.0, "not-applied"),
        ([minute(1440)], None, 90_000.0, "unknown"),
    ],
)
def test_a_change_that_no_interval_shows_says_what_they_show(
    later: list[LaterInterval], superseded: float | None, until: float, state: str
):
    assert observe_outcome(CHANGE, Observations(later, superseded, until)).state == state


def test_a_change_is_applied_where_the_first_interval_with_its_processors_begins():
    late = [minute(0, "other"), minute(1, "unknown"), minute(2), minute(3), minute(4, "other")]
    found = observe_outcome(CHANGE, Observations(late, None, 300.0))
    assert (found.state, found.begin_seconds, found.intervals, found.kept) == ("applied", 120.0, 2, True)


def test_a_change_within_its_horizon_is_judged_until_the_end_of_that_and_for_one_interval_at_least():
    late = [minute(0, "other"), minute(1), minute(2, "other")]
    found = observe_outcome(CHANGE, Observations(late, None, 180.0))
    assert (found.begin_seconds, found.end_seconds, found.kept) == (60.0, 120.0, True)
    odd = [LaterInterval(90.0, 60.0, 10.0, 0.2, "same")]
    assert observe_outcome(CHANGE, Observations(odd, None, 150.0)).end_seconds == 150.0


def test_a_gap_of_half_an_interval_is_the_jitter_of_a_clock_and_a_longer_one_is_a_gap():
    for second, kept in ((89.0, True), (91.0, None)):
        later = [minute(0), LaterInterval(second, 60.0, 10.0, 0.2, "same")]
        assert observe_outcome(CHANGE, Observations(later, None, 200.0)).kept is kept


def test_a_missing_short_interval_is_a_gap_although_the_decision_was_made_on_longer_ones():
    on_longer = replace(CHANGE, interval_seconds=600.0, horizon_seconds=600.0)
    later = [minute(place) for place in range(10)]
    assert observe_outcome(on_longer, Observations(later, None, 600.0)).kept is True
    assert observe_outcome(on_longer, Observations([*later[:4], *later[6:]], None, 600.0)).kept is None


def test_other_processors_end_what_is_judged_and_a_miss_before_them_counts():
    cut = [minute(0), minute(1, "other", 5.0)]
    found = observe_outcome(CHANGE, Observations(cut, None, 120.0))
    assert (found.kept, found.cut_seconds, found.measured_seconds) == (None, 60.0, 0.2)
    assert observe_outcome(CHANGE, Observations([minute(0, "same", 0.31), cut[1]], None, 120.0)).kept is False


def test_misses_at_a_rate_above_what_it_held_for_are_counted():
    held = replace(CHANGE, holds_up_to_rate=20.0)
    later = [minute(0, "same", 0.4, 25.0), minute(1, "same", 0.4, 15.0)]
    found = observe_outcome(held, Observations(later, None, 120.0))
    assert (found.missed, found.missed_beyond_rate, found.kept) == (2, 1, False)


def test_holding_is_judged_from_the_end_of_its_data_on():
    hold = replace(CHANGE, is_change=False)
    assert observe_outcome(hold, Observations([minute(0), minute(1)], None, 120.0)).kept is True
    assert observe_outcome(hold, Observations([minute(1), minute(2)], None, 180.0)).kept is None
    assert observe_outcome(hold, Observations([minute(0, "unknown")], None, 60.0)).state == "unknown"
    assert observe_outcome(hold, Observations([], None, 0.0)).state == "waiting"
    assert observe_outcome(hold, Observations([], None, 120.0)).state == "unknown"


def test_without_a_target_the_mean_is_compared_with_the_promise_and_its_known_error():
    later = [minute(0, "same", 0.1), minute(1, "same", 0.35)]
    for error, kept in ((None, True), (0.1, False), (0.13, True)):
        promise = replace(CHANGE, target_seconds=None, known_error=error)
        assert observe_outcome(promise, Observations(later, None, 120.0)).kept is kept
    nothing = replace(CHANGE, target_seconds=None, expected_seconds=None)
    assert observe_outcome(nothing, Observations(later, None, 120.0)).kept is None
