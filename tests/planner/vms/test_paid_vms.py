"""VMs that are paid for stay until their period ends; those of several sizes are bought as the cheapest mix."""

from itertools import product
from operator import ge

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.placements.vm_acquisition import VmSize, tabulate_prices
from planner.vms.paid_vms import PaidVms, VmPrices, count_costs, keep_paid

SIZES = (VmSize("small", 1, 1.0), VmSize("large", 4, 3.0))


def find_least_paid(wanted: list[int], period: int) -> int:
    """The fewest periods that give as many VMs as are wanted at each step, by trying all."""
    steps = len(wanted)
    least = steps * max(wanted)
    for begun in product(range(max(wanted) + 1), repeat=steps):
        held = [sum(begun[max(step - period + 1, 0) : step + 1]) for step in range(steps)]
        if all(map(ge, held, wanted)):
            least = min(least, sum(begun))
    return least


@settings(max_examples=40)
@given(wanted=st.lists(st.integers(0, 2), min_size=1, max_size=6), period=st.integers(2, 5))
def test_no_way_to_have_the_wanted_vms_pays_for_fewer_periods(wanted: list[int], period: int):
    paid, begun, held = PaidVms(period), 0, []
    for step, count in enumerate(wanted):
        before = len(paid.remaining(step))
        ((begin, end, running, _),) = paid.follow(step, step + 1, count)
        assert (begin, end) == (step, step + 1)
        begun += running - before
        held.append(running)
    assert all(map(ge, held, wanted))
    assert begun == find_least_paid(wanted, period)
    assert keep_paid(np.array(wanted), period)[0].tolist() == held


def test_missing_vms_are_bought_as_the_cheapest_mix_and_stay_for_their_period():
    paid = PaidVms(3, tabulate_prices(SIZES, 8))
    assert paid.follow(0, 1, 3) == [
        (0, 1, 4, 3.0)
    ]  # a large one is as dear as three small ones, and serves more
    assert paid.follow(1, 2, 5) == [(1, 2, 5, 4.0)]
    assert paid.follow(2, 5, 1) == [(2, 3, 5, 4.0), (3, 4, 1, 1.0), (4, 5, 1, 1.0)]
    assert sorted(paid.remaining(4)) == [3.0]


def test_costs_are_counted_in_vms_at_the_lowest_price():
    prices = tabulate_prices(SIZES, 5)
    assert prices == VmPrices((1, 2, 4, 4, 5), (1.0, 2.0, 3.0, 3.0, 4.0))
    assert prices.costs == pytest.approx([4 / 3, 8 / 3, 4, 4, 16 / 3])
    assert count_costs(prices, 3) == pytest.approx([4 / 3, 8 / 3, 4])
    assert count_costs(None, 3).tolist() == [1.0, 2.0, 3.0]
    assert VmPrices((1,), (0.0,)).costs.tolist() == [0.0]


@given(wanted=st.lists(st.integers(1, 8), min_size=1, max_size=12), period=st.integers(1, 5))
def test_of_equal_terms_sizes_of_one_vm_each_change_nothing(wanted: list[int], period: int):
    single = tabulate_prices([VmSize("one", 1, 2.0)], 8)
    plain, sized = (keep_paid(np.array(wanted), period, prices) for prices in (None, single))
    assert plain[0].tolist() == sized[0].tolist()
    assert (2.0 * plain[1]).tolist() == sized[1].tolist()
