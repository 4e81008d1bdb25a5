"""The cheapest VMs where unserved steps have a price: for one price, for many, for a target, and for several sizes."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.placements.vm_acquisition import VmSize, tabulate_prices
from planner.vms.price_choices import choose_at_price, choose_everywhere, choose_for_target
from planner.vms.virtual_records import PRICES

falling = st.lists(st.integers(0, 64), min_size=4, max_size=4).map(
    lambda counts: [count / 64 for count in sorted(counts, reverse=True)]
)


@settings(max_examples=60)
@given(shares=st.lists(falling, min_size=1, max_size=3), allowed=st.floats(0.0, 0.9))
def test_the_schedule_meets_the_target_and_no_single_vm_can_go(
    shares: list[list[float]], allowed: float
) -> None:
    unserved = np.array(shares)
    chosen = choose_for_target(unserved, allowed, np.arange(1.0, 5.0))

    def mean_share(counts: tuple[int, ...]) -> float:
        return float(np.mean([row[count - 1] for row, count in zip(unserved, counts, strict=True)]))

    possible = [
        counts for counts in product(range(1, 5), repeat=len(shares)) if mean_share(counts) <= allowed
    ]
    if not possible:
        assert mean_share(tuple(chosen)) == mean_share((4,) * len(shares))
        return
    assert mean_share(tuple(chosen)) <= allowed
    # A common price finds the best schedule up to what one interval can save.
    best = min(sum(counts) for counts in possible)
    assert sum(chosen) <= best + 3
    if len(shares) == 1:
        assert sum(chosen) == best


@given(shares=st.lists(falling, min_size=1, max_size=3), price=st.floats(0.0, 50.0))
def test_at_a_price_every_interval_has_its_own_cheapest_vms(shares: list[list[float]], price: float) -> None:
    for row, count in zip(shares, choose_at_price(np.array(shares), price, np.arange(1.0, 5.0)), strict=True):
        costs = [vms + price * share for vms, share in enumerate(row, 1)]
        assert costs[count - 1] == min(costs)


def test_each_price_chooses_its_own_cheapest_vms() -> None:
    shares = np.random.default_rng(1).uniform(size=(3, 12))
    chosen = choose_everywhere(
        shares, PRICES, np.arange(1.0, 13.0), np.zeros((3, len(PRICES)), dtype=np.intp)
    )
    for mixture, price in ((0, 0), (1, 17), (2, 41)):
        costs = [m + PRICES[price] * share for m, share in enumerate(shares[mixture], 1)]
        assert chosen[mixture, price] == 1 + int(np.argmin(costs))


def test_a_vm_that_is_paid_for_stays_and_serves_what_a_fresh_one_would_not() -> None:
    unserved = np.array([[0.5, 0.1, 0.05, 0.04, 0.04]])
    assert [int(choose_at_price(unserved, 10.0, np.arange(1.0, 6.0), paid)[0]) for paid in range(6)] == [
        2,
        2,
        2,
        3,
        4,
        5,
    ]


@settings(max_examples=60)
@given(
    offers=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 9)), min_size=1, max_size=3),
    shares=st.lists(st.integers(0, 64), min_size=6, max_size=6).map(lambda some: sorted(some, reverse=True)),
    price=st.floats(0.0, 50.0),
)
def test_no_mix_of_sizes_is_cheaper_with_what_it_does_not_serve(
    offers: list[tuple[int, int]], shares: list[int], price: float
) -> None:
    prices = tabulate_prices([VmSize(str(place), *offer) for place, offer in enumerate(offers)], 6)
    unserved, unit = np.array(shares) / 64.0, min(paid / slots for slots, paid in offers)
    (vms,) = choose_at_price(unserved[None], price, prices.costs)
    found = prices.hourly[vms - 1] / unit + price * unserved[vms - 1]
    tried = []
    for counts in product(range(7), repeat=len(offers)):
        there = sum(count * slots for count, (slots, _) in zip(counts, offers, strict=True))
        if there:
            paid = sum(count * each for count, (_, each) in zip(counts, offers, strict=True))
            tried.append(paid / unit + price * unserved[min(there, 6) - 1])
    assert abs(found - min(tried)) <= 1e-9 * max(found, 1.0)
