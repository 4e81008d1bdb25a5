"""Answers for what a real engine measured tell the error that jobs on this engine had."""

from dataclasses import replace

import pytest

from planner.situations.engine_errors import ASSUMED, ENGINE_ERRORS, ESTIMATED, KNOWN, find_engine_error
from planner.situations.evidence import find_quantile_errors
from planner.situations.evidence_wording import describe_evidence, join_kind, split_kind
from planner.situations.situation import estimate
from planner.topology.loads import estimate_services
from planner.values import Load, Operator, OperatorLoad, ScvEstimate, Topology

TOPOLOGY = Topology((Operator("a", queueing="round-robin"),))
ONE = OperatorLoad(10.0, 20.0, processors=3)
ERRORS = ENGINE_ERRORS["flink"].errors
ESTIMATE = ScvEstimate(0.3, 0.1, 0.8, "lengths of queues")


def test_more_that_is_known_errs_less():
    assert 0.0 < ERRORS[KNOWN] < ERRORS[ESTIMATED] < ERRORS[ASSUMED]


@pytest.mark.parametrize("known", [ASSUMED, ESTIMATED, KNOWN])
def test_no_point_of_an_engine_is_without_an_error(known: str):
    load = Load(20.0, {"a": ONE}, engine="flink")
    load = estimate_services(load, {"a": ESTIMATE}) if known == ESTIMATED else load
    if known == KNOWN:
        load = replace(load, operators={"a": ONE._replace(service_scv=1.0, is_scv_configured=True)})
    assert find_engine_error(load) == ERRORS[known]
    evidence = estimate(TOPOLOGY, load).evidence
    assert evidence is not None
    assert evidence.known_error == ERRORS[known]
    assert evidence.kind == "round-robin, bursts not measured, on a real flink"
    said = describe_evidence(evidence.kind, evidence.known_error)
    assert said.startswith(
        f"On a real Flink the estimated E[T] of {ENGINE_ERRORS['flink'].jobs} jobs differed from"
    )
    assert find_quantile_errors(TOPOLOGY, [3], evidence) == (None, None)


def test_other_loads_are_told_what_simulations_told():
    for engine in ("", "storm"):
        load = Load(20.0, {"a": ONE}, engine=engine)
        assert find_engine_error(load) is None
        evidence = estimate(TOPOLOGY, load).evidence
        assert evidence is not None
        assert (evidence.kind, evidence.known_error) == ("round-robin, bursts not measured", None)
    unstable = estimate(TOPOLOGY, Load(20.0, {"a": ONE._replace(processors=1)}, engine="flink")).evidence
    assert unstable is not None
    assert unstable.known_error is None


def test_a_kind_is_put_together_and_taken_apart():
    for engine in ("", "flink"):
        parts = ("mixed queueings", "calm", engine)
        assert split_kind(join_kind(*parts)) == parts
