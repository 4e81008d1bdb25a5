"""The search for the fewest processors against all allocations, and its laws."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.errors import BoundTooSmall, QuantileUnreachable
from planner.quantiles.savings import change
from planner.quantiles.search import DrawnTrial, Fewest, follow_greedy, give_back, search_fewest
from planner.quantiles.spread import draw_roots
from planner.situations.situation import survey_load
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, TimeTarget, Topology
from tests.planner.plan_cases import Case, cases, list_neighbours, load_chain, make_chain

ROOTS = 400
targets = st.tuples(st.sampled_from(["total", "completion"]), st.sampled_from([None, 0.5, 0.9, 0.99]))


def make_trial(
    topology: Topology, load: Load, target: TimeTarget, most_work: int = 10**12, roots: int = ROOTS
) -> DrawnTrial:
    situation = survey_load(topology, load, "mmk")
    drawn = draw_roots(situation, roots, 1)
    assert drawn.draw is not None
    return DrawnTrial(situation, drawn.draw, target, 0.0, most_work)


def make_target(case: Case, kind: tuple[str, float | None], part: float) -> TimeTarget:
    """A target between no wait and the waits of the least processors."""
    target = TimeTarget(kind[0], 1e9, kind[1])  # type: ignore[arg-type]
    trial = make_trial(case.topology, case.load, target)
    least, most = trial.time(trial.best_waits), trial.measure(trial.floors)
    return replace(target, seconds=least * 1.001 + part * (most - least))


def search(case: Case, target: TimeTarget) -> Fewest:
    return search_fewest(make_trial(case.topology, case.load, target))


@settings(max_examples=100)
@given(cases(), targets, st.floats(0.05, 1.0))
def test_what_is_found_holds_and_no_neighbour_with_one_fewer_does(
    case: Case, kind: tuple[str, float | None], part: float
):
    trial = make_trial(case.topology, case.load, make_target(case, kind, part))
    found = search_fewest(trial)
    counts = tuple(found.counts)
    assert found.is_tight
    assert trial.holds(counts)
    assert found.is_fewest == (counts == trial.floors or len(counts) == 1)
    for fewer in list_neighbours(counts):
        bounds = zip(trial.floors, fewer, trial.ceilings, strict=True)
        if all(floor <= count <= ceiling for floor, count, ceiling in bounds):
            assert not trial.holds(fewer)


@settings(max_examples=100)
@given(cases(), targets, st.floats(0.05, 1.0), st.floats(0.05, 1.0))
def test_a_stricter_target_never_costs_less(
    case: Case, kind: tuple[str, float | None], one: float, other: float
):
    strict, loose = (make_target(case, kind, part) for part in sorted((one, other)))
    assert sum(search(case, strict).counts) >= sum(search(case, loose).counts)


@settings(max_examples=100)
@given(cases(), targets, st.floats(0.05, 1.0), st.floats(0.3, 1.0))
def test_more_load_never_takes_fewer_processors(
    case: Case, kind: tuple[str, float | None], part: float, factor: float
):
    target = make_target(case, kind, part)
    light = replace(case.load, external_rate=factor * case.load.external_rate)
    assert sum(search(replace(case, load=light), target).counts) <= sum(search(case, target).counts)


@settings(max_examples=30)
@given(cases(), targets, st.integers(1, 4))
def test_operators_give_back_all_that_the_target_does_not_need(
    case: Case, kind: tuple[str, float | None], spare: int
):
    trial = make_trial(case.topology, case.load, make_target(case, kind, 0.5))
    given_more = tuple(
        min(floor + spare + 3, most) for floor, most in zip(trial.floors, trial.ceilings, strict=True)
    )
    assume(trial.holds(given_more))
    found, _ = give_back(trial, given_more)
    assert trial.holds(found)
    for operator, count in enumerate(found):
        assert count == trial.floors[operator] or not trial.holds(change(found, operator, -1))


def test_processors_move_to_the_operator_that_saves_more_of_them():
    chain = make_chain(2)
    turns = replace(chain, operators=tuple(one._replace(queueing="round-robin") for one in chain.operators))
    load = Load(200.0, {"op0": OperatorLoad(40.0), "op1": OperatorLoad(40.0 / 3.0)})
    trial = make_trial(turns, load, TimeTarget("completion", 0.5528, 0.99), roots=2000)
    kept, is_tight = give_back(trial, follow_greedy(trial))
    assert is_tight
    assert sum(search_fewest(trial).counts) < sum(kept)


LONG, LONG_LOAD = make_chain(14), load_chain(14)


@pytest.mark.parametrize("most_work", [0, 10**7])
def test_with_few_evaluations_the_target_still_holds(most_work: int):
    target = TimeTarget("total", 10.0, 0.95)
    trial = make_trial(LONG, LONG_LOAD, target, most_work)
    found = search_fewest(trial)
    assert not found.is_fewest
    checked = make_trial(LONG, LONG_LOAD, target)
    assert checked.holds(tuple(found.counts))
    if found.is_tight:
        for operator, count in enumerate(found.counts):
            fewer = [*found.counts]
            fewer[operator] = count - 1
            assert count == checked.floors[operator] or not checked.holds(tuple(fewer))


def test_a_target_below_the_services_is_unreachable_and_says_the_bound():
    topology, load = Topology((Operator("a"),)), Load(1.0, {"a": OperatorLoad(10.0, service_scv=0.0)})
    with pytest.raises(QuantileUnreachable, match="for services alone") as caught:
        search_fewest(make_trial(topology, load, TimeTarget("completion", 0.05, 0.99)))
    assert caught.value.lower_bound_seconds == pytest.approx(0.1)
    assert "The 99% quantile of completion cannot be 50 ms" in str(caught.value)


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
