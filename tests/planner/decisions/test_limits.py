"""What an owner forbids or demands holds for every rule."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import Decision, compose_decision, decide
from planner.decisions.limits import limit_steps
from planner.decisions.policy import LastChange, MaxStep, Policy
from planner.economics.history import History, SeenInterval
from planner.values import Scaling
from tests.planner.economics.loads import ROW, TARGET, load_row

ECONOMIC = Policy(t_max_seconds=TARGET, rule="economic")
DRS = Policy(t_max_seconds=TARGET)


def ask(policy: Policy, rate: float, counts: tuple[int, int], seconds: float = 0.4) -> DecisionQuestion:
    seen = [SeenInterval(rate, counts, seconds)] * 60
    history = History.gather(seen, 60.0, TARGET) if policy.is_economic else None
    return DecisionQuestion(ROW, load_row(rate, counts), counts, policy, newest_rate=rate, seen=history)


def count(decision: Decision) -> list[int]:
    return [one.processors for one in decision.recommended.operators]


@pytest.mark.parametrize("policy", [ECONOMIC, DRS, Policy(k_max=30), Policy(beta=0.3)])
def test_an_excluded_time_holds_what_would_change(policy: Policy):
    question = ask(policy, 50.0, (3, 4), 5.0)
    assert decide(question).action == "scale_up"
    made = decide(replace(question, policy=replace(policy, is_excluded=True)))
    assert (made.action, made.reasons[-1].code) == ("hold", "excluded")
    assert made.optimum is not None, "what the goal asks for is still said"


@pytest.mark.parametrize("policy", [ECONOMIC, DRS, Policy(k_max=40), Policy(beta=0.3)])
def test_a_step_is_limited_and_comes_nearer(policy: Policy):
    question = ask(policy, 50.0, (3, 4), 5.0)
    far = count(decide(question))
    made = decide(replace(question, policy=replace(policy, max_step=MaxStep(1.5, 0.5))))
    assert count(made) == [min(far[0], 4), min(far[1], 6)]
    assert made.reasons[-1].code == "max-step"


@pytest.mark.parametrize("policy", [ECONOMIC, DRS, Policy(k_max=30), Policy(beta=0.3)])
def test_a_schedule_is_a_floor_even_where_the_rule_holds(policy: Policy):
    question = ask(replace(policy, floors={"score": 12}), 20.0, (4, 6))
    made = decide(question)
    assert made.action == "scale_up"
    assert count(made)[1] >= 12
    again = decide(replace(question, running=(count(made)[0], count(made)[1])))
    assert count(again)[1] >= 12


def test_a_schedule_acts_within_a_cooldown_and_says_so():
    question = ask(replace(DRS, floors={"score": 12}, cooldown_seconds=300.0), 20.0, (4, 6))
    composed = compose_decision(replace(question, last=LastChange(60.0, 20.0)))
    made = composed.decision
    assert (made.action, count(made)) == ("scale_up", [4, 12])
    assert made.reasons[-1].detail == "A schedule of the policy asks for at least score 12 now."
    assert "schedule" in composed.counterfactuals.one_fewer_detail


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=4),
    st.floats(1.01, 4.0),
    st.floats(0.0, 0.99),
)
def test_steps_lead_to_every_number(pairs: list[tuple[int, int]], up: float, down: float):
    counts, running = [a for a, _ in pairs], [b for _, b in pairs]
    for _ in range(60):
        stepped = limit_steps(counts, running, MaxStep(up, down))
        assert all(min(a, b) <= c <= max(a, b) for a, b, c in zip(counts, running, stepped, strict=True))
        running = stepped
    assert running == counts


@pytest.mark.parametrize("policy", [ECONOMIC, DRS, Policy(k_max=30)])
def test_a_change_that_brought_nothing_is_not_made_again(policy: Policy):
    question = ask(policy, 50.0, (3, 4), 5.0)
    wanted = count(decide(question))
    assert wanted[0] > 4
    first, *others = ROW.operators
    tried = first._replace(scaling=Scaling(gamma=0.01, is_learned=True, futile=(4, 6, 0.04)))
    made = decide(replace(question, topology=replace(ROW, operators=(tried, *others))))
    assert count(made)[0] <= 4
    if policy is DRS:
        assert count(made) == [4, wanted[1]], "the others get what the target takes"
        [said] = [one.detail for one in made.constraints if one.code == "brought-nothing"]
        assert said.startswith(
            f"4 → 6 processors at {first.name} served 4% more. So no more than 4 are planned"
        )
