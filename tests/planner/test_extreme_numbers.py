"""Numbers at the ends of what floats hold: every answer is finite, and every refusal is one of the planner."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.calibration.calibrate import calibrate
from planner.calibration.modelled_waits import Interval
from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import compose_decision
from planner.decisions.policy import Policy
from planner.errors import PlannerError
from planner.gates.verdict import judge_capacity
from planner.gates.what_if import WhatIfTerms, explore
from planner.plans.optimal import min_latency, min_processors
from planner.plans.proportional import proportional
from planner.plans.quantile import min_processors_within
from planner.plans.tradeoff import tradeoff
from planner.quantiles.spread import add_spread
from planner.simulation.simulate import simulate
from planner.situations.situation import estimate
from planner.topology.smoothing import smooth_ewma, smooth_window
from planner.values import (
    Edge,
    Entry,
    IdcPoint,
    InstanceLoad,
    Load,
    Operator,
    OperatorLoad,
    ServiceBucket,
    TimeTarget,
    Topology,
)

ROOTS = 1000
ALLOWED = [1e-15, 1e-9, 0.1, 1.0, 8.0, 30.0, 1e6, 1e9, 1e15]
EXTREME = st.sampled_from([*(ALLOWED * 4), 5e-324, 1e308])
OR_ZERO = st.one_of(st.just(0.0), EXTREME)
MAYBE = st.one_of(st.none(), OR_ZERO)
COUNTS = st.sampled_from([1, 2, 7, 1_000_000_000])
QUEUEINGS = st.sampled_from([None, "shared", "round-robin", "random", "keyed"])


@st.composite
def draw_operator_load(draw: st.DrawFn) -> OperatorLoad:
    instances = draw(st.lists(EXTREME, max_size=3))
    buckets = draw(st.lists(st.tuples(EXTREME, st.sampled_from([0, 1, 10**18])), max_size=3))
    return OperatorLoad(
        draw(EXTREME),
        draw(st.one_of(st.none(), st.none(), OR_ZERO)),
        draw(MAYBE),
        draw(MAYBE),
        draw(COUNTS),
        tuple(
            IdcPoint(seconds, draw(OR_ZERO)) for seconds in sorted(set(draw(st.lists(EXTREME, max_size=3))))
        ),
        tuple(InstanceLoad(f"{place}", share) for place, share in enumerate(sorted(instances, reverse=True))),
        tuple(ServiceBucket(*one) for one in sorted(dict(buckets).items())),
        measured_wait_seconds=draw(MAYBE),
        wait_factor=draw(st.one_of(st.none(), EXTREME)),
        backlog_tuples=draw(MAYBE),
    )


@st.composite
def draw_case(draw: st.DrawFn) -> tuple[Topology, Load]:
    operators = tuple(
        Operator(name, max_processors=draw(st.one_of(st.none(), COUNTS)), queueing=draw(QUEUEINGS))
        for name in "ab"
    )
    edges = [
        Edge("a", "b", draw(OR_ZERO)),
        *draw(st.lists(st.builds(Edge, st.just("b"), st.just("a"), OR_ZERO), max_size=1)),
    ]
    topology = Topology(operators, tuple(edges), (Entry("a", draw(EXTREME)),))
    loads = {name: draw(draw_operator_load()) for name in "ab"}
    return topology, Load(draw(OR_ZERO), loads, draw(MAYBE), draw(MAYBE))


def list_numbers(value: object) -> list[float]:
    """All floats inside of an answer; what an answer leaves out of its repr is working data, and may hold infinity."""
    if isinstance(value, float):
        return [value]
    if is_dataclass(value):
        return [
            number
            for field in fields(value)
            if field.repr
            for number in list_numbers(getattr(value, field.name))
        ]
    if isinstance(value, dict):
        return [number for one in value.values() for number in list_numbers(one)]
    if isinstance(value, tuple | list):
        return [number for one in value for number in list_numbers(one)]
    return []


Ask = Callable[[Topology, Load, float], Any]
COUNT = {"a": 7, "b": 7}
QUESTIONS: dict[str, Ask] = {
    "estimate": lambda topology, load, _: estimate(topology, load),
    "quantiles": lambda topology, load, _: add_spread(
        topology, load, estimate(topology, load, COUNT), [0.5, 0.99], ROOTS
    ),
    "min_latency": lambda topology, load, _: min_latency(topology, load, 20),
    "min_processors": min_processors,
    "tradeoff": tradeoff,
    "proportional": proportional,
    "min_processors_within": lambda topology, load, seconds: min_processors_within(
        topology, load, TimeTarget("completion", seconds, 0.9), roots=ROOTS
    ),
    "gate": lambda topology, load, seconds: judge_capacity(
        topology, load, COUNT, limit=TimeTarget("total", seconds)
    ),
    "gate at a rate": lambda topology, load, rate: judge_capacity(topology, load, COUNT, external_rate=rate),
    "what-if": lambda topology, load, seconds: explore(topology, load, WhatIfTerms(t_max_seconds=seconds)),
    "smooth_ewma": lambda _, load, seconds: smooth_ewma([load, load], min(seconds, 0.5)),
    "smooth_window": lambda _, load, __: smooth_window([load, load], 2),
    "calibrate": lambda topology, load, _: calibrate(topology, load, [Interval(load)], "ggk-whitt"),
    "decision": lambda topology, load, seconds: compose_decision(
        DecisionQuestion(topology, load, [7, 7], Policy(k_max=20, t_max_seconds=seconds))
    ),
    "decision on intervals": lambda topology, load, _: compose_decision(
        DecisionQuestion(topology, load, [7, 7], Policy(k_max=20), intervals=[Interval(load)] * 3)
    ),
    "decision to catch up": lambda topology, load, seconds: compose_decision(
        DecisionQuestion(topology, load, [7, 7], Policy(t_max_seconds=1.0, catch_up_seconds=seconds))
    ),
    "decision for beta": lambda topology, load, beta: compose_decision(
        DecisionQuestion(topology, load, [7, 7], Policy(beta=beta, scale_down_window_seconds=60.0))
    ),
    "decision for a quantile": lambda topology, load, seconds: compose_decision(
        DecisionQuestion(topology, load, [7, 7], Policy(target=TimeTarget("completion", seconds, 0.9)))
    ),
    "simulate": lambda topology, load, _: simulate(topology, load, COUNT, roots=100),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", QUESTIONS)
@settings(max_examples=30)
@given(draw_case(), EXTREME)
def test_an_answer_is_finite_or_a_refusal(name: str, case: tuple[Topology, Load], number: float):
    with suppress(PlannerError):
        assert all(isfinite(one) for one in list_numbers(QUESTIONS[name](*case, number)))
