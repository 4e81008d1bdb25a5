"""Situations: at another external rate, and with the network of their topology."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.situations.situation import assess_counts, check_rate, scale_load, survey_load
from planner.topology.network import index_topology
from planner.values import Load, Topology
from tests.planner.gate_cases import FPD, cases, measure


def test_a_situation_carries_the_network_of_its_topology_at_every_rate():
    situation = survey_load(FPD, measure(), "mmk")
    assert situation.flow.network == index_topology(FPD)
    assert scale_load(situation, 1.0).flow.network is situation.flow.network


def test_counts_are_named_in_topology_order():
    assert survey_load(FPD, measure(), "mmk").name_counts([3, 2, 1]) == {
        "generator": 3,
        "detector": 2,
        "reporter": 1,
    }


@given(cases(), st.just(0.0) | st.floats(1e-6, 3.0))
@settings(max_examples=60)
def test_a_scaled_load_is_what_would_be_estimated_at_that_rate(case: tuple[Topology, Load], factor: float):
    topology, load = case
    rate = factor * load.external_rate
    counts = [one.processors or 1 for one in load.operators.values()]
    scaled = assess_counts(scale_load(survey_load(topology, load, "ggk"), rate), counts)
    fresh = assess_counts(survey_load(topology, replace(load, external_rate=rate), "ggk"), counts)
    assert scaled.unstable_operators == fresh.unstable_operators
    assert (scaled.expected_sojourn_seconds or 0.0) == pytest.approx(
        fresh.expected_sojourn_seconds or 0.0, rel=1e-9
    )
    assert [one.code for one in scaled.diagnostics] == [one.code for one in fresh.diagnostics]


def test_a_rate_that_would_take_too_many_processors_is_refused():
    situation = survey_load(FPD, measure(), "mmk")
    check_rate(situation, 1e9)
    with pytest.raises(InvalidLoad, match="more than can be planned"):
        check_rate(situation, 1e14)
