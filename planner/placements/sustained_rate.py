"""Which rate does a mapping of threads sustain, and which task limits it? (Shukla and Simmhan, section 8)

The prediction also has the cpu and memory of every slot and VM.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import fsum
from typing import NamedTuple

from planner.errors import suggest_name
from planner.placements.errors import InvalidMapping
from planner.placements.mappers.mapping import SHOWN_DIGITS, ThreadMapping
from planner.placements.profiles import Profile
from planner.placements.thread_allocation import TaskLoad, size_bundle
from planner.values import Diagnostic
from planner.wording import join_names, write_counted, write_rate

# A capacity that misses its rate only by rounding counts as sustaining that rate.
RATE_TOLERANCE = 1e-11


class TaskPrediction(NamedTuple):
    """The rate that the threads of a task sustain (`capacity`), and the external rate that brings
    this rate (`rate`).
    """

    name: str
    capacity: float
    rate: float


class SlotUsage(NamedTuple):
    """The predicted use of a slot's cpu and memory."""

    cpu: float
    memory: float


class VmPrediction(NamedTuple):
    """The predicted use of cpu and memory of a VM and of its slots."""

    name: str
    cpu: float
    memory: float
    slots: tuple[SlotUsage, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The external rate that all tasks sustain, the task that limits it, and the use of every VM.

    The rate and the task are None if no task has a profile.
    """

    rate: float | None
    binding_task: str | None
    tasks: tuple[TaskPrediction, ...]
    vms: tuple[VmPrediction, ...]
    diagnostics: tuple[Diagnostic, ...]

    def meets(self, external_rate: float | None) -> bool | None:
        """Returns whether this external rate is sustained; None without a rate, or if the sustained rate is unknown."""
        if external_rate is None or self.rate is None:
            return None
        return self.rate >= external_rate


# A routing takes a profile and the threads on each slot; it returns the task's rate, and a slot's share by threads.
Route = Callable[[Profile, Collection[int]], tuple[float, dict[int, float]]]


def route_slot_aware(profile: Profile, threads: Collection[int]) -> tuple[float, dict[int, float]]:
    """Returns the rate of a task whose slots get tuples in proportion to their own highest rates, and each slot's
    share.

    The task sustains Σ I(q_s): I(q_s) is the highest rate of the q_s threads on slot s.
    """
    peaks = {count: profile.interpolate(count).peak_rate for count in set(threads)}
    total = fsum([peaks[count] for count in threads])
    return total, {count: peak / total for count, peak in peaks.items()}


def route_shuffled(profile: Profile, threads: Collection[int]) -> tuple[float, dict[int, float]]:
    """Returns the rate of a task whose threads all get equal shares (Storm's shuffle grouping), and each slot's share.

    The task sustains Σ q · min over slots of I(q_s)/q_s: I(q_s) is the highest rate of the q_s threads on slot s.
    """
    total = sum(threads)
    weakest = min(profile.interpolate(count).peak_rate / count for count in set(threads))
    return weakest * total, {count: count / total for count in set(threads)}


ROUTINGS: Mapping[str, Route] = {"shuffle": route_shuffled, "slot-aware": route_slot_aware}


def predict(
    loads: Sequence[TaskLoad], mapping: ThreadMapping, route: Route, external_rate: float | None = None
) -> Prediction:
    """Predicts the external rate that a mapping sustains: the minimum over tasks of capacity / visits per external
    tuple.

    Cpu and memory are predicted at this rate, or at `external_rate` if that is lower. Threads of different tasks on one
    slot are assumed not to slow each other down: no profile measures that.
    """
    places = find_places(loads, mapping)
    tasks: list[TaskPrediction] = []
    shares: list[dict[int, float]] = []
    for load in loads:
        capacity, split = route(load.profile, places[load.name].values())
        tasks.append(TaskPrediction(load.name, capacity, reach_rate(capacity, load.visits, external_rate)))
        shares.append(split)
    binding = min(tasks, key=lambda task: task.rate, default=None)
    running = binding.rate if binding else 0.0
    if external_rate is not None:
        running = min(running, external_rate)
    size = sum(len(vm.slots) for vm in mapping.vms)
    cpu, memory = [0.0] * size, [0.0] * size
    for load, split in zip(loads, shares, strict=True):
        use = {
            threads: size_bundle(load.profile, threads, running * load.visits * share)
            for threads, share in split.items()
        }
        for number, threads in places[load.name].items():
            cpu[number] += use[threads][0]
            memory[number] += use[threads][1]
    return Prediction(
        binding.rate if binding else None,
        binding.name if binding else None,
        tuple(tasks),
        sum_vms(mapping, cpu, memory),
        (*find_untasked(loads), *find_unmeasured(loads, places), *find_mixed(mapping)),
    )


def reach_rate(capacity: float, visits: float, external_rate: float | None) -> float:
    """Returns the external rate at which a task reaches its capacity: capacity / visits per external tuple.

    The answer is `external_rate` if both differ by rounding only.
    """
    rate = capacity / visits
    if external_rate is not None and abs(rate - external_rate) <= RATE_TOLERANCE * external_rate:
        return external_rate
    return rate


def find_places(loads: Sequence[TaskLoad], mapping: ThreadMapping) -> Mapping[str, dict[int, int]]:
    """Returns the threads of each task by slot, where slots are numbered over all VMs.

    Raises InvalidMapping if the threads do not fit the topology.
    """
    places: dict[str, dict[int, int]] = {load.name: {} for load in loads}
    number = 0
    for at, vm in enumerate(mapping.vms):
        for slot_at, slot in enumerate(vm.slots):
            for task, threads in slot.threads.items():
                pointer = f"/vms/{at}/slots/{slot_at}/threads"
                if task not in places:
                    raise InvalidMapping(
                        f"VM {vm.vm.name} runs {task!r}, which is not a task with a profile: correct the "
                        f"name.{suggest_name(task, places)}",
                        pointer,
                    )
                if threads < 1:
                    raise InvalidMapping(
                        f"VM {vm.vm.name} runs {threads} threads of {task!r}: give 1 or more.", pointer
                    )
                places[task][number] = threads
            number += 1
    for load in loads:
        if not places[load.name]:
            raise InvalidMapping(
                f"No thread of {load.name} is mapped, but it receives {write_rate(load.rate)}: give it a slot.",
                "/vms",
            )
    return places


def sum_vms(
    mapping: ThreadMapping, cpu: Sequence[float], memory: Sequence[float]
) -> tuple[VmPrediction, ...]:
    """Returns the predicted use of each VM and of its slots; the use of a VM is the sum over its slots."""
    uses = map(cache(show_usage), cpu, memory)  # most slots are equal, and rounding takes time
    predictions = []
    for vm in mapping.vms:
        slots = tuple(islice(uses, len(vm.slots)))
        predictions.append(
            VmPrediction(
                vm.vm.name,
                round(fsum([use.cpu for use in slots]), SHOWN_DIGITS),
                round(fsum([use.memory for use in slots]), SHOWN_DIGITS),
                slots,
            )
        )
    return tuple(predictions)


def show_usage(cpu: float, memory: float) -> SlotUsage:
    """Returns the use of a slot without the rounding errors of decimal sums."""
    return SlotUsage(round(cpu, SHOWN_DIGITS), round(memory, SHOWN_DIGITS))


def find_untasked(loads: Sequence[TaskLoad]) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if no operator has a profile, so that nothing is placed."""
    if loads:
        return ()
    detail = "No operator has a profile: nothing is placed, and the sustained rate is unknown."
    return (Diagnostic("no-tasks", detail),)


def find_unmeasured(
    loads: Sequence[TaskLoad], places: Mapping[str, dict[int, int]]
) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if some tasks have more threads on a slot than were measured."""
    beyond = {
        load.name: most
        for load in loads
        if not load.profile.is_measured(most := max(places[load.name].values()))
    }
    if not beyond:
        return ()
    listed = join_names([f"{task} ({most} threads)" for task, most in beyond.items()], 5)
    detail = (
        f"Some slots have more threads than were measured: {listed}. The last measured values are used, which are too "
        "high if more threads reduce the rate: measure these numbers of threads, or use fewer per slot."
    )
    return (Diagnostic("beyond-profile", detail, tuple(beyond)),)


def find_mixed(mapping: ThreadMapping) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if slots have threads of several tasks, because their interference is not modelled."""
    mixed = sum(1 for vm in mapping.vms for slot in vm.slots if len(slot.threads) > 1)
    if not mixed:
        return ()
    detail = (
        f"{write_counted(mixed, 'slot')} with threads of several tasks: profiles do not contain how tasks slow each "
        "other down, so each task counts as if it were alone."
    )
    return (Diagnostic("mixed-slots", detail),)
