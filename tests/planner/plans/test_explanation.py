"""Explanations beside the differences of two estimates, and their sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.plans.optimal import min_latency, min_processors
from planner.situations.situation import estimate
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Model, Operator, OperatorLoad, Topology
from tests.planner.plan_cases import MODELS, Case, cases, load_chain, make_chain


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
    assert details["b"].startswith("b has 3: one more would save 30.2 ms")
    assert details["b"].endswith("%); one fewer would cost 341 ms (39%).")


def test_a_plan_for_a_target_says_which_processors_it_cannot_miss() -> None:
    plan = min_processors(make_chain(2), load_chain(2), 0.9, DEFAULT_MODEL)
    said = [effect.detail for effect in plan.explanation]
    assert all("and miss the target of 900 ms" in detail or "could not keep up" in detail for detail in said)
