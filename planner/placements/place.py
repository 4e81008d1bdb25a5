"""A whole placement of a topology: allocates threads, acquires VMs, maps threads to slots, predicts
the sustained rate.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from planner.placements.errors import NotEnoughSlots, PlacementTooLarge, ThreadTooLarge, TooManyRetries
from planner.placements.mappers.mapping import MapThreads, NoRoom, Task, ThreadMapping, join_tasks
from planner.placements.mappers.sam import check_bundles, map_slot_aware
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
    Market,
    Purchase,
    VmSize,
    acquire_cheapest,
    acquire_largest_first,
    buy,
    check_catalogue,
    describe_left_out,
    keep_wide_enough,
    name_vms,
    read_price,
)
from planner.values import Diagnostic, Topology
from planner.wording import join_names, write_number

# The most threads placed one by one in all failed tries together: each is compared with every VM.
MOST_TRIED = 250_000


# The check of a task by a mapper, before VM sizes are considered: a refused task fits on no VM, however large.
CHECKS: Mapping[MapThreads, Callable[[Task], None]] = {map_slot_aware: check_bundles}
# The diagnostics of an allocation rule.
REMARKS: Mapping[AllocateTask, Callable[[Sequence[TaskLoad]], tuple[Diagnostic, ...]]] = {
    allocate_mba: find_dips
}


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a placement: the allocation of threads, their mapping to slots, and the routing of tuples."""

    allocate_task: AllocateTask = allocate_mba
    map_threads: MapThreads = map_slot_aware
    route: Route = route_shuffled

    def check(self, tasks: Sequence[Task]) -> None:
        """Raises an error if the mapper cannot place a task on any VM, however large."""
        check_task = CHECKS.get(self.map_threads)
        if check_task is not None:
            for task in tasks:
                check_task(task)

    def remark(self, loads: Sequence[TaskLoad]) -> tuple[Diagnostic, ...]:
        """Returns the diagnostics about the tasks that this rule of allocation has."""
        find = REMARKS.get(self.allocate_task)
        return find(loads) if find else ()


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement of a topology; `retries` is the number of slots requested beyond the allocation."""

    allocation: ThreadAllocation
    mapping: ThreadMapping
    retries: int
    prediction: Prediction
    acquired: Purchase
    largest_first: Purchase
    cheapest: Purchase
    hourly_price: float
    diagnostics: tuple[Diagnostic, ...]


class ComparedPair(NamedTuple):
    """The placement by one rule of allocation and one of mapping; `reason` says why there is no placement."""

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
    """Returns the placement of a topology that sustains an external rate, on existing VMs and VMs to buy (`market`)."""
    loads = find_task_loads(topology, external_rate, profiles)
    return place_loads(loads, external_rate, market, rules)


def place_loads(
    loads: Sequence[TaskLoad],
    external_rate: float,
    market: Market,
    rules: Rules,
) -> Placement:
    """Returns the placement of tasks whose arrival rates are known."""
    if market.sizes or not market.existing:
        check_catalogue(market.sizes)
    allocation = allocate_slots(loads, rules.allocate_task)
    tasks = join_tasks(loads, allocation.tasks)
    rules.check(tasks)
    sizes = keep_wide_enough(loads, market)
    mapping, asked = map_with_retries(tasks, market, sizes, allocation.slots, rules.map_threads)
    prediction = predict(loads, mapping, rules.route, external_rate)
    bought = buy(market.acquire, market, sizes, asked)
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
            *rules.remark(loads),
            *prediction.diagnostics,
        ),
    )


def map_with_retries(
    tasks: Sequence[Task],
    market: Market,
    sizes: Sequence[VmSize],
    slots: int,
    map_threads: MapThreads,
    *,
    most_tried: int = MOST_TRIED,
) -> tuple[ThreadMapping, int]:
    """Returns the mapping of all threads, and the number of slots requested for it.

    A mapper that finds too few slots is called again with more. VMs are bought whole, and may have more slots than
    requested; these are used before more are requested.
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
    """Returns the name of the task whose threads take the most of the resource (cpu or memory) that is needed more."""
    single = {task.name: max(task.profile.single.cpu, task.profile.single.memory) for task in tasks}
    return max(tasks, key=lambda task: task.threads * single[task.name]).name


def sum_prices(mapping: ThreadMapping) -> float:
    """Returns the sum of the hourly prices of the VMs that have a price."""
    prices = Counter(vm.vm.hourly_price for vm in mapping.vms)
    return float(sum((count * read_price(price) for price, count in prices.items()), Fraction(0)))


def find_unpriced(mapping: ThreadMapping) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if existing VMs have no price, because the hourly price leaves them out."""
    unpriced = [vm.vm.name for vm in mapping.vms if vm.vm.hourly_price is None]
    if not unpriced:
        return ()
    detail = f"VMs without a price: {join_names(unpriced)}. hourly_price is the price of the other VMs."
    return (Diagnostic("prices-unknown", detail),)


def find_shortfall(
    loads: Sequence[TaskLoad], mapping: ThreadMapping, prediction: Prediction, external_rate: float
) -> tuple[Diagnostic, ...]:
    """A diagnostic if the placement does not sustain the rate: the task that limits it, and routing that helps."""
    if prediction.rate is None or prediction.rate >= external_rate or prediction.binding_task is None:
        return ()
    aware = predict(loads, mapping, route_slot_aware, external_rate).rate
    remedy = (
        "route by what each slot sustains (slot-aware)"
        if aware is None or aware >= external_rate
        else f"slot-aware routing would reach {write_number(aware, digits=6)}/s; choose mba with sam"
    )
    detail = (
        f"This mapping sustains {write_number(prediction.rate, digits=6)} of "
        f"{write_number(external_rate, digits=6)} tuples/s, limited by {prediction.binding_task}: {remedy}."
    )
    return (Diagnostic("rate-not-met", detail, (prediction.binding_task,)),)


def compare_pairs(
    place: Callable[[AllocateTask, MapThreads], Placement],
    allocations: Mapping[str, AllocateTask],
    mappings: Mapping[str, MapThreads],
) -> list[ComparedPair]:
    """Returns the placement of every pair of an allocation and a mapping, or the reason why a pair cannot be placed."""
    rows: list[ComparedPair] = []
    for (allocation, allocate_task), (mapping, map_threads) in product(allocations.items(), mappings.items()):
        try:
            rows.append(ComparedPair(allocation, mapping, place(allocate_task, map_threads), None))
        except (ThreadTooLarge, NotEnoughSlots, PlacementTooLarge) as problem:
            rows.append(ComparedPair(allocation, mapping, None, str(problem)))
    return rows
