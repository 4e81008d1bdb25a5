"""The mapping of threads to slots of VMs: the types that all mappers share, and the round robin of Storm.

Every mapper takes the tasks in breadth-first order and the VMs, and returns the mapping. A mapper that respects the
limits of slots raises `NoRoom` with the number of missing slots, and is called again with more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import NamedTuple

from planner.placements.profiles import Profile
from planner.placements.thread_allocation import TaskAllocation, TaskLoad

# Decimal parts that add up to exactly 1 may give 1 + 1e-16 as floats.
FIT_TOLERANCE = 1e-9
SHOWN_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Vm:
    """A virtual machine with its slots; a VM whose `rack` is None shares its rack with no other VM."""

    name: str
    slots: int
    size: str | None = None
    rack: str | None = None
    hourly_price: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A task to map: its allocation, its profile and the positions of its upstream tasks."""

    name: str
    rate: float
    threads: int
    cpu: float
    memory: float
    profile: Profile
    upstream: tuple[int, ...] = ()


class MappedSlot(NamedTuple):
    """The threads of each task on one slot, and the fractions of the slot that the mapper reserved for them."""

    threads: Mapping[str, int]
    cpu: float
    memory: float


class MappedVm(NamedTuple):
    """A VM with all its slots, with or without threads."""

    vm: Vm
    slots: tuple[MappedSlot, ...]


@dataclass(frozen=True, slots=True)
class ThreadMapping:
    """The mapping of all threads of a topology: every VM with its slots, and the threads on each slot."""

    vms: tuple[MappedVm, ...]

    @property
    def slots_used(self) -> int:
        """The number of slots with at least one thread."""
        return sum(1 for vm in self.vms for slot in vm.slots if slot.threads)

    @property
    def slots_available(self) -> int:
        """The number of slots of all VMs."""
        return sum(vm.vm.slots for vm in self.vms)


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """The parts of cpu and of memory that are not reserved in the slots with threads."""

    cpu: float
    memory: float


class NoRoom(Exception):
    """A mapper found too few slots; it should be called again with `missing` more slots.

    `tried` is the number of threads that were placed one by one before the failure.
    """

    def __init__(self, missing: int = 1, tried: int = 0) -> None:
        super().__init__(f"{missing} slots missing")
        self.missing = missing
        self.tried = tried


MapThreads = Callable[[Sequence[Task], Sequence[Vm]], ThreadMapping]


@dataclass(slots=True)
class SlotLedger:
    """The threads and reservations of each slot while a mapper works; slots are numbered over all
    VMs, in their order.
    """

    vms: Sequence[Vm]
    vm_of: list[int] = field(init=False)
    threads: dict[int, dict[str, int]] = field(init=False, default_factory=dict)
    cpu: list[float] = field(init=False)
    memory: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.vm_of = [at for at, vm in enumerate(self.vms) for _ in range(vm.slots)]
        self.cpu = [0.0] * len(self.vm_of)
        self.memory = [0.0] * len(self.vm_of)

    def put(self, slot: int, task: str, threads: int, cpu: float, memory: float) -> None:
        """Adds threads of a task to a slot, and reserves cpu and memory of the slot for them."""
        here = self.threads.setdefault(slot, {})
        here[task] = here.get(task, 0) + threads
        self.cpu[slot] += cpu
        self.memory[slot] += memory

    def close(self) -> ThreadMapping:
        """Returns the mapping of all threads so far, without the rounding errors of decimal sums."""
        mixes = (tuple(self.threads.get(slot, {}).items()) for slot in range(len(self.vm_of)))
        slots = map(cache(show_slot), mixes, self.cpu, self.memory)  # most slots are equal to others
        return ThreadMapping(tuple([MappedVm(vm, tuple(islice(slots, vm.slots))) for vm in self.vms]))


def show_slot(threads: tuple[tuple[str, int], ...], cpu: float, memory: float) -> MappedSlot:
    """Returns a slot with its threads and reservations, without the rounding errors of decimal sums."""
    return MappedSlot(dict(threads), round(cpu, SHOWN_DIGITS), round(memory, SHOWN_DIGITS))


def join_tasks(loads: Sequence[TaskLoad], allocations: Sequence[TaskAllocation]) -> tuple[Task, ...]:
    """Joins the loads and the allocations of the same tasks into the tasks of a mapper."""
    return tuple(
        Task(load.name, load.rate, given.threads, given.cpu, given.memory, load.profile, load.upstream)
        for load, given in zip(loads, allocations, strict=True)
    )


def measure_fragmentation(mapping: ThreadMapping) -> Fragmentation:
    """Returns the unreserved part of cpu and of memory in the slots with threads, 1 − Σ reserved / slots.

    A slot may borrow cpu from other slots of its VM.
    """
    used = [slot for vm in mapping.vms for slot in vm.slots if slot.threads]
    if not used:
        return Fragmentation(0.0, 0.0)
    cpu = sum(slot.cpu for slot in used) / len(used)
    memory = sum(slot.memory for slot in used) / len(used)
    return Fragmentation(
        round(max(0.0, 1.0 - cpu), SHOWN_DIGITS), round(max(0.0, 1.0 - memory), SHOWN_DIGITS)
    )


def map_round_robin(tasks: Sequence[Task], vms: Sequence[Vm]) -> ThreadMapping:
    """Puts threads on the slots in turn, whatever cpu and memory they take, as Storm's default scheduler does (DSM).

    Nothing is reserved; the shown cpu and memory are those of a single thread times the threads, and may exceed a slot.
    """
    ledger = SlotLedger(vms)
    slots = len(ledger.vm_of)
    if not slots:
        raise NoRoom
    start = 0
    for task in tasks:
        rounds, more = divmod(task.threads, slots)
        single = task.profile.single
        for step in range(min(task.threads, slots)):
            threads = rounds + (step < more)
            ledger.put(
                (start + step) % slots, task.name, threads, threads * single.cpu, threads * single.memory
            )
        start = (start + task.threads) % slots
    return ledger.close()
