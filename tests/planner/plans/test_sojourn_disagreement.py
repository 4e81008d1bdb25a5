"""Measured sojourns far from the estimate: the causes, each with its number."""

import pytest

from planner.plans.estimation import estimate
from planner.values import Entry, Estimate, Load, Operator, OperatorLoad, Topology
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
    for cause, named in zip(causes, ("(1) arrivals come in bursts", "network", "too high"), strict=True):
        assert named in cause


def test_what_may_be_behind_a_longer_sojourn_is_listed_the_likeliest_first_with_numbers() -> None:
    causes = list_causes(estimate(PAIR, load_pair(measured_sojourn_seconds=20.0)))
    for cause, named in zip(
        causes, ("queue of its own", "bursts", "skewed", "network", "too high"), strict=True
    ):
        assert named in cause
    # M/M/1 at each instance, for Poisson arrivals that are dealt at random: 1/(μ − λ/k).
    load = load_pair(measured_sojourn_seconds=20.0)
    expected = sum(
        visits / (one.service_rate - one.arrival_rate / one.processors)
        for visits, one in zip((1.0, 2.0), estimate(PAIR, load).operators, strict=True)
    )
    assert f"{expected:.4g} s at random" in causes[0]


def test_dealing_in_turn_evens_out_a_stream_of_one_sender() -> None:
    # One sender that deals to k instances in turn: each gets every k-th tuple, whose SCV is 1/k.
    one = Topology((Operator("a"),), (), (Entry("a"),))
    load = Load(9.0, {"a": OperatorLoad(3.0, 9.0, 1.0, 1.0, 4)}, 20.0)
    causes = list_causes(estimate(one, load, model="ggk"))
    expected = (1.0 / 4.0 + 1.0) / 2.0 * 0.75 / (3.0 * 0.25) + 1.0 / 3.0
    assert f"{expected:.4g} s where tuples are dealt in turn" in causes[0]


def test_what_may_be_behind_a_shorter_sojourn_is_listed_and_nothing_is_infinite() -> None:
    causes = list_causes(estimate(PAIR, load_pair(measured_sojourn_seconds=1e-3)))
    for cause, named in zip(causes, ("fork", "vary less", "too low"), strict=True):
        assert named in cause
    near = list_causes(estimate(PAIR, load_pair(external_rate=11.9, measured_sojourn_seconds=900.0)))
    assert "no end" in near[2]
    assert not [cause for cause in near if "inf" in cause or "nan" in cause]


def test_a_sojourn_measured_under_other_processors_is_not_compared() -> None:
    answer = estimate(PAIR, load_pair(measured_sojourn_seconds=100.0), {"a": 5, "b/c~d": 5})
    assert "sojourn-disagrees" not in codes(answer)
