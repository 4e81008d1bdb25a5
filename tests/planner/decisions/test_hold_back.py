"""Cooldown and trigger hold a change back, and say so; what is urgent passes the trigger."""

from collections.abc import Sequence

import pytest

from planner.decisions.hold_back import find_cooldown, find_rate_change, name_action
from planner.decisions.policy import LastChange, Policy
from planner.values import Load
from tests.planner.decisions.test_decide import codes, make


def test_what_cannot_keep_up_is_urgent_whatever_the_trigger():
    last = LastChange(3600.0, 12.0)
    assert make(12.0, (2, 3, 1), k_max=12, trigger=0.5, last=last).action == "scale_up"
    assert make(12.0, (2, 3, 1), t_max_seconds=1.0, trigger=0.5, last=last).action == "scale_up"


def test_a_cooldown_holds_even_what_is_urgent_and_says_how_long():
    decision = make(12.0, (2, 3, 1), t_max_seconds=1.0, cooldown_seconds=600.0, last=LastChange(200.0, 12.0))
    assert (decision.action, decision.cooldown_left_seconds) == ("hold", 400.0)
    assert codes(decision) == ["target-missed", "cooldown"]
    assert decision.optimum is not None
    assert decision.recommended == decision.current


@pytest.mark.parametrize(
    ("running", "counts", "action"),
    [
        ((2, 3), (2, 3), "hold"),
        ((2, 3), (3, 2), "rebalance"),
        ((2, 3), (3, 3), "scale_up"),
        ((2, 3), (4, 0), "scale_down"),
    ],
)
def test_a_change_has_the_name_of_its_sum(running: Sequence[int], counts: Sequence[int], action: str):
    assert name_action(running, counts) == action


def test_without_a_change_before_nothing_is_left_of_a_cooldown_and_no_rate_has_changed():
    policy = Policy(k_max=9, cooldown_seconds=60.0)
    assert find_cooldown(policy, None) == 0.0
    assert find_cooldown(policy, LastChange(20.0, 5.0)) == 40.0
    assert find_cooldown(policy, LastChange(90.0, 5.0)) == 0.0
    load = Load(6.0, {})
    assert find_rate_change(load, None) is None
    assert find_rate_change(load, LastChange(1.0, 0.0)) is None
    assert find_rate_change(load, LastChange(1.0, 5.0)) == pytest.approx(0.2)
