"""RSM, the mapping of R-Storm (Shukla and Simmhan, Algorithm 5): maps each thread to the VM that fits best."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, floor

import numpy as np
import numpy.typing as npt

from planner.placements.errors import ThreadTooLarge
from planner.placements.mappers.mapping import FIT_TOLERANCE, NoRoom, SlotLedger, Task, ThreadMapping, Vm
from planner.placements.thread_allocation import refuse_excess

# Each thread is compared with every VM. This limits one try; MOST_TRIED of place.py limits all tries together.
MOST_ONE_BY_ONE = 50_000

# Rounding makes VMs in the same state tie, in whatever order their threads were added.
DISTANCE_DIGITS = 9

Numbers = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DistanceWeights:
    """The weights of memory, cpu and network in the distance between a thread's needs and a VM."""

    memory: float = 1.0
    cpu: float = 1.0
    network: float = 1.0


@dataclass(slots=True)
class VmLedger:
    """The free resources of each VM: cpu of the whole VM, and memory of each slot, because a slot is one process."""

    vms: Sequence[Vm]
    slots: SlotLedger = field(init=False)
    first_slot: list[int] = field(init=False)
    free_cpu: Numbers = field(init=False)
    free_memory: Numbers = field(init=False)
    widest_slot: Numbers = field(init=False)  # the most free memory of any slot of the VM

    def __post_init__(self) -> None:
        self.slots = SlotLedger(self.vms)
        sizes = np.array([vm.slots for vm in self.vms], dtype=np.float64)
        self.first_slot = [0, *np.cumsum(sizes).astype(int).tolist()]
        self.free_cpu = sizes.copy()
        self.free_memory = sizes.copy()
        self.widest_slot = (sizes > 0).astype(np.float64)

    def find_fitting(self, cpu: float, memory: float) -> Marks:
        """Marks the VMs that have enough free cpu for a thread, and enough free memory for it on one slot."""
        return (self.free_cpu >= cpu - FIT_TOLERANCE) & (self.widest_slot >= memory - FIT_TOLERANCE)

    def put(self, vm: int, task: str, cpu: float, memory: float) -> None:
        """Puts one thread of a task on the first slot of the VM that has enough memory."""
        span = range(self.first_slot[vm], self.first_slot[vm + 1])
        used = self.slots.memory
        slot = next(at for at in span if 1.0 - used[at] >= memory - FIT_TOLERANCE)
        self.slots.put(slot, task, 1, cpu, memory)
        self.free_cpu[vm] -= cpu
        self.free_memory[vm] -= memory
        self.widest_slot[vm] = 1.0 - min(used[at] for at in span)


def check_threads(tasks: Sequence[Task], vms: Sequence[Vm]) -> None:
    """Raises ThreadTooLarge if a single thread does not fit the largest VM, because then no number
    of slots is enough.
    """
    refuse_excess({task.name: task.threads for task in tasks}, MOST_ONE_BY_ONE, "threads to map one by one")
    largest = max(vms, key=lambda vm: vm.slots, default=None)
    if largest is None:
        raise NoRoom
    for task in tasks:
        if task.profile.single.cpu > largest.slots + FIT_TOLERANCE:
            raise ThreadTooLarge(
                task.name,
                1,
                "cpu",
                task.profile.single.cpu,
                largest.slots,
                f"the largest VM, {largest.name},",
            )


def number_racks(vms: Sequence[Vm]) -> npt.NDArray[np.int64]:
    """Returns a rack number for each VM; a VM whose rack is unknown counts as a separate rack."""
    numbers: dict[str | int, int] = {}
    return np.array(
        [numbers.setdefault(at if vm.rack is None else vm.rack, len(numbers)) for at, vm in enumerate(vms)]
    )


def measure_network(racks: npt.NDArray[np.int64], reference: int) -> Numbers:
    """Returns the network distance of each VM from the VM numbered `reference`.

    The distance is 0 for the same VM, ½ in the same rack, 1 elsewhere.
    """
    network = np.where(racks == racks[reference], 0.5, 1.0)
    network[reference] = 0.0
    return network


