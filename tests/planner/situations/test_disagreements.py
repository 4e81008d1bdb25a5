"""Measured sojourns far from the estimate: the causes, each with its number."""

from dataclasses import replace

import pytest

from planner.queueing.instances.inflows import requeue
from planner.situations.situation import estimate
from planner.values import (
    Edge,
    Entry,
    Estimate,
    IdcPoint,
    InstanceLoad,
    Load,
    Operator,
    OperatorLoad,
    Topology,
)
from planner.wording import write_seconds
from tests.planner.plan_cases import PAIR, codes, load_pair


@pytest.mark.parametrize(("factor", "said"), [(0.4, True), (0.6, False), (1.9, False), (2.1, True)])
def test_a_measured_sojourn_far_from_the_estimate_is_said(factor: float, said: bool) -> None:  # noqa: FBT001  # a table's column
    expected = estimate(PAIR, load_pair()).expected_sojourn_seconds
    assert expected is not None
    answer = estimate(PAIR, load_pair(measured_sojourn_seconds=factor * expected))
    assert ("sojourn-disagrees" in codes(answer)) == said


def list_causes(answer: Estimate) -> list[str]:
    (said,) = [one.detail for one in answer.diagnostics if one.code == "sojourn-disagrees"]
    return said.split("give: ")[1].split("; ")


def test_one_processor_shares_its_queue_and_its_keys_with_none() -> None:
    single = Topology((Operator("a"),), (), (Entry("a"),))
    causes = list_causes(estimate(single, Load(2.0, {"a": OperatorLoad(4.0, processors=1)}, 5.0)))
    for cause, named in zip(causes, ("(1) tuples arrive in bursts", "network", "too high"), strict=True):
        assert named in cause


def test_what_may_be_behind_a_longer_sojourn_is_listed_the_likeliest_first_with_numbers() -> None:
    causes = list_causes(estimate(PAIR, load_pair(measured_sojourn_seconds=20.0)))
    for cause, named in zip(
        causes, ("queue of its own", "bursts", "skewed", "network", "too high"), strict=True
    ):
        assert named in cause


BURSTS = tuple([IdcPoint(0.5 * 2.0**i, 6.0) for i in range(5)])
CALM = OperatorLoad(3.0, processors=5, arrival_scv=1.5, service_scv=0.5)
HOT = (InstanceLoad("0", 0.3), *(InstanceLoad(str(i), 0.175) for i in range(1, 5)))


@pytest.mark.parametrize("idc", [(), BURSTS])
def test_the_number_of_a_cause_is_the_estimate_with_that_change(idc: tuple[IdcPoint, ...]) -> None:
    topology = Topology((Operator("a"), Operator("b")), (Edge("a", "b", 1.2),), (Entry("a"),))
    load = Load(7.0, {"a": CALM._replace(arrival_idc=idc), "b": CALM}, 50.0)

    def take(named: Topology, changed: Load = load) -> str:
        seconds = estimate(named, changed).expected_sojourn_seconds
        assert seconds is not None
        return f" {write_seconds(seconds)}"

    causes = list_causes(estimate(topology, load))
    in_turn, at_random, keyed = (requeue(topology, "ab", name) for name in ("round-robin", "random", "keyed"))
    assert f"{take(in_turn)} if tuples are dealt in turn,{take(at_random)} if at random" in causes[0]
    hot = {name: one._replace(instances=HOT) for name, one in load.operators.items()}
    assert f"{take(keyed, replace(load, operators=hot))} where one instance" in causes[2]
    slow = {name: one._replace(service_rate=2.7) for name, one in load.operators.items()}
    assert f"{take(topology, replace(load, operators=slow))} if they are 10% lower" in causes[4]


def test_what_is_measured_or_configured_is_no_cause() -> None:
    topology = Topology((Operator("a", queueing="round-robin"),), (), (Entry("a"),))
    load = Load(10.0, {"a": CALM._replace(arrival_idc=BURSTS)}, 500.0)
    causes = list_causes(estimate(topology, load))
    assert len(causes) == 2
    assert "network" in causes[0]
    assert "too high" in causes[1]


def test_dealing_in_turn_evens_out_a_stream_of_one_sender() -> None:
    # One sender that deals to k instances in turn: each gets every k-th tuple, whose SCV is 1/k.
    one = Topology((Operator("a"),), (), (Entry("a"),))
    load = Load(9.0, {"a": OperatorLoad(3.0, 9.0, 1.0, 1.0, 4)}, 20.0)
    causes = list_causes(estimate(one, load, model="ggk"))
    expected = (1.0 / 4.0 + 1.0) / 2.0 * 0.75 / (3.0 * 0.25) + 1.0 / 3.0
    assert f"{write_seconds(expected)} if tuples are dealt in turn" in causes[0]


def test_what_may_be_behind_a_shorter_sojourn_is_listed_and_nothing_is_infinite() -> None:
    causes = list_causes(estimate(PAIR, load_pair(measured_sojourn_seconds=1e-3)))
    for cause, named in zip(causes, ("fork", "vary less", "too low"), strict=True):
        assert named in cause
    near = list_causes(estimate(PAIR, load_pair(external_rate=11.9, measured_sojourn_seconds=900.0)))
    assert "unbounded" in near[2]
    assert not [cause for cause in near if "inf" in cause or "nan" in cause]


def test_a_sojourn_measured_under_other_processors_is_not_compared() -> None:
    answer = estimate(PAIR, load_pair(measured_sojourn_seconds=100.0), {"a": 5, "b/c~d": 5})
    assert "sojourn-disagrees" not in codes(answer)
