"""The whole way from a topology and a rate to threads on slots: allocate, acquire, map, predict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from planner.errors import join_names
from planner.placements.errors import NotEnoughSlots, PlacementTooLarge, ThreadTooLarge, TooManyRetries
from planner.placements.map_sam import map_slot_aware, split_bundles
from planner.placements.mapping import MapThreads, NoRoom, Task, ThreadMapping, Vm, join_tasks
from planner.placements.profiles import Profile
from planner.placements.sustained_rate import Prediction, Route, predict, route_shuffled, route_slot_aware
from planner.placements.thread_allocation import (
    MOST_SLOTS,
    AllocateTask,
    TaskLoad,
    ThreadAllocation,
    allocate_mba,
    allocate_slots,
    find_dips,
    find_task_loads,
)
from planner.placements.vm_acquisition import (
    Acquire,
    Purchase,
    VmSize,
    acquire_cheapest,
    acquire_largest_first,
    check_catalogue,
    make_purchase,
    read_price,
)
from planner.values import Diagnostic, Topology

# Threads that mappers may place one by one and throw away again: a try looks at every VM for each of them.
MOST_TRIED = 250_000


@dataclass(frozen=True, slots=True)
class Market:
    """Where slots come from: VMs that are there, sizes to buy more of, and the rule to buy by."""

    existing: tuple[Vm, ...] = ()
    sizes: tuple[VmSize, ...] = ()
    acquire: Acquire = acquire_largest_first


@dataclass(frozen=True, slots=True)
class Rules:
    """How a placement is made: how many threads, onto which slots, and how tuples will be routed to them."""

    allocate_task: AllocateTask = allocate_mba
    map_threads: MapThreads = map_slot_aware
    route: Route = route_shuffled


@dataclass(frozen=True, slots=True)
class Placement:
    """Everything about one placement; `retries` is how many slots were asked for beyond the allocation."""

    allocation: ThreadAllocation
    mapping: ThreadMapping
    retries: int
    prediction: Prediction
    acquired: Purchase
    largest_first: Purchase
    cheapest: Purchase
    hourly_price: float
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One allocation × mapping pair in a comparison; `reason` says why there is no placement."""

    allocation: str
    mapping: str
    placement: Placement | None
    reason: str | None


def place_topology(
    topology: Topology,
    external_rate: float,
    profiles: Mapping[str, Profile],
    market: Market,
    rules: Rules,
) -> Placement:
    """Allocate, acquire, map and predict in one call."""
    loads = find_task_loads(topology, external_rate, profiles)
    return place_loads(loads, external_rate, market, rules)


def place_loads(
    loads: Sequence[TaskLoad],
    external_rate: float,
    market: Market,
    rules: Rules,
) -> Placement:
    """The same for tasks whose rates are known."""
    if market.sizes or not market.existing:
        check_catalogue(market.sizes)
    allocation = allocate_slots(loads, rules.allocate_task)
    tasks = join_tasks(loads, allocation.tasks)
    if rules.map_threads is map_slot_aware:
        for task in tasks:
            split_bundles(
                task
            )  # before sizes are looked at: no larger VM would help a bundle that fits no slot
    sizes = keep_wide_enough(loads, market)
    mapping, asked = map_with_retries(tasks, market, sizes, allocation.slots, rules.map_threads)
    prediction = predict(loads, mapping, rules.route, external_rate)
    bought = buy(market.acquire, market, sizes, asked)
    dips = find_dips(loads) if rules.allocate_task is allocate_mba else ()
    return Placement(
        allocation,
        mapping,
        asked - allocation.slots,
        prediction,
        bought,
        buy(acquire_largest_first, market, sizes, asked),
        buy(acquire_cheapest, market, sizes, asked),
        sum_prices(mapping),
        (
            *find_shortfall(loads, mapping, prediction, external_rate),
            *describe_left_out(loads, market, sizes),
            *find_unpriced(mapping),
            *dips,
            *prediction.diagnostics,
        ),
    )


def keep_wide_enough(loads: Sequence[TaskLoad], market: Market) -> tuple[VmSize, ...]:
    """The sizes on which a thread of every task fits: one that holds none could be bought without end."""
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
    """Which sizes are not bought from, and whose thread they are too narrow for."""
    names = name_left_out(market, kept)
    if not names:
        return ()
    widest = max(loads, key=lambda load: load.profile.single.cpu)
    detail = (
        f"One thread of {widest.name} takes {widest.profile.single.cpu:.6g} slots of cpu: VMs of "
        f"{join_names(names)} have fewer and are not acquired."
    )
    return (Diagnostic("sizes-left-out", detail, (widest.name,)),)


