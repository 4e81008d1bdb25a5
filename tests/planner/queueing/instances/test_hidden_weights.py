"""Shares of instances of which only sums of groups were measured, beside groups that were drawn."""

import numpy as np
import pytest

from planner.queueing.instances.hidden_weights import LEVEL, expect_shares
from planner.queueing.instances.key_shares import find_groups, find_key_shares
from planner.values import InstanceLoad, Operator, OperatorLoad
from tests.planner.group_cases import draw_case

DEALS = {
    "contiguous": lambda number, k: np.arange(number) * k // number,
    "round-robin": lambda number, k: np.arange(number) % k,
}


def hold(weights: np.ndarray, owners: np.ndarray, k: int) -> np.ndarray:
    return np.bincount(owners, weights, k)


def name_shares(shares: np.ndarray) -> list[InstanceLoad]:
    return [InstanceLoad(f"a-{place}", float(share)) for place, share in enumerate(shares)]


@pytest.mark.parametrize("rule", DEALS)
@pytest.mark.parametrize("skew", [0.3, 0.8])
def test_the_busiest_instance_seldom_gets_more(rule: str, skew: float):
    rng, above, tried = np.random.default_rng(3), 0, 0
    for _ in range(60):
        number, at = int(rng.integers(12, 80)), int(rng.integers(4, 12))
        weights = rng.lognormal(0.0, skew, number)
        weights /= weights.sum()
        before = DEALS[rule](number, at)
        for k in {int(one) for one in rng.integers(2, number + 1, 6)} - {at}:
            after = DEALS[rule](number, k)
            found = expect_shares(name_shares(hold(weights, before, at)), before, after, k)
            assert found.sum() == pytest.approx(1.0)
            assert (found >= 0.0).all()
            above += hold(weights, after, k).max() > found.max()
            tried += 1
    assert above / tried < 2.0 * (1.0 - LEVEL)


def test_what_is_known_stays_as_it_is():
    rng = np.random.default_rng(4)
    weights = rng.lognormal(0.0, 0.8, 24)
    weights /= weights.sum()
    for number in (24, 12, 6, 3, 1):  # whole measured instances are put together
        before, after = DEALS["contiguous"](24, 24 if number == 24 else 12), DEALS["contiguous"](24, number)
        found = expect_shares(name_shares(hold(weights, before, before.max() + 1)), before, after, number)
        assert found == pytest.approx(hold(weights, after, number))


def test_instances_without_a_group_get_nothing_and_names_count_as_numbers():
    before = np.arange(12) * 3 // 12
    found = expect_shares(name_shares(np.array([0.5, 0.3, 0.2])), before, np.arange(12), 15)
    assert (found[12:] == 0.0).all()
    assert found[:12].sum() == pytest.approx(1.0)
    names = [
        InstanceLoad(f"a-{place}", 0.1 * (place == 2) + 0.9 / 11) for place in (10, 2, 0, 1, *range(3, 10))
    ]
    before = np.arange(22) // 2
    found = expect_shares(names, before, before, 11)
    assert int(np.argmax(found)) == 2


def test_plans_alone_are_ready_for_uneven_groups():
    case = draw_case(1, "fewer instances", "processors")
    operator, measured = case.topology.operators[1], case.load.operators["keyed"]
    guess, ready = (find_groups(operator, measured, is_ready=flag) for flag in (False, True))
    assert guess is not None
    assert ready == guess._replace(is_ready=True)
    shown = find_key_shares(Operator("a", queueing="keyed", max_parallelism=12), OperatorLoad())
    assert shown is not None
    assert shown.groups is not None
    assert not shown.groups.is_ready
