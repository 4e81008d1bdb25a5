"""Rungs: the fewest processors of a rate, and the highest rate that they carry."""

from dataclasses import replace
from itertools import pairwise
from math import inf
from random import Random

import pytest

from planner.economics.needs import Needs, climb, find_log
from planner.queueing.instances.stair_curves import StairCurve
from planner.situations.situation import assess_counts, survey_load
from planner.values import DEFAULT_MODEL, Edge, InstanceLoad, Load, Operator, OperatorLoad, Topology
from tests.planner.economics.loads import TARGET, need_row, survey_row


def bisect_capacity(counts: tuple[int, ...]) -> float:
    low, high = 0.0, 200.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        seconds = assess_counts(survey_row(middle), counts).expected_sojourn_seconds
        low, high = (middle, high) if seconds is not None and seconds <= TARGET else (low, middle)
    return low


@pytest.mark.parametrize("counts", [(1, 1), (2, 4), (4, 6), (20, 30)])
@pytest.mark.parametrize("near", [0.2, 0.9, 1.0, 1.1, 3.0])
def test_a_capacity_is_the_highest_rate_within_the_target(counts: tuple[int, ...], near: float):
    expected = bisect_capacity(counts)
    assert need_row().measure(counts, near * expected).capacity == pytest.approx(expected, rel=0.01)


def test_an_operator_is_full_where_its_utilisation_is_one():
    rung = need_row().measure((4, 6), 20.0)
    assert rung.full == pytest.approx((40.0, 40.0))
    assert rung.saturation == pytest.approx(40.0)


def test_rungs_are_the_needs_of_rising_rates():
    needs = need_row()
    rungs = climb(needs, 10.0, 60.0)
    assert rungs[0].counts == needs.find(10.0)
    assert rungs[-1].capacity >= 60.0
    assert [one.capacity for one in rungs] == sorted(one.capacity for one in rungs)
    assert [one.total for one in rungs] == sorted(one.total for one in rungs)


def test_a_budget_bounds_the_need():
    strict = replace(need_row(), target_seconds=0.26)
    assert sum(strict.find(60.0)) > 19
    assert sum(replace(strict, k_max=19).find(60.0)) == 19


def test_longer_waits_need_as_much_as_a_stricter_target():
    needs = need_row()
    assert sum(needs.correct(3.0).find(20.0)) > sum(needs.find(20.0)) >= sum(needs.correct(0.5).find(20.0))


def test_a_target_out_of_reach_has_no_rungs():
    assert climb(need_row().correct(inf), 10.0, 60.0) == []


def test_nothing_has_no_logarithm():
    assert find_log(0.0) == -inf


def draw_keyed(seed: int) -> Needs:
    """Needs of a row of keyed operators with shares that were measured, as after another history for each seed."""
    rng = Random(seed)
    names = [f"o{place}" for place in range(4)]
    groups = rng.choice([12, 128])
    operators = tuple(Operator(name, queueing="keyed", max_parallelism=groups) for name in names)
    measured = {}
    for name in names:
        running = rng.randint(2, 9)
        shares = [rng.uniform(0.7, 1.3) for _ in range(running)]
        instances = tuple(InstanceLoad(str(place), one / sum(shares)) for place, one in enumerate(shares))
        measured[name] = OperatorLoad(
            rng.uniform(8.0, 60.0), 20.0, 1.1, 1.3, running, instances=instances[: running * (seed % 3 > 0)]
        )
    topology = Topology(operators, tuple(Edge(a, b) for a, b in pairwise(names)))
    situation = survey_load(topology, Load(20.0, measured), DEFAULT_MODEL, is_open=True)
    return Needs(situation, rng.uniform(1.3, 4.0) * situation.find_lower_bound())


@pytest.mark.parametrize("seed", range(12))
def test_a_ladder_that_looks_as_far_as_it_must_is_that_of_all_counts(
    seed: int, monkeypatch: pytest.MonkeyPatch
):
    needs = draw_keyed(seed)
    found = climb(needs, 10.0, 40.0)
    monkeypatch.setattr(StairCurve, "list_further", lambda curve: list(curve.candidates[curve.known :]))
    assert climb(draw_keyed(seed), 10.0, 40.0) == found
    assert found
