"""The decisions of a replay know what the decisions of the service know of those before them."""

import pytest

from planner.decisions.policy import Policy
from planner.replays.course import Ran
from planner.replays.deciding import Deciding
from planner.situations.situation import assess_counts, survey_load
from planner.values import DEFAULT_MODEL
from tests.planner.economics.loads import ROW, TARGET, load_row
from tests.planner.replays.recordings import record

CALM = Ran(0.4, (0.0, 0.0))
POLICY = Policy(
    t_max_seconds=TARGET, cooldown_seconds=300.0, scale_down_window_seconds=120.0, look_ahead=False
)


def test_an_interval_is_seen_as_it_would_have_run():
    deciding = Deciding(record([20.0]), POLICY)
    deciding.add(0, (5, 7), Ran(0.5, (0.0, 12.0)))
    played = deciding.played[0]
    assert [one.processors for one in played.operators.values()] == [5, 7]
    assert [one.backlog_tuples for one in played.operators.values()] == [0.0, 12.0]
    assert played.measured_sojourn_seconds == 0.5
    question = deciding.ask(0, (5, 7))
    assert (question.running, question.newest_rate, question.last) == ((5, 7), 20.0, None)


def test_the_cooldown_counts_from_the_last_change():
    deciding = Deciding(record([36.0, 38.0, 38.0], seconds=None), POLICY)
    for place in range(2):
        deciding.add(place, (4, 6), Ran(5.0, (0.0, 0.0)))
    assert sum(deciding.decide(1, (4, 6))) > 10
    deciding.add(2, (4, 6), Ran(5.0, (0.0, 0.0)))
    last = deciding.ask(2, (4, 6)).last
    assert last is not None
    assert last.seconds_ago == 60.0
    assert deciding.decide(2, (4, 6)) == (4, 6)


def test_a_change_before_the_replay_began_the_cooldown():
    deciding = Deciding(record([20.0] * 4, [(4, 6), (5, 6), (5, 6), (5, 6)], first=3), POLICY)
    deciding.add(3, (5, 6), CALM)
    last = deciding.ask(3, (5, 6)).last
    assert last is not None
    assert last.seconds_ago == 180.0


def test_what_was_needed_is_known_for_the_window_alone():
    deciding = Deciding(record([20.0] * 5), POLICY)
    for place in range(5):
        deciding.add(place, (4, 6), CALM)
    deciding.needed = [(60.0, 30), (180.0, 20), (240.0, 19)]
    assert deciding.ask(4, (4, 6)).wanted_before == 20


def test_a_promise_to_catch_up_is_kept_by_later_decisions():
    policy = Policy(t_max_seconds=TARGET, catch_up_seconds=300.0, look_ahead=False)
    deciding = Deciding(record([20.0, 20.0]), policy)
    deciding.add(0, (4, 6), Ran(3.0, (0.0, 6_000.0)))
    deciding.decide(0, (4, 6))
    deciding.add(1, (4, 6), Ran(3.0, (0.0, 3_000.0)))
    assert deciding.ask(1, (4, 6)).catch_up_left_seconds == pytest.approx(240.0)


def test_a_decision_has_the_estimate_of_what_would_run():
    deciding = Deciding(record([20.0]), POLICY)
    deciding.add(0, (6, 9), CALM)
    question = deciding.ask(0, (6, 9))
    there = survey_load(ROW, question.load, DEFAULT_MODEL)
    here = survey_load(ROW, load_row(20.0), DEFAULT_MODEL)
    assert assess_counts(there, (6, 9)).expected_sojourn_seconds == pytest.approx(
        assess_counts(here, (6, 9)).expected_sojourn_seconds
    )
