"""The search for the fewest processors against all allocations, and its laws."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import planner.quantiles.search as search_module
from planner.errors import BoundTooSmall, QuantileUnreachable
from planner.quantiles.search import DrawnTrial, Fewest, search_fewest
from planner.quantiles.spread import draw_roots
from planner.situations.situation import survey_load
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, TimeTarget, Topology
from tests.planner.plan_cases import Case, cases, load_chain, make_chain

ROOTS = 400
targets = st.tuples(st.sampled_from(["total", "completion"]), st.sampled_from([None, 0.5, 0.9, 0.99]))


def make_trial(topology: Topology, load: Load, target: TimeTarget, roots: int = ROOTS) -> DrawnTrial:
    situation = survey_load(topology, load, "mmk")
    drawn = draw_roots(situation, roots, 1)
    assert drawn.draw is not None
    return DrawnTrial(situation, drawn.draw, target)


def make_target(case: Case, kind: tuple[str, float | None], part: float) -> TimeTarget:
    """A target between no wait and the waits of the least processors."""
    target = TimeTarget(kind[0], 1e9, kind[1])  # type: ignore[arg-type]
    trial = make_trial(case.topology, case.load, target)
    least, most = trial.time(trial.best_waits), trial.measure(trial.floors)
    return replace(target, seconds=least * 1.001 + part * (most - least))


def search(case: Case, target: TimeTarget) -> Fewest:
    return search_fewest(make_trial(case.topology, case.load, target))


def find_least(trial: DrawnTrial, total: int) -> float:
    """The shortest time of all allocations of so many processors."""
    bounds = zip(trial.floors, trial.ceilings, strict=True)
    ranges = [range(floor, min(ceiling, floor + total - sum(trial.floors)) + 1) for floor, ceiling in bounds]
    total = min(total, sum(trial.ceilings))
    return min(trial.measure(counts) for counts in product(*ranges) if sum(counts) == total)


@settings(max_examples=60)
@given(cases(), targets, st.floats(0.2, 1.0))
def test_no_allocation_of_fewer_processors_holds(case: Case, kind: tuple[str, float | None], part: float):
    trial = make_trial(case.topology, case.load, make_target(case, kind, part))
    found = search_fewest(trial)
    total = sum(found.counts)
    assert trial.measure(tuple(found.counts)) <= trial.target.seconds
    assume(total - sum(trial.floors) <= 12)
    if total > sum(trial.floors):
        assert find_least(trial, total - 1) > trial.target.seconds
    if len(found.counts) == 1 or total - sum(trial.floors) <= 3:
        assert found.is_fewest


@settings(max_examples=40)
@given(cases(), targets, st.floats(0.05, 1.0), st.floats(0.05, 1.0))
def test_a_stricter_target_never_costs_less(
    case: Case, kind: tuple[str, float | None], one: float, other: float
):
    strict, loose = (make_target(case, kind, part) for part in sorted((one, other)))
    assert sum(search(case, strict).counts) >= sum(search(case, loose).counts)


@settings(max_examples=40)
@given(cases(), targets, st.floats(0.05, 1.0), st.floats(0.3, 1.0))
def test_more_load_never_takes_fewer_processors(
    case: Case, kind: tuple[str, float | None], part: float, factor: float
):
    target = make_target(case, kind, part)
    light = replace(case.load, external_rate=factor * case.load.external_rate)
    assert sum(search(replace(case, load=light), target).counts) <= sum(search(case, target).counts)


def test_processors_move_to_the_operator_that_saves_more_of_them():
    chain = make_chain(2)
    turns = replace(chain, operators=tuple(one._replace(queueing="round-robin") for one in chain.operators))
    load = Load(200.0, {"op0": OperatorLoad(40.0), "op1": OperatorLoad(40.0 / 3.0)})
    trial = make_trial(turns, load, TimeTarget("completion", 0.53, 0.99), roots=10_000)
    total = sum(search_fewest(trial).counts)
    assert trial.measure(trial.splits.allocate(total + 1)) > trial.target.seconds
    assert find_least(trial, total - 2) > trial.target.seconds


LONG, LONG_LOAD = make_chain(14), load_chain(14)


@pytest.mark.parametrize("work", [0, 10**6])
def test_with_few_evaluations_the_target_still_holds(work: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search_module, "RANK_WORK", work)
    trial = make_trial(LONG, LONG_LOAD, TimeTarget("total", 10.0, 0.95))
    found = search_fewest(trial)
    assert not found.is_fewest
    assert trial.measure(tuple(found.counts)) <= 10.0


def test_stricter_targets_and_higher_quantiles_never_cost_less_where_not_all_splits_are_tried():
    chain, load = make_chain(6), load_chain(6)
    totals = [
        [sum(search_fewest(make_trial(chain, load, TimeTarget("completion", seconds, level))).counts)
         for seconds in (5.4, 5.5, 5.8, 6.3, 7.0)]
        for level in (0.9, 0.95, 0.99)
    ]  # fmt: skip
    for row in totals:
        assert row == sorted(row, reverse=True)
    for column in zip(*totals, strict=True):
        assert list(column) == sorted(column)


def test_a_target_below_the_services_is_unreachable_and_says_the_bound():
    topology, load = Topology((Operator("a"),)), Load(1.0, {"a": OperatorLoad(10.0, service_scv=0.0)})
    with pytest.raises(QuantileUnreachable, match="for services alone") as caught:
        search_fewest(make_trial(topology, load, TimeTarget("completion", 0.05, 0.99)))
    assert caught.value.lower_bound_seconds == pytest.approx(0.1)
    assert "The p99 of the time to completion cannot be 50 ms" in str(caught.value)


def test_a_target_below_what_the_bounds_allow_is_unreachable_and_says_so():
    topology = Topology((Operator("a", max_processors=2),))
    load = Load(19.0, {"a": OperatorLoad(10.0, service_scv=0.0)})
    with pytest.raises(QuantileUnreachable, match="with every operator at the most processors") as caught:
        search_fewest(make_trial(topology, load, TimeTarget("total", 0.2, 0.9)))
    assert caught.value.bounded
    with pytest.raises(BoundTooSmall):
        make_trial(topology, replace(load, external_rate=30.0), TimeTarget("total", 0.2, 0.9))


def test_without_input_the_least_processors_meet_any_target_above_the_services():
    topology = Topology((Operator("a", min_processors=2), Operator("b")), (Edge("a", "b"),), (Entry("a"),))
    load = Load(0.0, {name: OperatorLoad(10.0, service_scv=0.0) for name in "ab"})
    assert search_fewest(make_trial(topology, load, TimeTarget("total", 0.2, 0.9))).counts == [2, 1]
