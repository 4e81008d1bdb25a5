"""Counterfactuals: one processor fewer misses the target, and would not at the rate that is said."""

from hypothesis import given
from hypothesis import strategies as st

from planner.gates.counterfactuals import find_counterfactuals
from planner.plans.estimation import survey_load
from planner.plans.optimal import min_processors
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

PAIR = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 2.0),), (Entry("a"),))


@given(st.floats(1.0, 40.0))
def test_one_fewer_would_miss_the_target_and_would_not_at_the_rate_said(external_rate: float):
    load = Load(external_rate, {"a": OperatorLoad(5.0), "b": OperatorLoad(9.0)})
    plan = min_processors(PAIR, load, 0.6)
    found = find_counterfactuals(survey_load(PAIR, load, "ggk-whitt"), list(plan.processors.values()), 0.6)
    assert found.one_fewer_sojourn_seconds is None or found.one_fewer_sojourn_seconds > 0.6
    assert found.holds_up_to_rate is not None
    assert found.holds_up_to_rate >= external_rate
    if found.one_fewer_up_to_rate:
        assert found.one_fewer_up_to_rate < external_rate
        at = Load(found.one_fewer_up_to_rate, load.operators)
        assert min_processors(PAIR, at, 0.6).estimate.processors_total <= plan.estimate.processors_total - 1
