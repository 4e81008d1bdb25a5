"""Virtual records: prices learn what they would have served, and the price is steered by what was missed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.vms.price_choices import choose_everywhere
from planner.vms.virtual_records import (
    LEAST_FACTOR,
    MOST_FACTOR,
    PRICES,
    StepsMissed,
    VirtualRecords,
    allow_usually,
    find_highest_factor,
    find_place,
)

DAY = 1440
COSTS = np.arange(1.0, 21.0)
UNPAID = np.zeros((3, len(PRICES)), dtype=np.intp)


def learned(intervals: int = 2000) -> VirtualRecords:
    """Records of a workload whose every interval misses 2^(1 − m) of its steps with m VMs."""
    records, missed = VirtualRecords(2, 144.0, 4.0, COSTS), 0.5 ** np.arange(20.0)
    shares = np.array([missed, np.minimum(4.0 * missed, 1.0)])
    for _ in range(intervals):
        records.learn(records.choose(shares), missed)
    return records


def test_every_pair_keeps_what_it_has_paid_for() -> None:
    busy, calm = 0.5 ** np.arange(20.0)[None], np.zeros((1, 20))
    records = VirtualRecords(1, 144.0, 4.0, COSTS, 3)
    first = records.choose(busy)
    assert (records.choose(calm) == first).all()
    assert (records.choose(calm) == first).all()
    assert (records.choose(calm) == 1).all()
    assert (records.choose(busy) == first).all()


def test_a_record_is_the_discounted_mean_of_what_its_price_would_have_missed() -> None:
    records = learned(3)
    counts = choose_everywhere(0.5 ** np.arange(20.0)[None], PRICES, COSTS, UNPAID[:1])[0]
    prior = np.minimum(6.0 * 0.0125 * 7.0 * 4.0 / PRICES, 0.5)
    decay = np.exp(-1.0 / (14.0 * 144.0))
    weights = [1.0, decay, decay**2]
    assert records.unserved[0] == pytest.approx(
        decay**3 * 60.0 * prior + sum(weights) * 0.5 ** (counts - 1.0)
    )
    assert records.intervals == pytest.approx(decay**3 * 60.0 + sum(weights))


def test_the_cheapest_mixture_at_the_least_price_that_keeps_the_target_is_taken() -> None:
    price = learned().steer(StepsMissed(), 0.99, DAY)
    assert price.mixture == 0  # the other one believes too much is missed, and pays for more VMs
    assert price.debt_steps == 0.0
    assert price.allowed == pytest.approx(0.0088)
    # 2^-7 is the first share that the target allows: its eighth VM is bought from a price of 2^7 on.
    assert price.price == pytest.approx(2.0**7, rel=0.35)
    assert not price.capped


def test_a_debt_raises_the_price_and_a_credit_lowers_it_within_their_bounds() -> None:
    records = learned()
    prices = [
        records.steer(StepsMissed(10 * DAY, missed), 0.98, DAY) for missed in (0, 150, 250, 400, 14_000)
    ]
    assert [one.price for one in prices] == sorted(one.price for one in prices)
    assert prices[0].price < prices[2].price < prices[4].price
    assert prices[0].allowed == pytest.approx(3.0 * 0.02)
    assert prices[4].allowed == pytest.approx(0.1 * 0.02)
    assert all(one.price <= one.cap * (1.0 + 1e-12) for one in prices)


def make_records(shares: np.ndarray) -> VirtualRecords:
    """Records of one mixture whose prices missed these shares, each with as many VMs as its price."""
    records = VirtualRecords(1, 144.0, 4.0, COSTS)
    records.unserved, records.vms, records.intervals = shares[None] * 10.0, 10.0 * PRICES[None], 10.0
    return records


def test_the_price_is_at_most_a_few_times_what_the_target_usually_needs() -> None:
    # A debt asks for a share that only the highest prices reach.
    shares = np.where(PRICES < 50.0, 0.02, 0.001)
    shares[-1] = 1e-6
    records = make_records(shares)
    calm = records.steer(StepsMissed(), 0.995, DAY)
    owed = records.steer(StepsMissed(DAY, DAY), 0.995, DAY)
    assert owed.capped
    assert not calm.capped
    assert owed.price == pytest.approx(LEAST_FACTOR * calm.price)
    factors = [find_highest_factor(share) for share in (0.005, 1 / 30, 0.0375, 0.05, 0.5)]
    assert factors == pytest.approx([LEAST_FACTOR, LEAST_FACTOR, 9.0, MOST_FACTOR, MOST_FACTOR])


def test_the_usual_price_falls_at_once_and_rises_within_a_day() -> None:
    low, high = (np.where(price > PRICES, 0.02, 0.001) for price in (50.0, 5000.0))
    records = make_records(low)
    (before,) = records.settle(0.01)
    records.unserved = high[None] * 10.0
    assert records.settle(0.01) == pytest.approx(
        [find_place(high, 0.01)]
    )  # in the first hours it rises at once
    records.unserved = low[None] * 10.0
    for _ in range(18):
        assert records.settle(0.01) == pytest.approx([before])
    records.unserved = high[None] * 10.0
    (after,) = records.settle(0.01)
    aim = find_place(high, 0.01)
    assert after == pytest.approx(before + (aim - before) / 144.0)
    for _ in range(3 * 144):
        (settled,) = records.settle(0.01)
    assert settled == pytest.approx(aim, abs=1.0)
    records.unserved = low[None] * 10.0
    assert records.settle(0.01) == pytest.approx([before])


@given(low=st.floats(0.5, 0.999), high=st.floats(0.5, 0.999), days=st.floats(0.0, 400.0))
def test_a_higher_target_never_allows_more(low: float, high: float, days: float) -> None:
    low, high = sorted((low, high))
    assert allow_usually(high, days) <= allow_usually(low, days) * (1.0 + 1e-12)
    assert 0.84 * (1.0 - high) < allow_usually(high, days) < 1.0 - high


@given(
    shares=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=8),
    allowed=st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)),
)
def test_a_smaller_share_never_has_a_lower_price(shares: list[float], allowed: tuple[float, float]) -> None:
    less, more = sorted(allowed)
    places = [find_place(np.minimum.accumulate(np.array(shares)), one) for one in (less, more)]
    assert 0.0 <= places[1] <= places[0] <= len(shares) - 1
