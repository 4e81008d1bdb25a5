"""Plans for a quantile: exact ones where the law is known, and what the answer says."""

from dataclasses import replace
from math import exp, log

import pytest

from planner.errors import InvalidLoad, QuantileUnreachable
from planner.plans.optimal import min_processors
from planner.plans.quantile import min_processors_within
from planner.quantiles.spread import add_spread
from planner.situations.situation import estimate
from planner.targets.drawn_target import OWN_RESERVE, SHARED_RESERVE
from planner.values import Edge, Load, Operator, OperatorLoad, TimeTarget, Topology
from planner.wording import write_percent
from tests.planner.plan_cases import PAIR, codes, load_chain, load_pair, make_chain

ROOTS = 20_000
IDLE = load_pair(external_rate=0.0)
ONE, ONE_LOAD = Topology((Operator("a"),)), Load(35.0, {"a": OperatorLoad(10.0)})


def find_tail(k: int, seconds: float) -> float:
    """P(T > t) of M/M/k at λ = 35, μ = 10."""
    load, terms = 3.5, [1.0]
    for n in range(1, k + 1):
        terms.append(terms[-1] * load / n)
    last = terms[k] * k / (k - load)
    waits, delta = last / (sum(terms[:k]) + last), 10.0 * k - 35.0
    service, drained = exp(-10.0 * seconds), exp(-delta * seconds)
    return service + waits * 10.0 / (10.0 - delta) * (drained - service)


@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("factor", [1.06, 1.25, 1.7])
def test_one_operator_gets_what_the_exact_distribution_asks_for(quantile: float, factor: float):
    seconds = factor * -log(1.0 - quantile) / 10.0
    expected = next(k for k in range(4, 50) if find_tail(k, seconds) <= 1.0 - quantile)
    plan = min_processors_within(ONE, ONE_LOAD, TimeTarget("completion", seconds, quantile), reserve=0.0)
    for k in {4, expected - 1, expected} - {3}:
        assert abs(find_tail(k, seconds) / (1.0 - quantile) - 1.0) > 0.015, "too close to tell on a draw"
    assert plan.processors == {"a": expected}
    assert plan.optimal
    assert plan.objective == "min-processors"


def test_where_it_is_not_simulated_a_plan_keeps_a_part_of_the_time_for_waits_free_and_says_so():
    topology = replace(PAIR, operators=tuple(one._replace(queueing="round-robin") for one in PAIR.operators))
    load = calibrate_pair()
    for graph, margin in ((PAIR, SHARED_RESERVE), (topology, OWN_RESERVE)):
        target = TimeTarget("completion", 3.0, 0.99)
        plan = min_processors_within(graph, load, target, roots=ROOTS)
        services = add_spread(graph, IDLE, estimate(graph, IDLE, {"a": 1, "b/c~d": 1}), [0.99], ROOTS)
        assert services.completion is not None
        assert plan.estimate.completion is not None
        least = services.completion.quantiles[0].seconds
        assert plan.estimate.completion.quantiles[0].seconds <= least + (1.0 - margin) * (3.0 - least)
        said = [one.detail for one in plan.estimate.diagnostics if one.code == "target-on-a-draw"]
        assert f"keeps {write_percent(margin)} of the wait that the target allows in reserve" in said[0]


def calibrate_pair() -> Load:
    """A load of which measured waits were told: no simulation knows of these."""
    load = load_pair()
    operators = {name: one._replace(wait_factor=1.1) for name, one in load.operators.items()}
    return replace(load, operators=operators)


def test_a_simulated_plan_has_the_simulated_quantile_and_says_so():
    """Two tuples that come together wait longer at a shared queue than the formula has it."""
    plan = min_processors_within(PAIR, load_pair(), TimeTarget("completion", 3.0, 0.99), roots=ROOTS)
    (said,) = [one.detail for one in plan.estimate.diagnostics if one.code == "target-on-a-draw"]
    assert "In 8 simulations of 20,000 external tuples it is 2.4" in said
    assert "times the modelled ones to show that." in said
    modelled = add_spread(PAIR, load_pair(), estimate(PAIR, load_pair(), plan.processors), [0.99], ROOTS)
    assert plan.estimate.completion is not None
    assert modelled.completion is not None
    assert modelled.completion.quantiles[0].seconds < plan.estimate.completion.quantiles[0].seconds <= 3.0


