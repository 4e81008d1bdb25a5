"""The share of a budget is the proposal of a decision, and rules hold it back like any other."""

from dataclasses import replace

import pytest

from planner.decisions.compose import Decision, decide
from planner.decisions.policy import BudgetShare, LastChange, MaxStep, Policy
from planner.values import Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import ask

TARGET = Policy(t_max_seconds=0.12)


def share(counts: int, policy: Policy = TARGET, *, running: int = 9, is_urgent: bool = False) -> Decision:
    """The decision of one operator at 40/s, of which a processor serves 10/s."""
    topology = Topology((Operator("a"),), ())
    question = ask(topology, Load(40.0, {"a": OperatorLoad(10.0)}), [running], policy, LastChange(60.0, 40.0))
    return decide(replace(question, share=BudgetShare([counts], "Said.", is_urgent=is_urgent)))


def count(decision: Decision) -> int:
    return decision.recommended.processors_total


@pytest.mark.parametrize("counts", [6, 12])
def test_a_share_is_what_is_recommended_and_its_sentence_the_reason(counts: int):
    made = share(counts, is_urgent=True)
    assert (count(made), made.reasons[0].code, made.reasons[0].detail) == (counts, "shared-budget", "Said.")


def test_a_share_of_what_runs_holds():
    assert share(9).action == "hold"


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        (replace(TARGET, cooldown_seconds=600.0), "cooldown"),
        (replace(TARGET, is_excluded=True), "excluded"),
    ],
)
def test_a_cooldown_and_an_excluded_time_hold_even_what_is_urgent(policy: Policy, code: str):
    made = share(6, policy, is_urgent=True)
    assert (made.action, made.reasons[-1].code) == ("hold", code)


def test_what_others_need_is_given_up_although_it_saves_little():
    policy = replace(TARGET, least_saving=0.5)
    assert (share(6, policy).action, share(6, policy, is_urgent=True).action) == ("hold", "scale_down")


def test_more_processors_for_speed_alone_must_bring_enough():
    assert share(10).reasons[-1].code == "gain-too-small"


def test_a_step_is_no_larger_than_the_owner_allows():
    assert count(share(18, replace(TARGET, max_step=MaxStep(1.5, 0.5)), running=8, is_urgent=True)) == 12
