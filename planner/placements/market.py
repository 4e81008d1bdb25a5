"""The market of slots: existing VMs, VM sizes on offer, and purchases."""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.placements.errors import NotEnoughSlots, ThreadTooLarge
from planner.placements.mapping import Vm
from planner.placements.thread_allocation import TaskLoad
from planner.placements.vm_acquisition import (
    Acquire,
    Purchase,
    VmSize,
    acquire_largest_first,
    make_purchase,
)
from planner.values import Diagnostic
from planner.wording import join_names, write_number


@dataclass(frozen=True, slots=True)
class Market:
    """Existing VMs, the VM sizes on offer, and the rule of buying."""

    existing: tuple[Vm, ...] = ()
    sizes: tuple[VmSize, ...] = ()
    acquire: Acquire = acquire_largest_first


def keep_wide_enough(loads: Sequence[TaskLoad], market: Market) -> tuple[VmSize, ...]:
    """The sizes that can hold a thread of every task; ThreadTooLarge if neither a size nor an existing VM can."""
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
    """The diagnostic about sizes that are not bought, since a thread of some task is too large for them."""
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
    """The names of the sizes on offer that were not kept."""
    names = {size.name for size in kept}
    return tuple(size.name for size in market.sizes if size.name not in names)


def buy(acquire: Acquire, market: Market, sizes: Sequence[VmSize], slots: int) -> Purchase:
    """The purchase that gives `slots` together with the existing VMs."""
    available = sum(vm.slots for vm in market.existing)
    missing = slots - available
    if missing <= 0:
        return make_purchase([])
    if not sizes:
        raise NotEnoughSlots(slots, available, name_left_out(market, sizes))
    return acquire(sizes, missing)


def name_vms(purchase: Purchase, existing: Sequence[Vm]) -> list[Vm]:
    """The VMs of a purchase with new names vm-1, vm-2 …, which no existing VM has."""
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