def test_the_mean_of_total_is_the_target_of_min_processors():
    target = TimeTarget("total", 0.9)
    assert min_processors_within(PAIR, load_pair(), target) == min_processors(PAIR, load_pair(), 0.9)


def test_the_mean_of_completion_takes_no_more_than_the_mean_of_total():
    load = load_pair()
    total = min_processors(PAIR, load, 0.9)
    completion = min_processors_within(PAIR, load, TimeTarget("completion", 0.9), roots=ROOTS)
    assert sum(completion.processors.values()) <= sum(total.processors.values())
    assert completion.estimate.completion is not None
    assert completion.estimate.completion.mean_seconds <= 0.9
    assert completion.estimate.completion.quantiles == ()


def test_the_answer_has_the_quantiles_of_the_same_draw_and_says_how_the_target_was_met():
    target = TimeTarget("completion", 2.5, 0.99)
    plan = min_processors_within(PAIR, load_pair(), target, reserve=0.15, levels=[0.5], roots=ROOTS, seed=3)
    again = add_spread(PAIR, load_pair(), estimate(PAIR, load_pair(), plan.processors), [0.5, 0.99], ROOTS, 3)
    assert (plan.estimate.total, plan.estimate.completion) == (again.total, again.completion)
    assert again.completion is not None
    assert again.completion.quantiles[-1].seconds <= 2.5
    (said,) = [one.detail for one in plan.estimate.diagnostics if one.code == "target-on-a-draw"]
    assert "The p99 of the time to completion is" in said
    assert "on 20,000 drawn external tuples, for a target of 2.5 s. The plan keeps 15% of the wait" in said
    assert "On this draw no allocation of fewer processors is enough" in said
    assert plan.optimal


def test_where_the_search_was_cut_short_the_answer_says_what_was_tried():
    long, load = make_chain(40), load_chain(40)
    plan = min_processors_within(long, load, TimeTarget("total", 30.0, 0.9), reserve=0.1, roots=ROOTS)
    assert not plan.optimal
    (said,) = [one.detail for one in plan.estimate.diagnostics if one.code == "target-on-a-draw"]
    assert "On this draw one processor fewer is not enough in the splits that were tried" in said


def test_an_unreachable_target_says_the_quantile_without_any_wait():
    with pytest.raises(QuantileUnreachable) as caught:
        min_processors_within(ONE, ONE_LOAD, TimeTarget("total", 0.2, 0.99), roots=ROOTS)
    assert caught.value.lower_bound_seconds == pytest.approx(log(100.0) / 10.0, rel=0.03)


def test_what_cannot_be_drawn_cannot_be_a_target():
    topology = replace(PAIR, edges=(Edge("a", "b/c~d", 1e7),))
    load = Load(1e-3, {"a": OperatorLoad(1.0), "b/c~d": OperatorLoad(1e6)})
    with pytest.raises(InvalidLoad, match="too few external tuples") as caught:
        min_processors_within(topology, load, TimeTarget("completion", 1.0, 0.9))
    assert caught.value.place == "/target"


def test_a_level_that_the_draw_does_not_resolve_is_refused_or_told():
    with pytest.raises(InvalidLoad, match="the longest time drawn") as caught:
        min_processors_within(ONE, ONE_LOAD, TimeTarget("total", 9.0, 0.99999), roots=ROOTS)
    assert caught.value.place == "/target/quantile"
    plan = min_processors_within(ONE, ONE_LOAD, TimeTarget("total", 9.0, 0.9999), roots=ROOTS)
    assert "quantile-not-resolved" in codes(plan.estimate)
