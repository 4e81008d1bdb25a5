"""SAM, slot-aware mapping (Shukla and Simmhan, Algorithm 6): each full bundle of threads gets a whole slot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from planner.placements.errors import ThreadTooLarge
from planner.placements.mappers.mapping import FIT_TOLERANCE, NoRoom, SlotLedger, Task, ThreadMapping, Vm
from planner.placements.thread_allocation import saturate_slots, size_bundle


@dataclass(frozen=True, slots=True)
class Bundles:
    """The bundles of threads that a task is split into: `full` bundles of the best size, and the last, partial bundle.

    The partial bundle has its own cpu and memory. The best size τ̂ is the number of threads with the highest rate on a
    slot.
    """

    full: int
    threads: int
    cpu: float
    memory: float


@dataclass(slots=True)
class SharedSlots:
    """The slots that partial bundles share; there is at most one per task, so that a search through them is short."""

    numbers: list[int] = field(default_factory=list)
    free_cpu: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    free_memory: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def find(self, cpu: float, memory: float) -> int | None:
        """The shared slot that fits best: of the slots with enough cpu and memory, the one with the least free."""
        count = len(self.numbers)
        cpu_left, memory_left = self.free_cpu[:count], self.free_memory[:count]
        fits = (cpu_left >= cpu - FIT_TOLERANCE) & (memory_left >= memory - FIT_TOLERANCE)
        if not fits.any():
            return None
        return int(np.argmin(np.where(fits, cpu_left + memory_left, np.inf)))

    def open(self, number: int) -> int:
        """Adds an empty slot to the shared slots, and returns its position among them."""
        at = len(self.numbers)
        if at == len(self.free_cpu):
            self.free_cpu = np.append(self.free_cpu, np.ones(max(16, at)))
            self.free_memory = np.append(self.free_memory, np.ones(max(16, at)))
        self.numbers.append(number)
        return at

    def take(self, at: int, cpu: float, memory: float) -> int:
        """Reserves cpu and memory in the shared slot at this position, and returns the number of the slot."""
        self.free_cpu[at] -= cpu
        self.free_memory[at] -= memory
        return self.numbers[at]


def map_slot_aware(tasks: Sequence[Task], vms: Sequence[Vm]) -> ThreadMapping:
    """Maps bundles of threads to slots, in sweeps over the tasks in breadth-first order, one bundle per task and sweep.

    A full bundle, of as many threads as run best on a slot, takes a whole empty slot on the last used VM or the next
    one. The last, partial bundle of a task goes to the shared slot that fits best, or to an empty slot. So tasks share
    at most as many slots as there are tasks.
    """
    ledger = SlotLedger(vms)
    empty = walk_slots(vms)
    shared = SharedSlots()
    missing = 0
    for task, bundle in sweep_bundles(tasks):
        at = None if bundle is None else shared.find(bundle.cpu, bundle.memory)
        if at is None:
            number = next(empty, -1)
            # No slot is left: the remaining bundles get imaginary slots. The number of these equals the number of
            # missing slots that retries with one more slot at a time would find.
            missing += number < 0
            at = None if bundle is None else shared.open(number)
        if bundle is None:
            if number >= 0:
                ledger.put(number, task.name, task.profile.best.threads, 1.0, 1.0)
            continue
        assert at is not None
        number = shared.take(at, bundle.cpu, bundle.memory)
        if number >= 0:
            ledger.put(number, task.name, bundle.threads, bundle.cpu, bundle.memory)
    if missing:
        raise NoRoom(missing)
    return ledger.close()


def sweep_bundles(tasks: Sequence[Task]) -> Iterator[tuple[Task, Bundles | None]]:
    """Yields each task once per bundle, in the order of placing; None beside a task stands for a full bundle."""
    for task in tasks:
        check_bundles(task)
    pending = [(task, split_bundles(task)) for task in tasks]
    turn = 0
    while pending:
        for task, bundles in pending:
            if turn < bundles.full:
                yield task, None
            elif bundles.threads:
                yield task, bundles
        pending = [(task, bundles) for task, bundles in pending if turn < bundles.full]
        turn += 1


def split_bundles(task: Task) -> Bundles:
    """Splits a task's threads into bundles; the last bundle is full only if its share of the rate saturates it.

    The allocation MBA may give the rest ω' of the rate as many threads as a full bundle has, τ̂ (if T(ω') = τ̂, always
    so for tasks that run best with one thread): these take cpu and memory of the profile, as in the allocation, and not
    a whole slot.
    """
    best = task.profile.best
    full, threads = divmod(task.threads, best.threads)
    saturated, _ = saturate_slots(task.rate, best.peak_rate)
    if full > saturated and not threads:
        full, threads = full - 1, best.threads
    if not threads:
        return Bundles(full, 0, 0.0, 0.0)
    rest = task.rate - full * best.peak_rate
    cpu, memory = size_bundle(task.profile, threads, rest if rest > 0.0 else task.profile.single.peak_rate)
    return Bundles(full, threads, cpu, memory)


def check_bundles(task: Task) -> None:
    """Raises ThreadTooLarge if a bundle takes more cpu than one slot has, because no larger VM would help."""
    best, last = task.profile.best, split_bundles(task)
    for threads, cpu in ((best.threads, best.cpu), (last.threads, last.cpu)):
        if cpu <= 1.0 + FIT_TOLERANCE:
            continue
        remedy = (
            "sam keeps a bundle on one slot: choose the mapping rsm, whose threads may use the cpu of the whole VM, or "
            "correct the profile"
        )
        raise ThreadTooLarge(task.name, threads, "cpu", cpu, 1.0, "one slot", remedy, "/profiles")


def walk_slots(vms: Sequence[Vm]) -> Iterator[int]:
    """Yields the slots in the order of filling: VM by VM, VMs of the same rack before VMs of other racks."""
    first_slot = np.cumsum([0, *(vm.slots for vm in vms)])
    racks: dict[str | int, list[int]] = {}
    for at, vm in enumerate(vms):
        racks.setdefault(at if vm.rack is None else vm.rack, []).append(at)
    for rack in racks.values():
        for at in rack:
            yield from range(int(first_slot[at]), int(first_slot[at]) + vms[at].slots)
