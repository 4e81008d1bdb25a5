"""Plans against the search of every allocation, explanations against differences, and why plans are refused."""

from dataclasses import dataclass
from itertools import pairwise, product
from math import fsum

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.errors import BoundTooSmall, BudgetTooSmall, TargetUnreachable
from planner.plans.estimation import estimate
from planner.plans.optimal import min_latency, min_processors
from planner.queueing.waiting import least_stable_processors
from planner.topology.flow import solve_visits
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Model, Operator, OperatorLoad, Topology

MODELS: tuple[Model, ...] = ("mmk", "ggk", "ggk-whitt")


@dataclass(frozen=True)
class Case:
    topology: Topology
    load: Load
    floors: tuple[int, ...]
    spare: int

    @property
    def k_max(self) -> int:
        return sum(self.floors) + self.spare

    def allocations(self) -> list[tuple[int, ...]]:
        """Every allocation within the bounds and the budget."""
        ranges = [
            range(floor, min(floor + self.spare, operator.max_processors or 10**9) + 1)
            for floor, operator in zip(self.floors, self.topology.operators, strict=True)
        ]
        return [counts for counts in product(*ranges) if sum(counts) <= self.k_max]

    def expect(self, counts: tuple[int, ...], model: Model) -> float:
        """E[T] of one allocation."""
        names = [operator.name for operator in self.topology.operators]
        expected = estimate(self.topology, self.load, dict(zip(names, counts, strict=True)), model)
        assert expected.expected_sojourn_seconds is not None
        return expected.expected_sojourn_seconds


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """One to three operators in a chain with a loop, selectivities far from 1, some with bounds."""
    size = draw(st.integers(1, 3))
    names = [f"op{i}" for i in range(size)]
    edges = [Edge(one, two, draw(st.floats(0.1, 10.0))) for one, two in pairwise(names)]
    edges.append(Edge(names[-1], names[0], draw(st.floats(0.0, 0.5)) / multiply_selectivities(edges)))
    scv = st.sampled_from([None, 0.3, 1.0, 2.5])
    operators = {
        name: OperatorLoad(draw(st.floats(0.5, 20.0)), arrival_scv=draw(scv), service_scv=draw(scv))
        for name in names
    }
    load = Load(draw(st.floats(0.5, 20.0)), operators)
    topology = Topology(tuple(Operator(name) for name in names), tuple(edges), (Entry(names[0], 1.5),))
    floors, bounded = [], []
    for name, visits in zip(names, solve_visits(topology), strict=True):
        least = least_stable_processors(visits * load.external_rate, operators[name].service_rate or 0.0)
        assume(least < 500)
        lower = draw(st.sampled_from([1, 1, least + 1]))
        floors.append(max(least, lower))
        upper = draw(st.sampled_from([None, None, floors[-1], floors[-1] + 2]))
        bounded.append(Operator(name, min_processors=lower, max_processors=upper))
    topology = Topology(tuple(bounded), topology.edges, topology.entries)
    return Case(topology, load, tuple(floors), draw(st.integers(0, 6)))


def multiply_selectivities(edges: list[Edge]) -> float:
    """What a chain multiplies a stream by."""
    total = 1.0
    for edge in edges:
        total *= edge.selectivity
    return total


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


