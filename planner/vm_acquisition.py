"""Which VMs to acquire for so many slots: the rule of Shukla and Simmhan (section 7), or the cheapest mix."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, lcm

from planner.errors import InvalidCatalogue


@dataclass(frozen=True, slots=True)
class VmSize:
    """One line of a catalogue: what such a VM is called, how many slots it has and what an hour costs."""

    name: str
    slots: int
    hourly_price: float | None


@dataclass(frozen=True, slots=True)
class Purchase:
    """How many VMs of which size (largest first), their slots and what an hour of them costs."""

    counts: tuple[tuple[VmSize, int], ...]
    slots: int
    hourly_price: float


Acquire = Callable[[Sequence[VmSize], int], Purchase]


def check_catalogue(sizes: Sequence[VmSize]) -> None:
    """At least one size, each with its own name, a slot or more and a price."""
    if not sizes:
        raise InvalidCatalogue("The catalogue has no VM sizes: give at least one.")
    unpriced = tuple(size.name for size in sizes if size.hourly_price is None)
    if unpriced:
        raise InvalidCatalogue(
            f"No hourly_price for {', '.join(unpriced)}: give one for each size (0 for machines that are "
            "already paid for).",
            unpriced,
        )
    for size in sizes:
        price = size.hourly_price
        if price is None or not (isfinite(price) and price >= 0.0):
            raise InvalidCatalogue(
                f"hourly_price of {size.name} is {price}: give a finite price of at least 0.", (size.name,)
            )
        if size.slots < 1:
            raise InvalidCatalogue(
                f"VM size {size.name} has {size.slots} slots, too few for one thread: give 1 or more.",
                (size.name,),
            )
    names = [size.name for size in sizes]
    twice = tuple(dict.fromkeys(name for name in names if names.count(name) > 1))
    if twice:
        raise InvalidCatalogue(f"Two VM sizes are named {twice[0]}: give each its own name.", twice)


def read_price(hourly_price: float | None) -> Fraction:
    """A price as the decimal fraction that was written, so that sums of prices compare exactly."""
    return Fraction(repr(hourly_price)) if hourly_price else Fraction(0)


def price_of(size: VmSize) -> Fraction:
    """What an hour of it costs, exactly."""
    return read_price(size.hourly_price)


def make_purchase(counts: Iterable[tuple[VmSize, int]]) -> Purchase:
    """The sums of a mix, its sizes largest first."""
    bought = sorted((pair for pair in counts if pair[1]), key=lambda pair: (-pair[0].slots, pair[0].name))
    price = sum((price_of(size) * count for size, count in bought), Fraction(0))
    return Purchase(tuple(bought), sum(size.slots * count for size, count in bought), float(price))


def acquire_largest_first(sizes: Sequence[VmSize], slots: int) -> Purchase:
    """The paper's rule: ⌊ρ/p⌋ VMs of the largest size p, and the smallest size that holds the rest.

    Few large VMs keep traffic off the network; where prices follow the slots, the waste is under half of p.
    """
    largest = max(sizes, key=lambda size: (size.slots, -price_of(size)))
    count, rest = divmod(slots, largest.slots)
    if not rest:
        return make_purchase([(largest, count)])
    last = min(
        (size for size in sizes if size.slots >= rest),
        key=lambda size: (size.slots, price_of(size), size.name),
    )
    return make_purchase([(largest, count + 1)] if last == largest else [(largest, count), (last, 1)])


def acquire_cheapest(sizes: Sequence[VmSize], slots: int) -> Purchase:
    """The cheapest mix with at least ρ slots, exactly; of equals the fewest VMs, then the fewest slots.

    A covering knapsack. Of the sizes other than the best one (cheapest per slot, p slots) an optimum needs
    fewer than p VMs: among p or more, some have slots that add up to a multiple of p and can be replaced by
    the best size at no higher price. So all but p·max(slots) slots go to the best size, and dynamic
    programming settles the rest: its cost does not grow with ρ.
    """
    if slots < 1:
        return make_purchase([])
    best = min(sizes, key=lambda size: (price_of(size) / size.slots, -size.slots, size.name))
    bulk = max(0, slots - best.slots * max(size.slots for size in sizes)) // best.slots
    counts = dict.fromkeys(sizes, 0)
    counts[best] = bulk
    for size in settle_rest(sizes, slots - bulk * best.slots):
        counts[size] += 1
    return make_purchase(counts.items())


def settle_rest(sizes: Sequence[VmSize], slots: int) -> list[VmSize]:
    """The cheapest cover: best(n) = min over sizes of price + best(n − slots), with best(n ≤ 0) = 0."""
    scale = lcm(*(price_of(size).denominator for size in sizes))
    offers = [(int(price_of(size) * scale), size.slots, size) for size in sizes]
    # (price, VMs, slots) of the best cover of n slots, and the size that it ends with.
    best: list[tuple[int, int, int]] = [(0, 0, 0)]
    chosen: list[VmSize | None] = [None]
    for needed in range(1, slots + 1):
        cover, last = None, None
        for price, size_slots, size in offers:
            before = best[max(0, needed - size_slots)]
            candidate = (before[0] + price, before[1] + 1, before[2] + size_slots)
            if cover is None or candidate < cover:
                cover, last = candidate, size
        assert cover is not None, "a catalogue has at least one size"
        best.append(cover)
        chosen.append(last)
    bought: list[VmSize] = []
    while slots > 0:
        ending = chosen[slots]
        assert ending is not None, "only the cover of no slots has no last VM"
        bought.append(ending)
        slots -= ending.slots
    return bought
