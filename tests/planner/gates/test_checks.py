"""Checks: each fails alone."""

from dataclasses import replace

from planner.gates.verdict import judge_capacity
from planner.values import Operator
from tests.planner.gate_cases import FPD, measure, names_failed


def test_each_check_fails_alone():
    assert names_failed(judge_capacity(FPD, measure(), external_rate=400.0)) == ["stability"]
    assert names_failed(judge_capacity(FPD, measure(), k_max=21)) == ["budget"]
    assert names_failed(judge_capacity(FPD, measure(), t_max_seconds=0.05)) == ["latency"]
    bounded = replace(FPD, operators=(*FPD.operators[:2], Operator("reporter", max_processors=2)))
    verdict = judge_capacity(bounded, measure())
    assert names_failed(verdict) == ["bounds"]
    assert verdict.headroom_rate is None
    assert "no-headroom" in [said.code for said in verdict.estimate.diagnostics]
