"""Buying slots: the paper's rule, and the cheapest mix against brute force."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.placements.errors import InvalidCatalogue
from planner.placements.vm_acquisition import (
    Covers,
    Purchase,
    VmSize,
    acquire_cheapest,
    acquire_largest_first,
    check_catalogue,
    drop_dominated,
    tabulate_covers,
)

AZURE = (VmSize("D1", 1, 0.1), VmSize("D2", 2, 0.2), VmSize("D3", 4, 0.4))


def name_counts(purchase: Purchase) -> dict[str, int]:
    return {size.name: count for size, count in purchase.counts}


@st.composite
def any_catalogue(draw: st.DrawFn) -> list[VmSize]:
    offers = draw(st.lists(st.tuples(st.integers(1, 7), st.integers(0, 60)), min_size=1, max_size=3))
    return [VmSize(f"size-{at}", slots, cents / 100) for at, (slots, cents) in enumerate(offers)]


def cost(counts: tuple[int, ...], sizes: list[VmSize]) -> tuple[int, int, int]:
    """Price in cents (catalogues here have no smaller prices), VMs and slots."""
    pairs = list(zip(counts, sizes, strict=True))
    cents = sum(round(100 * (size.hourly_price or 0.0)) * count for count, size in pairs)
    return cents, sum(counts), sum(count * size.slots for count, size in pairs)


@given(any_catalogue(), st.integers(1, 16))
def test_no_mix_is_cheaper_than_the_cheapest(sizes: list[VmSize], slots: int) -> None:
    ranges = [range(math.ceil(slots / size.slots) + 1) for size in sizes]
    covers = [sums for counts in product(*ranges) if (sums := cost(counts, sizes))[2] >= slots]
    found = acquire_cheapest(sizes, slots)
    cents, vms, _ = min(covers)
    assert found.slots >= slots
    assert (found.hourly_price, sum(name_counts(found).values())) == (cents / 100, vms)


@given(any_catalogue(), st.integers(25, 10**6))
def test_the_cheapest_mix_of_many_slots_is_that_of_few_and_the_best_size(
    sizes: list[VmSize], slots: int
) -> None:
    """Taking VMs of the best size away and adding them again changes nothing: the optimum is periodic."""
    best = min(sizes, key=lambda size: (Fraction(str(size.hourly_price)) / size.slots, -size.slots))
    skipped = max(0, slots - 200) // best.slots
    few = acquire_cheapest(sizes, slots - skipped * best.slots)
    price = Fraction(str(few.hourly_price)) + skipped * Fraction(str(best.hourly_price))
    assert acquire_cheapest(sizes, slots).hourly_price == pytest.approx(float(price), rel=1e-12)


@given(any_catalogue(), st.integers(1, 500))
def test_the_papers_rule_is_never_cheaper_and_wastes_less_than_one_large_vm(
    sizes: list[VmSize], slots: int
) -> None:
    paper, cheapest = acquire_largest_first(sizes, slots), acquire_cheapest(sizes, slots)
    assert slots <= paper.slots < slots + max(size.slots for size in sizes)
    assert cheapest.hourly_price <= paper.hourly_price


@pytest.mark.parametrize(
    ("slots", "bought"),
    [
        (4, {"D3": 1}),
        (7, {"D3": 2}),
        (13, {"D3": 3, "D1": 1}),
        (15, {"D3": 4}),
        (6, {"D3": 1, "D2": 1}),
        (0, {}),
    ],
)
def test_the_papers_rule_on_the_papers_sizes(slots: int, bought: dict[str, int]) -> None:
    assert name_counts(acquire_largest_first(AZURE, slots)) == bought


def test_the_cheapest_mix_leaves_the_slot_out_that_the_rule_wastes() -> None:
    assert name_counts(acquire_cheapest(AZURE, 7)) == {"D3": 1, "D2": 1, "D1": 1}
    assert acquire_cheapest(AZURE, 7).hourly_price == pytest.approx(0.7)
    assert acquire_largest_first(AZURE, 7).hourly_price == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("sizes", "named"),
    [
        ((), ()),
        ((VmSize("D1", 1, None), VmSize("D2", 2, 0.2)), ("D1",)),
        ((VmSize("D1", 1, -1.0),), ("D1",)),
        ((VmSize("D1", 1, math.nan),), ("D1",)),
        ((VmSize("D0", 0, 0.1),), ("D0",)),
        ((VmSize("D1", 1, 0.1), VmSize("D1", 2, 0.2)), ("D1",)),
    ],
)
def test_a_catalogue_that_cannot_be_bought_from_is_refused_by_name(
    sizes: tuple[VmSize, ...], named: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidCatalogue) as refused:
        check_catalogue(sizes)
    assert refused.value.sizes == named


@given(any_catalogue(), st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_what_was_asked_for_before_changes_no_purchase(sizes: list[VmSize], asked: list[int]) -> None:
    kept = Covers(tuple(sizes))
    for slots in asked:
        assert kept.cover(slots) == Covers(tuple(sizes)).cover(slots)


def test_a_retry_pays_only_for_the_slots_it_adds() -> None:
    sizes = tuple(VmSize(f"size-{slots}", slots, slots**0.9) for slots in range(1, 41))
    assert tabulate_covers(sizes) is tabulate_covers(sizes)
    kept = Covers(sizes)
    kept.cover(1000)
    before = kept.best[:]
    kept.cover(1001)
    assert kept.best[:-1] == before


def test_sizes_that_a_larger_one_beats_are_not_looked_at() -> None:
    sizes = [VmSize("dear", 2, 0.5), VmSize("large", 4, 0.4), VmSize("same", 4, 0.4), VmSize("small", 1, 0.1)]
    assert [size.name for size in drop_dominated(sizes)] == ["large", "small"]


def test_a_mix_that_would_take_minutes_is_refused_with_what_to_change() -> None:
    sizes = [VmSize(f"size-{slots}", slots, slots**0.9) for slots in range(925, 1025)]
    with pytest.raises(InvalidCatalogue, match="offer fewer sizes"):
        acquire_cheapest(sizes, 1_000_000)
