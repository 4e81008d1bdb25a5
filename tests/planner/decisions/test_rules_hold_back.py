"""Cooldown and trigger hold a change back, and say so; what is urgent passes the trigger."""

from collections.abc import Sequence

import pytest

from planner.decisions.case import name_action, survey_case
from planner.decisions.policy import LastChange, Policy
from planner.values import Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import ask
from tests.planner.decisions.test_compose_decide import codes, make


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


@pytest.mark.parametrize(
    ("last", "left", "change"),
    [
        (None, 0.0, None),
        (LastChange(20.0, 5.0), 40.0, 0.2),
        (LastChange(90.0, 0.0), 0.0, None),
    ],
)
def test_cooldown_and_change_of_the_rate_count_from_the_last_change(
    last: LastChange | None, left: float, change: float | None
):
    one = Topology((Operator("serve"),), (), (Entry("serve"),))
    load = Load(6.0, {"serve": OperatorLoad(10.0)})
    case = survey_case(ask(one, load, (1,), Policy(k_max=9, cooldown_seconds=60.0), last))
    assert case.cooldown_left_seconds == left
    assert case.rate_change == (None if change is None else pytest.approx(change))
