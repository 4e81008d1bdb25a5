"""Stairs whose counts are computed as far as an answer needs, beside all counts."""

from random import Random

import pytest

from planner.queueing.instances.key_shares import ASSIGNMENTS, KeyGroups
from planner.queueing.instances.stair_curves import MOST_STEPS, StairCurve
from planner.queueing.queueings import Inflow
from tests.planner.queueing.instances.instance_cases import build


def draw_curve(seed: int, groups: int = 0) -> StairCurve:
    rng = Random(seed)
    groups = groups or rng.choice([6, 12, 60, 128])
    weights = tuple(rng.random() + 0.3 for _ in range(groups)) if rng.random() < 0.7 else ()
    dealt = KeyGroups(groups, rng.choice(list(ASSIGNMENTS)), weights)
    root_batch = rng.choice([1.0, 3.0])
    curve = build(
        Inflow("keyed", groups=dealt, root_batch=root_batch), rng.uniform(0.1, 0.25) * groups
    ).curves[0]
    assert isinstance(curve, StairCurve)
    return curve


def know_all(curve: StairCurve) -> StairCurve:
    curve.look_at_all()
    return curve


@pytest.mark.parametrize("seed", range(30))
def test_answers_are_those_of_all_counts(seed: int):
    rng, whole = Random(seed), know_all(draw_curve(seed))
    lazy = draw_curve(seed)
    counts = [rng.randint(whole.floor, whole.ceiling) for _ in range(4)]
    for k in [whole.floor, *counts]:
        assert lazy[k] == whole[k]
        assert lazy.waiting(k) == whole.waiting(k)
        assert lazy.is_on_hull(k) == (k in whole.hull.counts)
        assert lazy.climb(k) == next(one for one in whole.hull.counts if one >= k) - k
        assert lazy.settle(k) == max(one for one in whole.useful.counts if one <= k)
    assert lazy.useful == whole.useful
    assert lazy.hull == whole.hull


@pytest.mark.parametrize("seed", range(30))
def test_counts_below_a_line_are_all_listed(seed: int):
    rng, whole, lazy = Random(seed), know_all(draw_curve(seed)), draw_curve(seed)
    k = whole.settle(min(whole.floor + rng.randint(0, 3), whole.ceiling))
    base, theta, allowed = whole.waiting(k), whole[k], rng.uniform(0.0, 0.5)

    def pick(curve: StairCurve) -> list[int]:
        counts, waits = curve.list_useful(base, theta, k, allowed)
        rows = zip(counts, waits, strict=True)
        return [one for one, waiting in rows if waiting - base + theta * (one - k) <= allowed]

    assert pick(lazy) == pick(whole)


def test_few_counts_are_computed_for_a_gain_near_the_floor():
    curve = build(Inflow("keyed", groups=KeyGroups(1024)), 20.0).curves[0]
    assert isinstance(curve, StairCurve)
    assert curve[curve.floor + 2] > 0.0
    assert curve.known < 200


def test_the_waits_of_useful_counts_fall():
    curve = draw_curve(7)
    waits = curve.useful.waiting
    assert waits == sorted(waits, reverse=True)
    assert [curve.count_waiting(k) for k in curve.useful.counts] == waits


def test_of_very_many_counts_some_are_left_out():
    many, few = draw_curve(1, groups=20_000), draw_curve(1, groups=60)
    assert not many.is_complete
    assert len(many.candidates) <= MOST_STEPS
    assert few.is_complete
