"""Counterfactuals beside brute force: one processor fewer, and the rates up to which an answer holds."""

from itertools import product
from math import inf, nextafter

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from planner.allocation.allocate import EvenSplit
from planner.gates.headroom import as_finite, find_counterfactuals
from planner.plans.optimal import min_processors
from planner.situations.situation import assess_counts, scale_load, survey_load
from planner.targets.target import SojournTarget
from planner.values import Load, Operator, OperatorLoad, Topology
from planner.wording import write_seconds
from tests.planner.gate_cases import FPD, RUNNING, cases, measure

NOTHING_WAITS = (
    Topology((Operator("a"),)),
    Load(1.0, {"a": OperatorLoad(service_rate=1.0, arrival_scv=0.0, service_scv=0.0, processors=1)}),
)


def search_best(topology: Topology, load: Load, total: int) -> float | None:
    """The least E[T] of all splits of `total`; None where none is stable."""
    situation, size = survey_load(topology, load, "ggk"), len(topology.operators)
    found = [
        assess_counts(situation, counts).expected_sojourn_seconds
        for counts in product(range(1, total + 1), repeat=size)
        if sum(counts) == total
        and all(k <= (one.max_processors or inf) for k, one in zip(counts, topology.operators, strict=True))
    ]
    return min([seconds for seconds in found if seconds is not None], default=None)


@given(cases(), st.integers(0, 4))
@example(NOTHING_WAITS, 2)
@settings(max_examples=40)
def test_one_fewer_is_the_best_of_all_splits(case: tuple[Topology, Load], more: int):
    topology, load = case
    situation = survey_load(topology, load, "ggk")
    least = [curve.floor for curve in situation.stations.curves]
    assume(sum(least) <= 14)
    counts = [least[0] + more, *least[1:]]
    assume(all(k <= (one.max_processors or inf) for k, one in zip(counts, topology.operators, strict=True)))
    found = find_counterfactuals(situation, counts, None)
    best = (
        search_best(topology, load, sum(counts) - 1) if len(least) <= 3 else found.one_fewer_sojourn_seconds
    )
    if more == 0:
        assert (found.one_fewer_processors, found.one_fewer_sojourn_seconds) == (None, None)
        assert "could not keep up" in found.one_fewer_detail
    elif not any(one.max_processors for one in topology.operators):
        assert found.one_fewer_sojourn_seconds == pytest.approx(best, rel=1e-12)
        # fewer still where a processor gains nothing: it stays unused
        assert sum((found.one_fewer_processors or {}).values()) <= sum(counts) - 1


@pytest.mark.parametrize("t_max_seconds", [None, 0.07, 0.2])
@pytest.mark.parametrize("correction", [1.0, 1.7])
def test_an_answer_holds_up_to_the_rate_said_and_no_further(t_max_seconds: float | None, correction: float):
    situation = survey_load(FPD, measure(100.0), "ggk-whitt")
    counts = list(RUNNING.values())
    target = None if t_max_seconds is None else SojournTarget(t_max_seconds)
    found = find_counterfactuals(situation, counts, target, correction=correction)
    assert ("the estimated E[T] would be" in found.one_fewer_detail) == (correction == 1.0)

    def holds(rate: float) -> bool:
        scaled = scale_load(situation, rate)
        seconds = assess_counts(scaled, counts).expected_sojourn_seconds
        if seconds is None:
            return False
        service = scaled.find_lower_bound()
        stretched = service + correction * (seconds - service)
        return t_max_seconds is None or stretched <= t_max_seconds * (1 + 1e-12)

    edge = found.holds_up_to_rate
    assert edge is not None
    assert holds(edge * (1 - 1e-9))
    assert not holds(nextafter(edge, inf) * (1 + 1e-9))
    assert found.one_fewer_up_to_rate is not None


def test_the_fewest_processors_for_a_target_are_needed_from_the_rate_said():
    load = measure(250.0)
    plan = min_processors(FPD, load, 0.06)
    found = find_counterfactuals(
        survey_load(FPD, load, plan.estimate.model), list(plan.processors.values()), SojournTarget(0.06)
    )
    assert found.one_fewer_sojourn_seconds is None or found.one_fewer_sojourn_seconds > 0.06
    rate = found.one_fewer_up_to_rate
    assert rate is not None
    assert rate < 250.0
    at = Load(rate * (1 - 1e-9), load.operators)
    assert min_processors(FPD, at, 0.06).estimate.processors_total < plan.estimate.processors_total
    above = Load(rate * (1 + 1e-9), load.operators)
    assert min_processors(FPD, above, 0.06).estimate.processors_total == plan.estimate.processors_total


def test_waits_as_measured_stretch_the_wait_alone_and_the_longer_kind_of_queue_counts():
    situation = survey_load(FPD, measure(250.0), "ggk-whitt")
    counts = [9, 14, 3]
    service = situation.find_lower_bound()
    plain = find_counterfactuals(situation, counts, SojournTarget(0.5)).one_fewer_sojourn_seconds or 0.0
    twice = (
        find_counterfactuals(situation, counts, SojournTarget(0.5), correction=2.0).one_fewer_sojourn_seconds
        or 0.0
    )
    assert twice - service == pytest.approx(2.0 * (plain - service), rel=1e-12)
    own = find_counterfactuals(situation, counts, SojournTarget(0.5), own_correction=1.0)
    queues = EvenSplit.prepare(situation.stations)
    expected = service + queues.waiting(queues.allocate(0.0, 25)) / 250.0
    assert own.one_fewer_sojourn_seconds == pytest.approx(expected, rel=1e-12)
    assert "a queue at each processor" in own.one_fewer_detail
    chosen = write_seconds(service + queues.waiting(counts) / 250.0)
    assert f"(with 26: {chosen}; tuples wait as long as the model with a queue" in own.one_fewer_detail
    assert "In their best split 25 processors meet the target up to 464/s; in the recommended split 26 " in (
        own.one_fewer_detail
    )
    assert expected > plain


def test_no_infinity_is_answered():
    assert as_finite(inf) is None
    assert as_finite(3.0) == 3.0
    found = find_counterfactuals(survey_load(FPD, measure(0.0), "mmk"), [1, 1, 1], None)
    assert found.one_fewer_processors is None
