"""Plans beside the search of every allocation, and why plans are refused."""

from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.plans.optimal import min_latency, min_processors
from planner.situations.situation import estimate
from planner.topology.flow import solve_visits
from planner.values import Edge, Entry, Load, Model, Operator, OperatorLoad, Topology
from tests.planner.plan_cases import MODELS, Case, cases, load_chain, make_chain


@pytest.mark.parametrize("model", MODELS)
@given(case=cases())
@settings(max_examples=60)
def test_min_latency_is_the_best_of_all_allocations(model: Model, case: Case) -> None:
    plan = min_latency(case.topology, case.load, case.k_max, model)
    found = plan.estimate.expected_sojourn_seconds
    best = min(case.expect(counts, model) for counts in case.allocations())
    assert plan.optimal
    assert found == pytest.approx(best, rel=1e-13)
    assert sum(plan.processors.values()) + plan.unused_processors == case.k_max
    assert found == case.expect(tuple(plan.processors.values()), model)


@pytest.mark.parametrize("model", MODELS)
@given(case=cases(), slack=st.floats(1e-12, 0.3))
@settings(max_examples=60)
def test_min_processors_takes_the_fewest_of_all_allocations(model: Model, case: Case, slack: float) -> None:
    expected = {counts: case.expect(counts, model) for counts in case.allocations()}
    target = min(expected.values()) * (1.0 + slack)
    fewest = min(sum(counts) for counts, seconds in expected.items() if seconds <= target)
    plan = min_processors(case.topology, case.load, target, model)
    assert plan.estimate.expected_sojourn_seconds is not None
    assert plan.estimate.expected_sojourn_seconds <= target
    assert plan.estimate.processors_total == fewest


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [3, 7, 60])
def test_ties_go_to_the_operators_that_come_first(size: int, model: Model) -> None:
    plan = min_latency(make_chain(size), load_chain(size), 5 * size + 2, model)
    assert list(plan.processors.values()) == [6] * 2 + [5] * (size - 2)
    shown = [effect.operator for effect in plan.explanation]
    assert shown == [f"op{i}" for i in (*range(2, size), 0, 1)]  # those with fewer gain more


def test_a_target_counts_every_visit() -> None:
    """DRS, Algorithm 2, line 5 compares with Σ 1/μ: 0.67 s here, whatever the selectivity is."""
    rare = min_processors(make_chain(2, 0.1), load_chain(2), 0.5)
    assert rare.lower_bound_seconds == pytest.approx(1.1 / 3.0, rel=1e-15)
    often = make_chain(2, 10.0)
    with pytest.raises(TargetUnreachable) as caught:
        min_processors(often, load_chain(2), 3.0)
    assert caught.value.lower_bound_seconds == pytest.approx(11.0 / 3.0, rel=1e-15)
    with pytest.raises(TargetUnreachable):
        min_processors(often, load_chain(2), caught.value.lower_bound_seconds)


@given(case=cases(), model=st.sampled_from(MODELS))
@settings(max_examples=40)
def test_no_plan_goes_below_the_lower_bound(case: Case, model: Model) -> None:
    plan = min_latency(case.topology, case.load, case.k_max + 10_000, model)
    assert plan.estimate.expected_sojourn_seconds is not None
    assert plan.estimate.expected_sojourn_seconds >= plan.lower_bound_seconds * (1 - 1e-15)
    visits = solve_visits(case.topology)
    rates = [case.load.operators[operator.name].service_rate or 0.0 for operator in case.topology.operators]
    assert plan.lower_bound_seconds == pytest.approx(fsum(map(float.__truediv__, visits, rates)), rel=1e-14)


def test_a_budget_that_is_too_small_says_what_is_needed() -> None:
    with pytest.raises(BudgetTooSmall) as caught:
        min_latency(make_chain(3, 2.0), load_chain(3), 24)
    assert caught.value.per_operator == {"op0": 4, "op1": 7, "op2": 14}
    assert (caught.value.k_max, caught.value.needed) == (24, 25)


def test_a_bound_below_what_keeps_up_names_the_operator() -> None:
    topology = Topology(
        (Operator("op0"), Operator("op1", max_processors=3)), (Edge("op0", "op1"),), (Entry("op0"),)
    )
    with pytest.raises(BoundTooSmall) as in_budget:
        min_latency(topology, load_chain(2), 100)
    with pytest.raises(BoundTooSmall) as for_target:
        min_processors(topology, load_chain(2), 9.0)
    for error in (in_budget.value, for_target.value):
        assert (error.operator, error.max_processors, error.needed) == ("op1", 3, 4)


def test_a_target_below_what_the_bounds_allow_is_refused_with_that_bound() -> None:
    topology = Topology((Operator("op0", max_processors=4),), (), (Entry("op0"),))
    slowest = estimate(topology, load_chain(1), {"op0": 4}).expected_sojourn_seconds
    with pytest.raises(TargetUnreachable) as caught:
        min_processors(topology, load_chain(1), 0.4)
    assert caught.value.bounded
    assert caught.value.lower_bound_seconds == slowest


def test_processors_that_help_nobody_stay_unused_and_that_is_said() -> None:
    plan = min_latency(make_chain(2), load_chain(2), 1_000_000)
    assert plan.unused_processors > 900_000
    assert plan.estimate.processors_total + plan.unused_processors == 1_000_000
    assert "unused-processors" in [diagnostic.code for diagnostic in plan.estimate.diagnostics]


@pytest.mark.parametrize("size", [2, 60])
def test_where_nothing_varies_the_least_stable_is_enough(size: int) -> None:
    operators = {f"op{i}": OperatorLoad(3.0, arrival_scv=0.0, service_scv=0.0) for i in range(size)}
    plan = min_latency(make_chain(size), Load(10.0, operators), 5 * size)
    assert set(plan.processors.values()) == {4}
    assert plan.estimate.expected_sojourn_seconds == plan.lower_bound_seconds
    assert str(plan.explanation[0].one_more_seconds) == "0.0"
    assert plan.explanation[0].one_fewer_seconds is None
    attained = min_processors(make_chain(size), Load(10.0, operators), plan.lower_bound_seconds)
    assert attained.processors == plan.processors


def test_without_input_one_processor_each_is_enough() -> None:
    for plan in (
        min_latency(make_chain(2), load_chain(2, 0.0), 10),
        min_processors(make_chain(2), load_chain(2, 0.0), 2.0 / 3.0),
    ):
        assert plan.processors == {"op0": 1, "op1": 1}
        assert plan.estimate.expected_sojourn_seconds == plan.lower_bound_seconds == pytest.approx(2.0 / 3.0)
    with pytest.raises(TargetUnreachable):
        min_processors(make_chain(2), load_chain(2, 0.0), 0.6)
