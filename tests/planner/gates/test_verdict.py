"""The gate: a verdict, what binds, and the largest rate that still holds."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise, product
from math import nextafter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.errors import InvalidAllocation, InvalidLoad
from planner.gates.verdict import Verdict, judge_capacity
from planner.plans.estimation import estimate
from planner.values import Edge, Entry, Load, Model, Operator, OperatorLoad, Topology

FPD = Topology(
    (Operator("generator"), Operator("detector", stateful=True), Operator("reporter")),
    (
        Edge("generator", "detector", 4.0),
        Edge("detector", "detector", 0.1),
        Edge("detector", "reporter", 0.05),
    ),
    (Entry("generator"),),
)
RUNNING = {"generator": 6, "detector": 13, "reporter": 3}


def measure(external_rate: float = 320.0, processors: Mapping[str, int | None] = RUNNING) -> Load:
    rates = {"generator": 80.0, "detector": 130.0, "reporter": 40.0}
    return Load(
        external_rate,
        {
            name: OperatorLoad(mu, service_scv=1.3, processors=processors.get(name))
            for name, mu in rates.items()
        },
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[Topology, Load]:
    """Up to four operators, edges forward and one that may lead back; any may lack its processors."""
    names = "abcd"[: draw(st.integers(1, 4))]
    share = st.floats(0.1, 2.0)
    edges = [Edge(one, other, draw(share)) for one, other in pairwise(names)]
    if draw(st.booleans()):
        edges.append(Edge(names[0], names[0], draw(st.floats(0.0, 0.8))))
    bounded = draw(st.sampled_from([None, None, 3]))
    topology = Topology(
        tuple(Operator(name, max_processors=bounded) for name in names), tuple(edges), (Entry(names[0]),)
    )
    load = Load(
        draw(st.floats(0.5, 100.0)),
        {
            name: OperatorLoad(
                draw(st.floats(1.0, 50.0)),
                arrival_scv=draw(st.sampled_from([None, 0.0, 2.5])),
                service_scv=draw(st.floats(0.0, 4.0)),
                processors=draw(st.integers(1, 12)),
            )
            for name in names
        },
    )
    return topology, load


MODELS = st.sampled_from(["mmk", "ggk", "ggk-whitt"])
ORIGINS = st.sampled_from(["running", "planned"])


@given(cases(), MODELS, st.none() | st.floats(0.05, 5.0), st.none() | st.integers(1, 60), ORIGINS)
@settings(max_examples=150)
def test_at_the_headroom_it_passes_and_at_the_next_number_it_fails(
    case: tuple[Topology, Load], model: Model, t_max_seconds: float | None, k_max: int | None, origin: str
):
    topology, load = case
    if origin == "planned":
        assume(k_max is not None)
        load = replace(
            load, operators={name: one._replace(processors=None) for name, one in load.operators.items()}
        )
    limits: dict[str, Any] = {"t_max_seconds": t_max_seconds, "k_max": k_max, "model": model}
    verdict = judge_capacity(topology, load, **limits)
    headroom = verdict.headroom_rate
    assert verdict.passed == all(check.passed for check in verdict.checks)
    assert verdict.passed == (headroom is not None and headroom >= load.external_rate)
    if headroom is None:
        assert not judge_capacity(topology, load, external_rate=0.0, **limits).passed
    elif headroom > 1e-9:
        assert judge_capacity(topology, load, external_rate=headroom, **limits).passed
        for beyond in (nextafter(headroom, 2.0 * headroom), 1.001 * headroom):
            assert not judge_capacity(topology, load, external_rate=beyond, **limits).passed


@given(cases(), MODELS, st.floats(0.05, 5.0), st.integers(1, 40))
@settings(max_examples=100)
def test_what_it_suggests_passes_and_where_it_suggests_nothing_nothing_does(
    case: tuple[Topology, Load], model: Model, t_max_seconds: float, k_max: int
):
    topology, load = case
    verdict = judge_capacity(topology, load, t_max_seconds=t_max_seconds, model=model)
    suggested = verdict.suggestion.processors
    if suggested is not None:
        assert judge_capacity(topology, load, suggested, t_max_seconds=t_max_seconds, model=model).passed
        fewest = verdict.suggestion.processors_total or 0
        again = judge_capacity(
            topology, load, suggested, t_max_seconds=t_max_seconds, k_max=k_max, model=model
        )
        assert again.passed == (fewest <= k_max)
        assert not verdict.passed or fewest <= sum(verdict.processors.values())
    else:
        most = {operator.name: operator.max_processors or 10**6 for operator in topology.operators}
        below = t_max_seconds * (1.0 - 1e-9)  # at T_L itself a wait that rounds to 0 would pass
        assert not judge_capacity(topology, load, most, t_max_seconds=below, model=model).passed


def search_any_split(load: Load, rate: float, t_max_seconds: float, k_max: int) -> bool:
    """Whether any split of k_max at all would pass, by trying each."""
    scaled = replace(load, external_rate=rate)
    for counts in product(range(1, k_max - 1), repeat=3):
        if sum(counts) <= k_max:
            answer = estimate(FPD, scaled, dict(zip(RUNNING, counts, strict=True)))
            if answer.stable and (answer.expected_sojourn_seconds or 0.0) <= t_max_seconds:
                return True
    return False


@pytest.mark.parametrize(
    ("rate", "t_max_seconds"), [(100.0, 0.2), (150.0, 0.055), (250.0, 0.2), (180.0, 0.07)]
)
def test_without_processors_it_passes_where_any_split_of_the_budget_would(rate: float, t_max_seconds: float):
    load = measure(processors={})
    verdict = judge_capacity(FPD, load, external_rate=rate, t_max_seconds=t_max_seconds, k_max=14)
    assert verdict.origin == "planned"
    assert verdict.passed == search_any_split(load, rate, t_max_seconds, 14)
    headroom = verdict.headroom_rate
    assert headroom is not None
    assert search_any_split(load, headroom, t_max_seconds, 14)
    assert not search_any_split(load, 1.001 * headroom, t_max_seconds, 14)


def test_without_a_latency_limit_the_headroom_is_where_the_first_operator_saturates():
    verdict = judge_capacity(FPD, measure())
    assert verdict.headroom_rate == pytest.approx(13 * 130.0 / (4.0 / 0.9), rel=1e-11)
    assert verdict.binding_operator == "detector"
    other = judge_capacity(FPD, measure(), RUNNING | {"detector": 30})
    assert other.binding_operator == "generator"
    assert other.headroom_rate == pytest.approx(480.0, rel=1e-11)


@pytest.mark.parametrize("t_max_seconds", [0.055, 0.07, 0.5])
@pytest.mark.parametrize("running", [RUNNING, {"generator": 9, "detector": 14, "reporter": 2}])
def test_one_more_at_the_binding_operator_helps_most_where_the_target_is_just_met(
    t_max_seconds: float, running: dict[str, int]
):
    verdict = judge_capacity(
        FPD, measure(processors=running), external_rate=100.0, t_max_seconds=t_max_seconds
    )
    assert verdict.passed
    at_headroom = measure(verdict.headroom_rate or 0.0, running)
    with_one_more = {
        name: estimate(FPD, at_headroom, running | {name: running[name] + 1}).expected_sojourn_seconds or 9.0
        for name in running
    }
    assert min(with_one_more, key=lambda name: with_one_more[name]) == verdict.binding_operator


def test_given_processors_win_over_running_ones_and_running_ones_over_a_plan():
    assert judge_capacity(FPD, measure(), RUNNING | {"reporter": 9}, k_max=40).origin == "given"
    assert judge_capacity(FPD, measure(), k_max=40).origin == "running"
    partly = measure(processors=RUNNING | {"reporter": None})
    verdict = judge_capacity(FPD, partly, k_max=40)
    assert verdict.origin == "planned"
    assert [said.operators for said in verdict.estimate.diagnostics if said.code == "processors-planned"] == [
        ("reporter",)
    ]
    with pytest.raises(InvalidAllocation, match=r"reporter.*k_max"):
        judge_capacity(FPD, partly, t_max_seconds=1.0)


def names_failed(verdict: Verdict) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


def test_each_check_fails_alone():
    assert names_failed(judge_capacity(FPD, measure(), external_rate=400.0)) == ["stability"]
    assert names_failed(judge_capacity(FPD, measure(), k_max=21)) == ["budget"]
    assert names_failed(judge_capacity(FPD, measure(), t_max_seconds=0.05)) == ["latency"]
    bounded = replace(FPD, operators=(*FPD.operators[:2], Operator("reporter", max_processors=2)))
    verdict = judge_capacity(bounded, measure())
    assert names_failed(verdict) == ["bounds"]
    assert verdict.headroom_rate is None
    assert "no-headroom" in [said.code for said in verdict.estimate.diagnostics]


def test_a_budget_that_does_not_go_round_fails_and_says_what_would():
    verdict = judge_capacity(FPD, measure(processors={}), t_max_seconds=0.07, k_max=15)
    assert not verdict.passed
    budget = next(check for check in verdict.checks if check.name == "budget")
    assert budget.value == 18.0  # the least stable allocation
    assert (verdict.suggestion.processors_total or 0) > 18
    assert "more than k_max" in verdict.suggestion.detail
    never = judge_capacity(FPD, measure(), t_max_seconds=0.01)
    assert never.suggestion.processors is None
    assert "lower bound" in never.suggestion.detail


def test_an_operator_that_its_bound_keeps_short_binds():
    bounded = replace(FPD, operators=(*FPD.operators[:2], Operator("reporter", max_processors=2)))
    verdict = judge_capacity(bounded, measure(processors={}), external_rate=600.0, k_max=100)
    assert names_failed(verdict) == ["stability"]
    assert verdict.binding_operator == "reporter"
    assert verdict.headroom_rate == pytest.approx(2 * 40.0 / (0.05 * 4.0 / 0.9), rel=1e-11)


def test_measured_arrivals_scale_with_the_rate():
    load = measure()
    measured = load.operators["detector"]._replace(arrival_rate=1600.0)
    load = replace(load, operators=dict(load.operators) | {"detector": measured})
    verdict = judge_capacity(FPD, load, external_rate=160.0)
    rates = {one.name: one.arrival_rate for one in verdict.estimate.operators}
    assert rates["detector"] == pytest.approx(800.0)
    assert verdict.headroom_rate == pytest.approx(320.0 * 13 * 130.0 / 1600.0, rel=1e-11)


def test_without_input_everything_holds():
    verdict = judge_capacity(FPD, measure(external_rate=0.0), t_max_seconds=0.5)
    assert verdict.passed
    assert verdict.headroom_rate == judge_capacity(FPD, measure(), t_max_seconds=0.5).headroom_rate


def test_a_rate_that_is_none_is_refused():
    for rate in (-1.0, float("nan"), float("inf"), 1e30):
        with pytest.raises(InvalidLoad):
            judge_capacity(FPD, measure(), external_rate=rate)
