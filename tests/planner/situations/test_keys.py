import pytest

from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import compose_decision
from planner.decisions.policy import Policy
from planner.gates.verdict import judge_capacity
from planner.gates.what_if import WhatIfTerms, explore
from planner.plans.optimal import min_processors
from planner.situations.situation import estimate
from planner.values import InstanceLoad, Load, Operator, OperatorLoad, Topology

TWELVE = Topology((Operator("score", queueing="keyed", max_parallelism=12),))


def load(rate: float, **measured: object) -> Load:
    return Load(rate, {"score": OperatorLoad(10.0, **measured)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "hottest", "following"), [(5, 3 / 12, 6), (6, 2 / 12, 12), (7, 2 / 12, 12), (12, 1 / 12, None)]
)
def test_an_estimate_says_the_groups_and_the_next_number_that_serves_more(
    count: int, hottest: float, following: int | None
):
    (one,) = estimate(TWELVE, load(30.0), {"score": count}).operators
    assert (one.groups, one.next_useful_processors) == (12, following)
    assert one.hottest_share == pytest.approx(hottest)


def test_processors_without_use_are_said():
    answer = estimate(TWELVE, load(30.0), {"score": 7})
    (said,) = [one.detail for one in answer.diagnostics if one.code == "whole-groups"]
    assert said == (
        "Of the 12 key groups of score none can be split between processors: with 7 processors the busiest of them "
        "gets as much as with 6, and less only with 12."
    )
    assert "whole-groups" not in {one.code for one in estimate(TWELVE, load(30.0), {"score": 6}).diagnostics}


def test_every_answer_names_the_next_number_that_serves_more():
    """Of 12 groups 6 and 4 instances hold as many each; more than 4 and fewer than 6 serve no more."""
    busy = load(41.0, processors=5)
    failed = judge_capacity(TWELVE, busy)
    assert not failed.passed
    said = [one.detail for one in failed.estimate.diagnostics if one.code == "whole-groups"]
    assert " ".join(said) == (
        "Of the 12 key groups of score none can be split between processors: with 5 processors the busiest of them "
        "gets as much as with 4, and less only with 6."
    )
    fits = judge_capacity(TWELVE, load(66.0, processors=6))
    said = [one.detail for one in fits.estimate.diagnostics if one.code == "whole-groups"]
    following = (
        "Of the 12 key groups of score none can be split between processors: only with 12 or more processors does the "
        "busiest of them get less than with 6. Until then a processor more helps the others alone."
    )
    assert said == [following]
    made = compose_decision(DecisionQuestion(TWELVE, busy, [5], Policy(t_max_seconds=0.5)))
    assert [one.processors for one in made.decision.recommended.operators] == [6]
    assert following in [one.detail for one in made.diagnostics]
    explored = explore(TWELVE, busy, WhatIfTerms(1.0, 0.5, None), "ggk-whitt")
    assert explored.planned is not None
    assert [one.next_useful_processors for one in explored.planned.estimate.operators] == [12]


def test_eight_instances_of_twelve_groups_do_not_carry_66_per_second():
    """Two groups at one instance get 11 per second, where it serves 10."""
    answer = estimate(TWELVE, load(66.0), {"score": 8})
    assert not answer.stable
    (one,) = answer.operators
    assert one.hottest_utilisation == pytest.approx(1.1)
    plan = min_processors(TWELVE, load(66.0), 1.0)
    assert plan.processors == {"score": 12}
    assert "with no number of processors does the busiest of them get less" in plan.explanation[0].detail


def test_without_known_groups_nothing_is_said_of_them():
    topology = Topology((Operator("score", queueing="keyed"),))
    (one,) = estimate(topology, load(30.0), {"score": 7}).operators
    assert (one.groups, one.hottest_share, one.next_useful_processors) == (None, None, None)


def test_measured_at_as_many_instances_as_groups_every_smaller_number_follows():
    """As seen on a real Flink: 10 instances of 12 groups are worse than 9."""
    shares = [(place + 1) ** -0.8 for place in (3, 7, 0, 9, 5, 11, 2, 8, 6, 1, 10, 4)]
    known = [InstanceLoad(f"score-{place}", one / sum(shares)) for place, one in enumerate(shares)]
    measured = load(20.0, instances=tuple(sorted(known, key=lambda one: -one.share)))
    for count in (5, 7, 8, 9, 10):
        dealt = [sum(shares[g] for g in range(12) if g * count // 12 == i) for i in range(count)]
        (one,) = estimate(TWELVE, measured, {"score": count}).operators
        assert one.hottest_share == pytest.approx(max(dealt) / sum(shares))


def test_instances_of_equal_shares_are_not_said_to_be_uneven():
    topology = Topology((Operator("join", queueing="keyed", max_parallelism=64),))

    def say(rate: float, count: int, **measured: object) -> str:
        answer = estimate(topology, Load(rate, {"join": OperatorLoad(10.0, **measured)}), {"join": count})  # type: ignore[arg-type]
        (said,) = [one.detail for one in answer.diagnostics if one.code == "hottest-instance"]
        return said

    assert say(188.8, 8) == (
        "The 8 processors of join get equal shares of its tuples, and each is 236% busy: all are overloaded. Only with "
        "10 or more processors does the busiest of them get less."
    )
    assert "95% busy: all are near their limit." in say(76.0, 8)
    assert say(600.0, 64).endswith(
        "With no number of processors does the busiest get less: use more key groups, or make the service faster."
    )
    assert say(90.0, 9).startswith(
        "Whole key groups spread the tuples of join unevenly: its hottest instance gets 13% of"
    )
