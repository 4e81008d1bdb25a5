"""Measured completion times beside modelled ones."""

from dataclasses import replace

import pytest

from planner.quantiles.spread import add_spread
from planner.situations.situation import estimate
from planner.values import Edge, Estimate, Load, Operator, OperatorLoad, Topology

PAIR = Topology(
    (Operator("parse", queueing="shared"), Operator("score", queueing="shared")), (Edge("parse", "score"),)
)
LOAD = Load(50.0, {"parse": OperatorLoad(20.0, processors=4), "score": OperatorLoad(25.0, processors=3)})


def ask(load: Load, processors: dict[str, int] | None = None) -> Estimate:
    return add_spread(PAIR, load, estimate(PAIR, load, processors), [0.5], roots=2000)


def list_said(answer: Estimate) -> list[str]:
    return [said.detail for said in answer.diagnostics if said.code == "completion-disagrees"]


@pytest.mark.parametrize(("ratio", "said"), [(3.0, "longer than modelled"), (0.3, "less than modelled")])
def test_a_completion_far_from_the_modelled_one_is_said(ratio: float, said: str):
    spread = ask(LOAD).completion
    assert spread is not None
    (detail,) = list_said(ask(replace(LOAD, measured_completion_seconds=ratio * spread.mean_seconds)))
    assert said in detail
    assert f"is {ratio:.3g} times" in detail


def test_near_ones_other_processors_and_what_is_not_measured_are_not():
    spread = ask(LOAD).completion
    assert spread is not None
    assert not list_said(ask(LOAD))
    assert not list_said(ask(replace(LOAD, measured_completion_seconds=1.5 * spread.mean_seconds)))
    assert not list_said(ask(replace(LOAD, measured_completion_seconds=9.0), {"parse": 5, "score": 3}))
