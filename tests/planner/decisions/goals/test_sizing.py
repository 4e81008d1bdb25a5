"""Sizing: the fewest processors with S + c·W(k) ≤ T_max, against all allocations."""

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.calibration.wait_correction import Correction
from planner.decisions.case import Case, DecisionQuestion
from planner.decisions.compose import decide
from planner.decisions.goals.sizing import (
    MOST_GROWTH,
    Factors,
    Sizing,
    find_corrected_sojourn,
    find_factors,
    find_factors_as_measured,
    size_for_target,
    split_total,
)
from planner.decisions.policy import Policy
from planner.errors import TargetUnreachable
from planner.situations.situation import assess_counts, survey_load
from planner.values import Edge, Entry, InstanceLoad, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import ask

PAIR = Topology((Operator("parse"), Operator("score")), (Edge("parse", "score", 0.5),), (Entry("parse"),))
RATES = {"parse": OperatorLoad(10.0), "score": OperatorLoad(6.0)}
SERVICE_SECONDS = 1 / 10 + 0.5 / 6
TOTAL = 9


def see(rate: float, policy: Policy, running: tuple[int, int] = (5, 5), **correction: float) -> Case:
    situation = survey_load(PAIR, Load(rate, RATES), "mmk")
    current, question = assess_counts(situation, running), ask(PAIR, situation.load, running, policy)
    case = Case(question, situation, situation, None, list(running), current)
    case.__dict__["correction"] = Correction(**correction)  # type: ignore[arg-type]
    return case


def sojourn_of(case: Case, counts: tuple[int, ...], factor: float) -> float:
    """S + c·W by the estimate of the whole topology; inf where an operator cannot keep up."""
    expected = assess_counts(case.situation, counts).expected_sojourn_seconds
    return float("inf") if expected is None else SERVICE_SECONDS + factor * (expected - SERVICE_SECONDS)


@given(st.floats(1.0, 30.0), st.floats(0.2, 0.6), st.floats(0.2, 3.0))
def test_no_fewer_processors_meet_the_target_with_waits_as_measured(
    rate: float, target: float, factor: float
):
    case = see(rate, Policy(t_max_seconds=target))
    found = size_for_target(case, case.situation, Factors(factor))
    counts = (found.counts[0], found.counts[1])
    assume(found.total < MOST_GROWTH * sum(case.running))  # beyond, the answer is cut short on purpose
    assert sojourn_of(case, counts, factor) <= target * (1 + 1e-9)
    fewer = [one for one in product(range(1, TOTAL + 9), repeat=2) if sum(one) == found.total - 1]
    assert all(sojourn_of(case, one, factor) > target * (1 - 1e-9) for one in fewer)
    assert find_corrected_sojourn(found, counts) == pytest.approx(sojourn_of(case, counts, factor))


def test_own_queues_that_take_more_decide_and_say_so():
    case = see(20.0, Policy(t_max_seconds=0.25))
    shared = size_for_target(case, case.situation, Factors(1.5))
    own = size_for_target(case, case.situation, Factors(1.5, 1.0))
    assert own.is_own
    assert own.total > shared.total
    assert find_corrected_sojourn(own, own.counts) <= 0.25 + 1e-9
    assert sum(split_total(own, 16)) == 16


def test_a_budget_that_is_too_small_has_its_best_split_and_is_named():
    case = see(20.0, Policy(t_max_seconds=0.2, k_max=6))
    found = size_for_target(case, case.situation, Factors())
    assert found.total == 6
    assert [one.code for one in found.constraints] == ["k_max"]
    splits = [one for one in product(range(1, 6), repeat=2) if sum(one) == 6]
    assert tuple(found.counts) == min(splits, key=lambda one: sojourn_of(case, one, 1.0))


def test_what_a_correction_asks_for_comes_in_steps_of_twice_what_runs():
    case = see(20.0, Policy(t_max_seconds=0.2), running=(3, 3))
    assert size_for_target(case, case.situation, Factors(1e6)).total == MOST_GROWTH * 6
    impossible = see(20.0, Policy(t_max_seconds=0.1), running=(3, 3))
    with pytest.raises(TargetUnreachable):
        size_for_target(impossible, case.situation, Factors())


def test_without_load_the_least_that_is_allowed_is_enough():
    case = see(0.0, Policy(t_max_seconds=0.25))
    assert size_for_target(case, case.situation, Factors()).counts == [1, 1]
    assert find_corrected_sojourn(Sizing([1, 1], case.situation, Factors()), [1, 1]) == 0.0


def test_a_wait_shorter_than_modelled_counts_only_while_the_target_is_met():
    short, long = (see(20.0, Policy(t_max_seconds=0.3), shared=one, own=0.8) for one in (0.5, 1.5))
    assert find_factors(short) == Factors(1.0)
    assert find_factors_as_measured(short) == Factors(0.5)
    assert find_factors(long) == find_factors_as_measured(long) == Factors(1.5, 0.8)
    assert short.situation.find_lower_bound() == pytest.approx(SERVICE_SECONDS)


def test_whole_key_groups_that_forbid_the_target_still_get_what_helps():
    topology = Topology(
        (Operator("a"), Operator("b", queueing="keyed", max_parallelism=8)), (Edge("a", "b"),)
    )
    shares = tuple(InstanceLoad(str(at), share) for at, share in enumerate((0.4, 0.2, 0.2, 0.2)))
    operators = {
        "a": OperatorLoad(10.0, 30.0, 1.0, 1.0, 5),
        "b": OperatorLoad(10.0, 30.0, 1.0, 1.0, 4, instances=shares),
    }
    load = Load(30.0, operators, 3.0)

    def run(target: float) -> list[int]:
        question = DecisionQuestion(topology, load, (5, 4), Policy(t_max_seconds=target), newest_rate=30.0)
        return [one.processors for one in decide(question).recommended.operators]

    assert run(0.9) == [4, 8]
    assert run(0.22) == run(0.25) == [5, 8]


def test_where_an_operator_has_its_most_processors_the_others_do_not_grow_decision_by_decision():
    bounded = Topology((Operator("parse"), Operator("score", max_processors=3)), PAIR.edges, PAIR.entries)
    situation = survey_load(bounded, Load(20.0, RATES), "mmk")
    counts, totals = [5, 3], []
    for _ in range(4):
        current, question = (
            assess_counts(situation, counts),
            ask(bounded, situation.load, counts, Policy(t_max_seconds=0.25)),
        )
        case = Case(question, situation, situation, None, counts, current)
        case.__dict__["correction"] = Correction(shared=8.0)
        counts = size_for_target(case, situation, Factors(8.0)).counts
        totals.append(sum(counts))
    assert counts[1] == 3
    assert totals[-1] == totals[0] <= 8
