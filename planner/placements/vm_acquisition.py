"""Which VMs should be acquired for a number of slots? Largest first (Shukla and Simmhan, section 7), or the cheapest
mix.

The market of slots holds the existing VMs and the VM sizes on offer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite, lcm
from threading import Lock

from planner.placements.errors import InvalidCatalogue, NotEnoughSlots, ThreadTooLarge
from planner.placements.mappers.mapping import Vm
from planner.placements.thread_allocation import TaskLoad
from planner.values import Diagnostic
from planner.vms.paid_vms import VmPrices
from planner.wording import join_names, write_count, write_number


@dataclass(frozen=True, slots=True)
class VmSize:
    """A VM size on offer: its name, its number of slots and its hourly price."""

    name: str
    slots: int
    hourly_price: float | None


@dataclass(frozen=True, slots=True)
class Purchase:
    """A purchase of VMs: the number of VMs of each size (largest first), their slots and their hourly price."""

    counts: tuple[tuple[VmSize, int], ...]
    slots: int
    hourly_price: float


# The most steps of dynamic programming (sizes × slots), some seconds; a larger search is refused.
MOST_COVERS = 20_000_000
MOST_AFFORDED = 100_000
COUNT_BITS = 40  # a cover has fewer VMs and fewer slots than 2^40

Acquire = Callable[[Sequence[VmSize], int], Purchase]


def check_catalogue(sizes: Sequence[VmSize]) -> None:
    """Raises InvalidCatalogue unless there is a VM size, and each has a unique name, at least one slot and a price."""
    if not sizes:
        raise InvalidCatalogue("The catalogue has no VM sizes: give at least one.")
    unpriced = tuple(size.name for size in sizes if size.hourly_price is None)
    if unpriced:
        raise InvalidCatalogue(
            f"No hourly_price for {join_names(unpriced)}: give one for each size (0 for machines that are already paid "
            "for).",
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
    """Returns a price as an exact decimal fraction, so that sums of prices compare exactly."""
    return Fraction(repr(hourly_price)) if hourly_price else Fraction(0)


def price_of(size: VmSize) -> Fraction:
    """Returns the exact hourly price of a VM size."""
    return read_price(size.hourly_price)


def make_purchase(counts: Iterable[tuple[VmSize, int]]) -> Purchase:
    """Returns the purchase of these numbers of VMs, with the largest sizes first."""
    bought = sorted((pair for pair in counts if pair[1]), key=lambda pair: (-pair[0].slots, pair[0].name))
    price = sum((price_of(size) * count for size, count in bought), Fraction(0))
    return Purchase(tuple(bought), sum(size.slots * count for size, count in bought), float(price))


def acquire_largest_first(sizes: Sequence[VmSize], slots: int) -> Purchase:
    """Buys VMs of the largest size as long as all their slots are needed, and one of the smallest size that holds the
    rest.

    This is the rule of the paper. Few large VMs keep traffic off the network; if prices are proportional to slots, less
    than half of one largest VM is wasted.
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
    """Buys the cheapest mix of VMs with at least `slots` slots; of equal prices the fewest VMs, then the fewest slots.

    A covering knapsack. Let the best size (cheapest per slot) have p slots. An optimum has fewer than p VMs of other
    sizes: among p or more, some have slots that add up to a multiple of p, and the best size can replace them at no
    higher price. So all but p·max(slots) slots go to the best size, and dynamic programming covers the rest, at a cost
    that does not grow with the number of slots.
    """
    if slots < 1:
        return make_purchase([])
    best = min(sizes, key=lambda size: (price_of(size) / size.slots, -size.slots, size.name))
    bulk = max(0, slots - best.slots * max(size.slots for size in sizes)) // best.slots
    counts = dict.fromkeys(sizes, 0)
    counts[best] = bulk
    for size in tabulate_covers(tuple(drop_dominated(sizes))).cover(slots - bulk * best.slots):
        counts[size] += 1
    return make_purchase(counts.items())


