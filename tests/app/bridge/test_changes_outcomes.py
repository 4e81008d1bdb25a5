"""Outcomes of decisions, and what they say to the next start."""

from datetime import UTC, datetime
from math import inf
from typing import Any

import pytest

from app.bridge import changes
from app.bridge.states import Sojourn
from tests.app.bridge.examples import CREATED_AT, make_decision

APPLIED = {"state": "applied", "applied_at": "2026-11-19T10:00:05Z"}


def test_a_change_has_what_ran_what_is_asked_and_the_times():
    change = changes.plan_change(make_decision(), {"parse": 6}, 7.0)
    assert (change.before, change.asked, change.asked_at) == ({"parse": 4}, {"parse": 6}, 7.0)
    assert (change.sojourn, change.promised_seconds) == (Sojourn(None, 0.5), 0.1)


def test_a_part_of_what_was_decided_promises_nothing():
    assert changes.plan_change(make_decision(recommended=40), {"parse": 8}, 7.0).promised_seconds is None


def test_the_known_error_counts_where_it_is_larger_than_the_usual_one():
    for known, error in ((None, 0.15), (0.02, 0.15), (0.7, 0.7)):
        current = {"stable": True, "expected_sojourn_seconds": 1.0, "operators": []}
        decision = make_decision(current=current | {"evidence": {"known_error": known}})
        assert changes.plan_change(decision, {}, 0.0).error == error


def test_no_steady_state_is_an_infinite_time():
    current: dict[str, Any] = {"stable": False, "expected_sojourn_seconds": None, "operators": []}
    assert changes.plan_change(make_decision(current=current), {}, 0.0).sojourn.estimated == inf


@pytest.mark.parametrize(
    ("named", "is_unproved"),
    [
        ({}, True),
        ({"outcome": APPLIED}, True),
        ({"action": "hold"}, False),
        ({"outcome": APPLIED | {"detail": "kept"}}, False),
        ({"outcome": APPLIED | {"measured_seconds": 0.1}}, False),
        ({"outcome": APPLIED | {"measured_seconds": 0.1, "source": "snapshots"}}, True),
        ({"outcome": {"state": "refused"}}, False),
        ({"outcome": {"state": "failed"}}, False),
        ({"outcome": {"state": "rolled-back"}}, False),
    ],
)
def test_only_a_change_that_may_run_and_was_not_proved_is_taken_up_again(
    named: dict[str, Any], *, is_unproved: bool
):
    assert (changes.find_unproved(make_decision(**named), 2.0) is not None) is is_unproved


def test_what_was_rolled_back_or_failed_is_distrusted_after_the_next_start():
    for state, seconds in (("rolled-back", 3600.0), ("failed", 600.0)):
        decision = make_decision(recommended=40, outcome=APPLIED | {"state": state, "detail": "worse"})
        found = changes.find_distrusted(decision, 2.0)
        assert found is not None
        assert (found.action, found.asked, found.rate) == ("scale_up", {"parse": 8}, 100.0)
        assert (found.why, found.for_seconds) == ("worse", seconds)
    assert changes.find_distrusted(make_decision(outcome=APPLIED), 2.0) is None
    assert changes.find_distrusted(make_decision(), 2.0) is changes.find_distrusted(None, 2.0) is None


def test_what_was_asked_follows_from_the_decision_and_the_largest_step():
    change = changes.find_unproved(make_decision(recommended=40), 2.0)
    assert change is not None
    assert change.asked == {"parse": 8}
    assert change.asked_at == datetime.fromisoformat(CREATED_AT).timestamp()
    later = changes.find_unproved(make_decision(outcome=APPLIED), 2.0)
    assert later is not None
    assert later.asked_at == change.asked_at + 5.0
    assert changes.find_unproved(None, 2.0) is None


def test_each_outcome_has_the_processors_that_run_then():
    change = changes.plan_change(make_decision(), {"parse": 6}, 0.0)
    began = datetime.fromtimestamp(0.0, UTC).isoformat()
    assert changes.make_outcome("applied", change, change.asked) == {
        "state": "applied",
        "applied_at": began,
        "processors": {"parse": 6},
    }
    proved = changes.make_outcome("applied", change, change.asked, "kept", Sojourn(0.1, 0.2))
    assert (proved["detail"], proved["measured_seconds"]) == ("kept", 0.1)
    undone = changes.make_outcome("rolled-back", change, change.before, "worse", Sojourn(None, 0.2))
    assert (undone["state"], undone["processors"]) == ("rolled-back", {"parse": 4})
    assert "measured_seconds" not in undone, "an estimate is no measurement"
    endless = changes.make_outcome("applied", change, change.asked, "", Sojourn(inf, inf))
    assert "measured_seconds" not in endless


def test_a_change_that_runs_in_part_is_applied_and_one_that_does_not_run_has_failed():
    change = changes.plan_change(make_decision(), {"parse": 8}, 0.0)
    assert changes.make_failure(change, {"parse": 4}, "slots")["state"] == "failed"
    part = changes.make_failure(change, {"parse": 6}, "slots")
    assert (part["state"], part["processors"]) == ("applied", {"parse": 6})
    assert changes.make_refusal("dry run") == {"state": "refused", "detail": "dry run"}
