"""A replay: what a policy would have done over stored intervals, beside what ran."""

from dataclasses import replace

import pytest

from planner.decisions.policy import Policy
from planner.errors import PlannerError
from planner.replays.replay import replay
from planner.values import Load, OperatorLoad
from tests.planner.economics.loads import TARGET
from tests.planner.replays.recordings import record

ECONOMIC = Policy(t_max_seconds=TARGET, rule="economic")
STEP = [20.0] * 30 + [40.0] * 30


@pytest.mark.parametrize("rule", ["economic", "drs"])
def test_a_calm_load_is_replayed_as_it_ran(rule: str):
    policy = Policy(t_max_seconds=TARGET, rule=rule)  # type: ignore[arg-type]
    found = replay(record([20.0] * 20, seconds=0.28), policy)
    assert found.planned == found.ran
    assert (found.ran.changes, found.ran.late_seconds, found.undecided) == (0, 0.0, 0)
    assert found.ran.processor_hours == pytest.approx(10 * 20 / 60)
    assert found.measured_late_share == 0.0


@pytest.mark.parametrize(
    ("policy", "most"), [(ECONOMIC, 2), (Policy(t_max_seconds=TARGET, cooldown_seconds=120.0), 6)]
)
def test_a_policy_answers_a_step_that_what_ran_did_not(policy: Policy, most: int):
    found = replay(record(STEP, seconds=None), policy)
    assert found.ran.late_seconds == 30 * 60.0
    assert found.planned.late_seconds < 10 * 60.0
    assert 1 <= found.planned.changes <= most
    assert found.planned.processor_hours > found.ran.processor_hours
    assert found.measured_late_share is None


def test_what_a_change_costs_is_the_policys_word_or_learned():
    assert replay(record([20.0] * 3), ECONOMIC).pause.pause_seconds == 20.0
    owner = replace(ECONOMIC, change_pause_seconds=45.0)
    assert replay(record([20.0] * 3), owner).pause.pause_seconds == 45.0
    counts = [(4, 6) if place % 20 < 10 else (5, 7) for place in range(60)]
    assert replay(record([20.0] * 60, counts), ECONOMIC).pause.changes == 5


def test_measured_times_above_the_target_are_counted():
    assert replay(record([20.0] * 4, seconds=2.0 * TARGET), ECONOMIC).measured_late_share == 1.0


def test_a_change_of_what_ran_is_counted_in_what_ran_alone():
    found = replay(record([20.0] * 10, [(4, 6)] * 5 + [(9, 13)] * 5, seconds=0.28), ECONOMIC)
    assert (found.ran.changes, found.planned.changes) == (1, 0)


def test_intervals_that_allow_no_decision_change_nothing():
    recording = record([20.0] * 6, seconds=0.28)
    empty = {name: OperatorLoad(processors=count) for name, count in (("parse", 4), ("score", 6))}
    first = replace(recording.intervals[0], load=Load(20.0, empty))
    partly = replace(recording, intervals=[first, *recording.intervals[1:]])
    assert replay(partly, ECONOMIC).undecided == 1
    with pytest.raises(PlannerError, match="service_rate"):
        replay(replace(recording, intervals=[first] * 3), ECONOMIC)


@pytest.mark.parametrize(("within", "most"), [(60.0, 1), (300.0, 1), (30.0, 2)])
@pytest.mark.parametrize("pause", [5.0, 20.0, 60.0])
def test_a_goal_of_a_backlog_does_not_answer_what_its_own_changes_left(
    within: float, most: int, pause: float
):
    """Without a cooldown; only where it must be gone very soon are processors for it given back in a second change."""
    policy = Policy(is_for_backlog=True, catch_up_seconds=within, change_pause_seconds=pause)
    found = replay(record([20.0] * 20 + [40.0] * 40, counts=(3, 4), seconds=None), policy)
    assert 1 <= found.planned.changes <= most
    assert found.planned.processor_hours < 20.0