def afford_most(sizes: Sequence[VmSize], hourly_price: float, most: int = MOST_AFFORDED) -> int:
    """The most slots of any mix of VMs that costs at most so much; at most `most`."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if acquire_cheapest(sizes, middle).hourly_price <= hourly_price:
            low = middle
        else:
            high = middle - 1
    return low


def drop_dominated(sizes: Iterable[VmSize]) -> list[VmSize]:
    """The VM sizes without each size for which another has at least as many slots for at most the same price."""
    kept: list[VmSize] = []
    for size in sorted(sizes, key=lambda size: (-size.slots, price_of(size), size.name)):
        if not kept or price_of(size) < price_of(kept[-1]):
            kept.append(size)
    return kept


class Covers:
    """The cheapest mixes of VMs for 1, 2, … slots, found by dynamic programming.

    The best price for n slots is best(n) = min over sizes of price + best(n − slots), with best(n) = 0 for n ≤ 0. The
    table is kept, so that a retry with a few more slots computes only these.
    """

    def __init__(self, sizes: Sequence[VmSize]) -> None:
        self.sizes = sizes
        self.scale = lcm(*(price_of(size).denominator for size in sizes))
        self.growing = Lock()
        # best[n + first] is the cost of n slots; n ≤ 0 is free. One integer orders by price, then VMs, then slots.
        self.first = max(size.slots for size in sizes)
        self.best = [0] * (self.first + 1)
        self.offers = [(size.slots, self._weigh(size)) for size in sizes]

    def _weigh(self, size: VmSize) -> int:
        return ((int(price_of(size) * self.scale) << COUNT_BITS) + 1 << COUNT_BITS) + size.slots

    def cover(self, slots: int) -> list[VmSize]:
        """Returns the VMs of the cheapest mix with at least this number of slots."""
        self._grow(slots)
        bought: list[VmSize] = []
        best, first = self.best, self.first
        while slots > 0:
            cost = best[slots + first]
            at = next(
                at
                for at, (size, price) in enumerate(self.offers)
                if best[slots + first - size] + price == cost
            )
            bought.append(self.sizes[at])
            slots -= self.sizes[at].slots
        return bought

    def _grow(self, slots: int) -> None:
        if slots * len(self.sizes) > MOST_COVERS:
            raise InvalidCatalogue(
                f"The search for the cheapest mix of {len(self.sizes)} sizes for {write_count(slots)} slots takes "
                f"{write_count(slots * len(self.sizes))} steps; the limit is {write_count(MOST_COVERS)}: offer fewer "
                "sizes, or sizes with fewer slots.",
                tuple(size.name for size in self.sizes),
            )
        with self.growing:
            best, offers = self.best, self.offers
            for at in range(len(best), slots + self.first + 1):
                best.append(min([best[at - size] + price for size, price in offers]))


tabulate_covers = lru_cache(maxsize=2)(Covers)


def tabulate_prices(sizes: Sequence[VmSize], most: int) -> VmPrices:
    """Returns the slots and the price of the cheapest mix with at least 1, 2, ... `most` slots."""
    check_catalogue(sizes)
    bought = [acquire_cheapest(sizes, slots) for slots in range(1, most + 1)]
    return VmPrices(tuple(one.slots for one in bought), tuple(one.hourly_price for one in bought))


@dataclass(frozen=True, slots=True)
class Market:
    """The existing VMs, the VM sizes on offer, and the rule by which VMs are bought."""

    existing: tuple[Vm, ...] = ()
    sizes: tuple[VmSize, ...] = ()
    acquire: Acquire = acquire_largest_first


def keep_wide_enough(loads: Sequence[TaskLoad], market: Market) -> tuple[VmSize, ...]:
    """Returns the VM sizes that can hold a thread of every task.

    Raises ThreadTooLarge if neither a size nor an existing VM can.
    """
    widest = max(loads, key=lambda load: load.profile.single.cpu, default=None)
    if widest is None:
        return market.sizes
    needed = widest.profile.single.cpu
    sizes = tuple(size for size in market.sizes if size.slots >= needed)
    offers: list[VmSize | Vm] = [*market.sizes, *market.existing]
    largest = max(offers, key=lambda offer: offer.slots)
    if largest.slots < needed:
        raise ThreadTooLarge(widest.name, 1, "cpu", needed, largest.slots, f"the largest VM, {largest.name},")
    return sizes


def describe_left_out(
    loads: Sequence[TaskLoad], market: Market, kept: Sequence[VmSize]
) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if some VM sizes are not bought, because a thread of some task is too large for them."""
    names = name_left_out(market, kept)
    if not names:
        return ()
    widest = max(loads, key=lambda load: load.profile.single.cpu)
    detail = (
        f"One thread of {widest.name} takes {write_number(widest.profile.single.cpu)} slots of cpu: VMs of "
        f"{join_names(names)} have fewer and are not acquired."
    )
    return (Diagnostic("sizes-left-out", detail, (widest.name,)),)


def name_left_out(market: Market, kept: Sequence[VmSize]) -> tuple[str, ...]:
    """Returns the names of the VM sizes on offer that are not in `kept`."""
    names = {size.name for size in kept}
    return tuple(size.name for size in market.sizes if size.name not in names)


def buy(acquire: Acquire, market: Market, sizes: Sequence[VmSize], slots: int) -> Purchase:
    """Returns the purchase that gives `slots` slots together with the existing VMs."""
    available = sum(vm.slots for vm in market.existing)
    missing = slots - available
    if missing <= 0:
        return make_purchase([])
    if not sizes:
        raise NotEnoughSlots(slots, available, name_left_out(market, sizes))
    return acquire(sizes, missing)


def name_vms(purchase: Purchase, existing: Sequence[Vm]) -> list[Vm]:
    """Returns the VMs of a purchase with new names vm-1, vm-2 …, which no existing VM has."""
    taken = {vm.name for vm in existing}
    vms: list[Vm] = []
    number = 0
    for size, count in purchase.counts:
        for _ in range(count):
            number += 1
            while f"vm-{number}" in taken:
                number += 1
            vms.append(Vm(f"vm-{number}", size.slots, size.name, None, size.hourly_price))
    return vms
