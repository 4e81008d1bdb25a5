"""Headroom: the largest rate passes and the next number fails."""

from dataclasses import replace
from math import inf, nextafter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.gates.headroom import find_largest_rate
from planner.gates.verdict import judge_capacity
from planner.topology.loads import SMALLEST
from planner.values import Load, Model, Scaling, Topology
from tests.planner.gate_cases import FPD, RUNNING, cases, measure, within

MODELS = st.sampled_from(["mmk", "ggk", "ggk-whitt"])
ORIGINS = st.sampled_from(["running", "planned"])


@given(cases(), MODELS, st.none() | st.floats(0.05, 5.0), st.none() | st.integers(1, 60), ORIGINS)
@settings(max_examples=60)
def test_at_the_headroom_it_passes_and_at_the_next_number_it_fails(
    case: tuple[Topology, Load], model: Model, t_max_seconds: float | None, k_max: int | None, origin: str
):
    topology, load = case
    if origin == "planned":
        assume(k_max is not None)
        load = replace(
            load, operators={name: one._replace(processors=None) for name, one in load.operators.items()}
        )
    limits: dict[str, Any] = {"limit": within(t_max_seconds), "k_max": k_max, "model": model}
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


def test_without_a_latency_limit_the_headroom_is_where_the_first_operator_saturates():
    verdict = judge_capacity(FPD, measure())
    assert verdict.headroom_rate == pytest.approx(13 * 130.0 / (4.0 / 0.9), rel=1e-11)
    assert verdict.binding_operator == "detector"
    other = judge_capacity(FPD, measure(), RUNNING | {"detector": 30})
    assert other.binding_operator == "generator"
    assert other.headroom_rate == pytest.approx(480.0, rel=1e-11)


def test_measured_arrivals_scale_with_the_rate():
    load = measure()
    measured = load.operators["detector"]._replace(arrival_rate=1600.0)
    load = replace(load, operators=dict(load.operators) | {"detector": measured})
    verdict = judge_capacity(FPD, load, external_rate=160.0)
    rates = {one.name: one.arrival_rate for one in verdict.estimate.operators}
    assert rates["detector"] == pytest.approx(800.0)
    assert verdict.headroom_rate == pytest.approx(320.0 * 13 * 130.0 / 1600.0, rel=1e-11)


def test_a_rate_that_is_none_is_refused():
    for rate in (-1.0, float("nan"), float("inf"), 1e30):
        with pytest.raises(InvalidLoad):
            judge_capacity(FPD, measure(), external_rate=rate)


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_the_largest_rate_is_found_to_the_last_bit(edge: float, start: float):
    assert find_largest_rate(lambda rate: 1.0 if rate <= edge else -1.0, start, 2.0 * edge) == edge
    assert find_largest_rate(lambda rate: edge - rate, start, 2.0 * edge) == edge


def test_a_condition_that_never_holds_has_no_largest_rate_and_one_that_always_holds_has_inf():
    assert find_largest_rate(lambda _: -1.0, 1.0, 2.0) is None
    assert find_largest_rate(lambda _: 1.0, 1.0, inf) == inf
    assert (find_largest_rate(lambda rate: -rate, 1.0, 2.0) or 0.0) <= SMALLEST


@pytest.mark.parametrize("scaling", [Scaling(kappa=0.002), Scaling(gamma=0.3), Scaling(0.1, 0.05, 0.001)])
def test_where_capacity_bends_the_headroom_is_what_the_running_processors_serve(scaling: Scaling):
    """The most processors that can be planned are far beyond a peak, where they would serve nearly nothing."""
    bent = replace(FPD, operators=tuple(one._replace(scaling=scaling) for one in FPD.operators))
    verdict = judge_capacity(bent, measure())
    assert verdict.passed
    headroom = verdict.headroom_rate
    assert headroom is not None
    assert headroom >= measure().external_rate
    assert judge_capacity(bent, measure(), external_rate=headroom).passed
    assert not judge_capacity(bent, measure(), external_rate=1.001 * headroom).passed