def name_left_out(market: Market, kept: Sequence[VmSize]) -> tuple[str, ...]:
    """The sizes offered that are not among those kept."""
    names = {size.name for size in kept}
    return tuple(size.name for size in market.sizes if size.name not in names)


def buy(acquire: Acquire, market: Market, sizes: Sequence[VmSize], slots: int) -> Purchase:
    """What has to be acquired so that there are `slots` together with the VMs that are there."""
    available = sum(vm.slots for vm in market.existing)
    missing = slots - available
    if missing <= 0:
        return make_purchase([])
    if not sizes:
        raise NotEnoughSlots(slots, available, name_left_out(market, sizes))
    return acquire(sizes, missing)


def map_with_retries(
    tasks: Sequence[Task],
    market: Market,
    sizes: Sequence[VmSize],
    slots: int,
    map_threads: MapThreads,
    *,
    most_tried: int = MOST_TRIED,
) -> tuple[ThreadMapping, int]:
    """Map onto the allocated slots; a mapper without room starts again with one slot more, until it has it.

    VMs come whole, so the slots asked for may give some to spare; those are used before more is asked for.
    """
    asked, tried = slots, 0
    while True:
        vms = (*market.existing, *name_vms(buy(market.acquire, market, sizes, asked), market.existing))
        try:
            return map_threads(tasks, vms), asked
        except NoRoom as no_room:
            asked = max(asked, sum(vm.slots for vm in vms)) + no_room.missing
            tried += no_room.tried
        if asked > MOST_SLOTS:
            raise PlacementTooLarge(find_largest(tasks), asked, MOST_SLOTS, "slots")
        if tried > most_tried:
            raise TooManyRetries(find_largest(tasks), tried, most_tried, "threads tried again")


def find_largest(tasks: Sequence[Task]) -> str:
    """The task whose threads take the most, each with the resource that it takes more of."""
    single = {task.name: max(task.profile.single.cpu, task.profile.single.memory) for task in tasks}
    return max(tasks, key=lambda task: task.threads * single[task.name]).name


def name_vms(purchase: Purchase, existing: Sequence[Vm]) -> list[Vm]:
    """The VMs of a purchase, numbered; names of VMs that are there are left to them."""
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


def sum_prices(mapping: ThreadMapping) -> float:
    """What an hour of all VMs costs, those that were there included as far as they have a price."""
    return float(sum((read_price(vm.vm.hourly_price) for vm in mapping.vms), Fraction(0)))


def find_unpriced(mapping: ThreadMapping) -> tuple[Diagnostic, ...]:
    """A word where VMs that are there have no price, so that the sum of prices is not that of all."""
    unpriced = [vm.vm.name for vm in mapping.vms if vm.vm.hourly_price is None]
    if not unpriced:
        return ()
    detail = f"No price is given for {join_names(unpriced)}: hourly_price is that of the other VMs."
    return (Diagnostic("prices-unknown", detail),)


def find_shortfall(
    loads: Sequence[TaskLoad], mapping: ThreadMapping, prediction: Prediction, external_rate: float
) -> tuple[Diagnostic, ...]:
    """Where the asked rate is not sustained: which task binds, and whether other routing would do."""
    if prediction.rate is None or prediction.rate >= external_rate or prediction.binding_task is None:
        return ()
    aware = predict(loads, mapping, route_slot_aware, external_rate).rate
    remedy = (
        "route by what each slot sustains (slot-aware)"
        if aware is None or aware >= external_rate
        else f"slot-aware routing would reach {aware:.6g}/s; mba with sam is made for the asked rate"
    )
    detail = (
        f"This mapping sustains {prediction.rate:.6g} of {external_rate:.6g} tuples/s, bound by "
        f"{prediction.binding_task}: {remedy}."
    )
    return (Diagnostic("rate-not-met", detail, (prediction.binding_task,)),)


def compare_pairs(
    place: Callable[[AllocateTask, MapThreads], Placement],
    allocations: Mapping[str, AllocateTask],
    mappings: Mapping[str, MapThreads],
) -> list[ComparedPair]:
    """Every allocation with every mapping; a pair that cannot be placed says why, and the others stand."""
    rows: list[ComparedPair] = []
    for (allocation, allocate_task), (mapping, map_threads) in product(allocations.items(), mappings.items()):
        try:
            rows.append(ComparedPair(allocation, mapping, place(allocate_task, map_threads), None))
        except (ThreadTooLarge, NotEnoughSlots, PlacementTooLarge) as problem:
            rows.append(ComparedPair(allocation, mapping, None, str(problem)))
    return rows