def map_resource_aware(
    tasks: Sequence[Task], vms: Sequence[Vm], weights: DistanceWeights | None = None
) -> ThreadMapping:
    """Maps each thread to the VM whose free resources are nearest to its needs, among the VMs that have room.

    Each sweep over the tasks, breadth-first, maps one thread of every task that has threads left. The distance d is d²
    = w_m (m_t − M_vm)² + w_c (c_t − C_vm)² + w_n·net(ref, vm), with the weights w; m_t, c_t: memory and cpu of a single
    thread; M_vm, C_vm: free memory and cpu of the VM; net: the network distance from ref, the VM of the previous
    thread. Among equals the first VM is chosen.
    """
    weights = weights or DistanceWeights()
    check_threads(tasks, vms)
    singles = [(task.threads, task.profile.single) for task in tasks]
    refuse_hopeless([(threads, single.cpu, single.memory) for threads, single in singles], vms)
    ledger = VmLedger(vms)
    racks = number_racks(vms)
    reference = 0
    network = weights.network * measure_network(racks, reference)
    for placed, task in enumerate(sweep_threads(tasks)):
        single = task.profile.single
        fits = ledger.find_fitting(single.cpu, single.memory)
        distance = (
            weights.memory * (single.memory - ledger.free_memory) ** 2
            + weights.cpu * (single.cpu - ledger.free_cpu) ** 2
            + network
        )
        vm = int(np.where(fits, np.round(distance, DISTANCE_DIGITS), np.inf).argmin())
        if not fits[vm]:
            raise ask_for_more(len(ledger.slots.vm_of), placed)
        ledger.put(vm, task.name, single.cpu, single.memory)
        if vm != reference:
            reference = vm
            network = weights.network * measure_network(racks, vm)
    return ledger.slots.close()


def ask_for_more(slots: int, tried: int) -> NoRoom:
    """The error that asks for more slots: for one more, as published, and one per thousand to limit the retries."""
    return NoRoom(1 + slots // 1000, tried)


def sweep_threads(tasks: Sequence[Task]) -> Iterator[Task]:
    """Yields each task once per thread: every sweep over the tasks takes one thread of each that has threads left."""
    pending = [task for task in tasks if task.threads]
    turn = 0
    while pending:
        turn += 1
        yield from pending
        pending = [task for task in pending if task.threads > turn]


def refuse_hopeless(needs: Sequence[tuple[int, float, float]], vms: Sequence[Vm]) -> None:
    """Raises NoRoom if the VMs cannot be enough, before threads are tried one by one.

    `needs` are numbers of threads with the cpu and memory of each. The slots must hold the sums of cpu and of memory.
    For each memory m, N(m) threads that take at least m each need ⌈N(m) / ⌊1/m⌋⌉ slots. A VM of s slots holds at most
    ⌊s/c⌋ threads of at least c cpu.
    """
    slots = sum(vm.slots for vm in vms)
    total = max(sum(n * c for n, c, _ in needs), sum(n * m for n, _, m in needs))
    by_memory = [
        ceil(count / fit_times(memory, 1)) for memory, count in count_at_least((n, m) for n, _, m in needs)
    ]
    missing = max([ceil(total * (1.0 - FIT_TOLERANCE)), *by_memory]) - slots
    if missing > 0:
        raise NoRoom(missing)
    sizes = Counter(vm.slots for vm in vms)
    for cpu, count in count_at_least((n, c) for n, c, _ in needs):
        if count > sum(number * fit_times(cpu, size) for size, number in sizes.items()):
            raise ask_for_more(slots, 0)


def count_at_least(needs: Iterable[tuple[int, float]]) -> Iterator[tuple[float, int]]:
    """Yields each amount above 0 that a thread takes, with the number of threads that take at least this amount."""
    count = 0
    for threads, amount in sorted(needs, key=lambda need: -need[1]):
        count += threads
        if amount > 0.0:
            yield amount, count


def fit_times(amount: float, capacity: int) -> int:
    """Returns how many threads that take `amount` fit into `capacity` at most: ⌊capacity / amount⌋.

    The division allows twice the rounding error that the mappers tolerate.
    """
    return floor((capacity + 2.0 * FIT_TOLERANCE) / amount) if amount > FIT_TOLERANCE else MOST_ONE_BY_ONE