@given(case=cases(), model=st.sampled_from(MODELS))
@settings(max_examples=80)
def test_an_explanation_is_the_difference_of_two_estimates(case: Case, model: Model) -> None:
    plan = min_latency(case.topology, case.load, case.k_max, model)
    here = plan.estimate.expected_sojourn_seconds
    assert here is not None
    bounds = {operator.name: operator for operator in case.topology.operators}
    assert {effect.operator for effect in plan.explanation} == bounds.keys()
    for effect in plan.explanation:
        name = effect.operator
        more, fewer = (
            estimate(
                case.topology, case.load, {**plan.processors, name: max(1, effect.processors + step)}, model
            )
            for step in (1, -1)
        )
        if effect.processors == bounds[name].max_processors:
            assert (effect.one_more_seconds, effect.one_more_limit) == (None, "max_processors")
        else:
            assert more.expected_sojourn_seconds is not None
            assert effect.one_more_seconds == pytest.approx(
                more.expected_sojourn_seconds - here, rel=1e-9, abs=1e-13 * here
            )
        if effect.processors == bounds[name].min_processors:
            assert (effect.one_fewer_seconds, effect.one_fewer_limit) == (None, "min_processors")
        elif not fewer.stable:
            assert (effect.one_fewer_seconds, effect.one_fewer_limit) == (None, None)
            assert "could not keep up" in effect.detail
        else:
            assert fewer.expected_sojourn_seconds is not None
            assert effect.one_fewer_seconds == pytest.approx(
                fewer.expected_sojourn_seconds - here, rel=1e-9, abs=1e-13 * here
            )


def make_chain(size: int, selectivity: float = 1.0) -> Topology:
    names = [f"op{i}" for i in range(size)]
    edges = tuple(Edge(one, two, selectivity) for one, two in pairwise(names))
    return Topology(tuple(Operator(name) for name in names), edges, (Entry("op0"),))


def load_chain(size: int, external_rate: float = 10.0, service_rate: float = 3.0) -> Load:
    return Load(external_rate, {f"op{i}": OperatorLoad(service_rate) for i in range(size)})


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


def test_a_long_explanation_is_cut_to_the_largest_effects_and_says_so() -> None:
    size = 300
    operators = {f"op{i}": OperatorLoad(3.0 + 0.001 * i) for i in range(size)}
    plan = min_latency(make_chain(size), Load(10.0, operators), 6 * size + 7)
    assert len(plan.explanation) == 200
    largest = [max(-(one.one_more_seconds or 0.0), one.one_fewer_seconds or 0.0) for one in plan.explanation]
    assert largest == sorted(largest, reverse=True)
    (cut,) = [diagnostic for diagnostic in plan.estimate.diagnostics if diagnostic.code == "explanation-cut"]
    assert "200 largest effects of 300 operators" in cut.detail
    whole = min_latency(make_chain(size), Load(10.0, operators), 6 * size + 7)
    assert whole == plan  # and the same every time


def test_effects_on_arrays_equal_those_on_plain_floats() -> None:
    size = 60
    operators = {f"op{i}": OperatorLoad(3.0 + 0.1 * i, arrival_scv=0.5 + 0.05 * i) for i in range(size)}
    plan = min_latency(make_chain(size), Load(20.0, operators), 700)
    for effect in plan.explanation:
        alone = Topology((Operator("op"),), (), (Entry("op"),))
        measured = operators[effect.operator]
        one = min_latency(alone, Load(20.0, {"op": measured}), effect.processors).explanation[0]
        assert effect.one_more_seconds == pytest.approx(one.one_more_seconds, rel=1e-9)
        assert effect.one_fewer_seconds == pytest.approx(one.one_fewer_seconds, rel=1e-9)


def test_a_sentence_says_what_each_step_would_do() -> None:
    topology = Topology((Operator("a", min_processors=2, max_processors=4), Operator("b")), (Edge("a", "b"),))
    load = Load(10.0, {"a": OperatorLoad(3.0), "b": OperatorLoad(6.0)})
    plan = min_latency(topology, load, 7, "mmk")
    details = {effect.operator: effect.detail for effect in plan.explanation}
    assert details["a"].startswith(
        "a has 4: one more is forbidden by max_processors = 4; one fewer could not keep up"
    )
    assert details["b"].startswith("b has 3: one more would save 0.")
    assert details["b"].endswith("%); one fewer would cost 0.341 s (39%).")


def test_a_plan_for_a_target_says_which_processors_it_cannot_miss() -> None:
    plan = min_processors(make_chain(2), load_chain(2), 0.9, DEFAULT_MODEL)
    said = [effect.detail for effect in plan.explanation]
    assert all("and miss t_max_seconds = 0.9" in detail or "could not keep up" in detail for detail in said)
