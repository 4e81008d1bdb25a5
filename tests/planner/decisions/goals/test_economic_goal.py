"""The economic rule within a decision, beside the rules of before."""

from dataclasses import replace
from typing import Any

import pytest

from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import compose_decision, decide
from planner.decisions.policy import LastChange, Policy
from planner.economics.history import History, SeenInterval
from tests.planner.economics.loads import ROW, TARGET, load_row

POLICY = Policy(t_max_seconds=TARGET, rule="economic")


def ask(rate: float, counts: tuple[int, int], seconds: float | None = 0.4) -> DecisionQuestion:
    seen = [SeenInterval(rate, counts, seconds)] * 60
    return DecisionQuestion(
        ROW, load_row(rate, counts), counts, POLICY, newest_rate=rate, seen=History.gather(seen, 60.0, TARGET)
    )


def test_the_economic_rule_decides_where_the_policy_asks_for_it():
    made = decide(ask(20.0, (3, 5)))
    assert made.choice is not None
    assert made.action == "hold"
    assert [one.code for one in made.reasons] == ["within-target", "cheapest-runs", "kept-so-far"]


@pytest.mark.parametrize("change", [{"policy": replace(POLICY, rule="drs")}, {"seen": None}])
def test_without_the_rule_or_its_data_the_rules_of_before_decide(change: dict[str, Any]):
    assert decide(replace(ask(20.0, (3, 5)), **change)).choice is None


def test_an_overload_is_urgent():
    made = decide(ask(40.0, (3, 4), 5.0))
    assert (made.action, made.urgent) == ("scale_up", True)


def test_a_change_just_decided_is_waited_for_but_not_in_an_overload():
    just_changed = LastChange(60.0, 20.0)
    late = decide(replace(ask(25.0, (3, 4), 2.0), last=just_changed))
    assert (late.action, late.reasons[-1].code) == ("hold", "just-changed")
    assert decide(replace(ask(25.0, (3, 4), 2.0))).action == "scale_up"
    made = decide(replace(ask(40.0, (3, 4), 5.0), last=just_changed))
    assert (made.action, made.urgent) == ("scale_up", True)


def test_a_sentence_says_for_how_long_costs_are_compared():
    def explain(step_seconds: float, pause_seconds: float) -> str:
        seen = [SeenInterval(20.0, (3, 5), 0.4)] * 60
        history = History.gather(seen, step_seconds, TARGET, pause_seconds=pause_seconds)
        return decide(replace(ask(20.0, (3, 5)), seen=history)).reasons[1].detail

    assert explain(60.0, 2.0).startswith("Over the next hour no other")
    assert explain(5.0, 20.0).startswith("Over the next hour no other")
    assert explain(5.0, 2.0).startswith("Over the next 6 min no other")


def test_one_processor_fewer_is_judged_by_what_it_costs():
    said = compose_decision(ask(20.0, (6, 9))).counterfactuals.one_fewer_detail
    assert "but at the rates that may come it would cost more, late minutes included" in said
    assert "lower limit" not in said, "a policy of this rule takes processors away without one"


def test_short_intervals_are_taken_together():
    seen = [SeenInterval(rate, (3, 5), 0.4, (1.0, 2.0)) for rate in (10.0, 20.0, 30.0, 10.0, 30.0, 20.0)] * 2
    history = History.gather(seen, 10.0, TARGET, pause_seconds=20.0)
    assert len(history.intervals) == 2
    assert history.step == 1.0
    first = history.intervals[0]
    assert (first.counts, first.backlog) == ((3, 5), (1.0, 2.0))
    assert (first.rate, first.seconds) == pytest.approx((20.0, 0.4))
