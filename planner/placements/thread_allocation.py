"""How many threads and slots does a topology need at a rate? By LSA and MBA (Shukla and Simmhan, Algorithms 2 and 3).

The slots are max(⌈ΣC⌉, ⌈ΣM⌉), with C and M the cpu and memory of each task in units of one slot.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fmod, fsum, inf
from sys import float_info

from planner.errors import InvalidLoad
from planner.placements.errors import IdleTask, MissingProfile, PlacementTooLarge
from planner.placements.profiles import RATE_TOLERANCE, Profile
from planner.topology.flow import solve_visits
from planner.values import Diagnostic, Topology
from planner.wording import join_names, write_rate

MOST_THREADS = 250_000
MOST_SLOTS = 1_000_000
LARGEST_FLOAT = float_info.max  # JSON has no infinity
# Sums of decimal fractions may exceed an integer by about 1e-16, which must not add a slot.
SLOT_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class TaskLoad:
    """A task that takes slots, with its arrival rate and its profile; `visits` are per external tuple."""

    name: str
    rate: float
    visits: float
    profile: Profile
    upstream: tuple[int, ...] = ()  # positions of its upstream tasks in the same sequence


@dataclass(frozen=True, slots=True)
class TaskAllocation:
    """The threads of one task, and the cpu and memory that they take, in slots; `detail` shows the arithmetic."""

    name: str
    rate: float
    threads: int
    cpu: float
    memory: float
    detail: str


@dataclass(frozen=True, slots=True)
class ThreadAllocation:
    """The threads of every task, and the slots that they need together."""

    slots: int
    tasks: tuple[TaskAllocation, ...]
    detail: str
    diagnostics: tuple[Diagnostic, ...] = ()


AllocateTask = Callable[[TaskLoad], TaskAllocation]


def find_task_loads(
    topology: Topology, external_rate: float, profiles: Mapping[str, Profile]
) -> tuple[TaskLoad, ...]:
    """Returns the tasks that take slots, with their arrival rates, in breadth-first order from the entries of the
    topology.

    A source (no upstream operator) or a sink (no downstream operator) without a profile takes no slot.
    """
    if not 0.0 < external_rate < inf:
        raise InvalidLoad(
            f"external_rate is {external_rate:g}: give a finite rate above 0.",
            argument="external_rate",
        )
    visits = solve_visits(topology)
    names = [operator.name for operator in topology.operators]
    between = [edge for edge in topology.edges if edge.source != edge.target]
    ends = set(names) - ({edge.source for edge in between} & {edge.target for edge in between})
    order = order_breadth_first(topology)
    for position in order:
        rate = external_rate * visits[position]
        if names[position] not in profiles and names[position] not in ends:
            raise MissingProfile(names[position], rate)
        if names[position] in profiles and not rate > 0.0:
            raise IdleTask(names[position], rate)
    placed = [position for position in order if names[position] in profiles]
    place = {names[position]: at for at, position in enumerate(placed)}
    upstream: list[list[int]] = [[] for _ in placed]
    for edge in between:
        if edge.source in place and edge.target in place:
            upstream[place[edge.target]].append(place[edge.source])
    return tuple(
        TaskLoad(
            names[position],
            external_rate * visits[position],
            visits[position],
            profiles[names[position]],
            tuple(sorted(upstream[at])),
        )
        for at, position in enumerate(placed)
    )


def order_breadth_first(topology: Topology) -> list[int]:
    """The positions of the operators, breadth-first from the entries; operators that no tuple reaches come last."""
    index = {operator.name: position for position, operator in enumerate(topology.operators)}
    targets: list[list[int]] = [[] for _ in index]
    fed = set()
    for edge in topology.edges:
        targets[index[edge.source]].append(index[edge.target])
        if edge.source != edge.target:
            fed.add(index[edge.target])
    entered = [index[entry.operator] for entry in topology.entries]
    order: list[int] = []
    seen: set[int] = set()
    # The first level: the entries, or the operators without upstream operators.
    for level in [entered or [p for p in index.values() if p not in fed], *([p] for p in index.values())]:
        frontier = [position for position in level if position not in seen]
        seen.update(frontier)
        for position in frontier:  # the loop appends to it
            fresh = [target for target in targets[position] if target not in seen]
            frontier += dict.fromkeys(fresh)
            seen.update(fresh)
        order += frontier
    return order


def saturate_slots(rate: float, peak_rate: float) -> tuple[int, float]:
    """Returns the number of slots that the rate saturates, and the rest of the rate; a rest within rounding error is 0.

    `peak_rate` is the rate of one slot.
    """
    rest = fmod(rate, peak_rate)
    full = round((rate - rest) / peak_rate)
    if peak_rate - rest <= RATE_TOLERANCE * rate:
        return full + 1, 0.0
    return full, rest if rest > RATE_TOLERANCE * rate else 0.0


def allocate_lsa(load: TaskLoad) -> TaskAllocation:
    """Allocates threads by LSA: as many single threads as the rate saturates, and one more for the rest of the rate.

    For a rate ω these are ⌊ω/I(1)⌋ threads, each with rate I(1), cpu C(1) and memory M(1); a rest ω' takes the part
    ω'/I(1) of both. LSA assumes that threads scale linearly, on one slot and on many.
    """
    single = load.profile.single
    full, rest = saturate_slots(load.rate, single.peak_rate)
    threads = full + (rest > 0.0)
    share = full + rest / single.peak_rate
    detail = (
        f"{write_rate(load.rate)} = {share:.6g} × {write_rate(single.peak_rate)} on {threads}; "
        f"cpu {share:.6g} × {single.cpu:.6g}, memory {share:.6g} × {single.memory:.6g}"
    )
    return TaskAllocation(load.name, load.rate, threads, share * single.cpu, share * single.memory, detail)


def allocate_mba(load: TaskLoad) -> TaskAllocation:
    """Allocates threads by MBA: as many full slots as the rate saturates, and a bundle of threads for the rest of the
    rate.

    For a rate ω these are ⌊ω/Î⌋ slots with τ̂ threads each (the number with the highest rate Î on a slot). The rest ω'
    gets the fewest threads T that sustain it, with cpu C(T) and memory M(T); a single thread takes only the part
    ω'/I(1) of both.
    """
    profile, best = load.profile, load.profile.best
    full, rest = saturate_slots(load.rate, best.peak_rate)
    threads = profile.threads_for(rest) if rest else 0
    cpu, memory = size_bundle(profile, threads, rest) if rest else (0.0, 0.0)
    return TaskAllocation(
        load.name,
        load.rate,
        full * best.threads + threads,
        full + cpu,
        full + memory,
        describe_bundles(load, full, rest, threads),
    )


def describe_bundles(load: TaskLoad, full: int, rest: float, threads: int) -> str:
    """Returns the arithmetic of the allocation MBA for one task, as one line."""
    best = load.profile.best
    whole = f"{full} × {write_rate(best.peak_rate)} on {full} slots of {best.threads}" if full else ""
    if not rest:
        return whole
    cpu, memory = size_bundle(load.profile, threads, rest)
    last = f"{write_rate(rest)} on {threads} with cpu {cpu:.6g}, memory {memory:.6g}"
    return f"{whole}; {last}" if full else last


def size_bundle(profile: Profile, threads: int, rate: float) -> tuple[float, float]:
    """The cpu and memory that so many threads take on one slot; for a single thread in proportion to its rate."""
    point = profile.interpolate(threads)
    share = min(1.0, rate / point.peak_rate) if threads == 1 else 1.0
    return point.cpu * share, point.memory * share


def allocate_slots(loads: Sequence[TaskLoad], allocate_task: AllocateTask) -> ThreadAllocation:
    """Returns the threads of all tasks by one rule, and the slots that they need together.

    The slots are max(⌈ΣC⌉, ⌈ΣM⌉), with C and M the cpu and memory of each task in slots.
    """
    # This lower bound refuses far too many threads before they are counted exactly.
    fewest = {load.name: load.rate / load.profile.best.peak_rate for load in loads}
    refuse_excess(fewest, MOST_THREADS, "threads")
    tasks = tuple(allocate_task(load) for load in loads)
    refuse_excess({task.name: task.threads for task in tasks}, MOST_THREADS, "threads")
    refuse_excess({task.name: max(task.cpu, task.memory) for task in tasks}, MOST_SLOTS, "slots")
    cpu = fsum(task.cpu for task in tasks)
    memory = fsum(task.memory for task in tasks)
    slots = max(ceil(cpu - SLOT_TOLERANCE), ceil(memory - SLOT_TOLERANCE))
    detail = f"cpu {cpu:.6g} and memory {memory:.6g} slots: max(⌈{cpu:.6g}⌉, ⌈{memory:.6g}⌉) = {slots}"
    return ThreadAllocation(slots, tasks, detail)


def refuse_excess(needed: Mapping[str, float], limit: int, unit: str) -> None:
    """Raises PlacementTooLarge if the tasks together need more threads or slots (`unit`) than the limit."""
    total = sum(needed.values())
    if total > limit:
        largest = max(needed, key=lambda task: needed[task])
        raise PlacementTooLarge(largest, min(total, LARGEST_FLOAT), limit, unit)


def find_dips(loads: Sequence[TaskLoad]) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if some tasks take more of a slot at a lower rate, so that fewer tuples may need more slots.

    The cause is a profile with less cpu or memory at more threads; this is not an error.
    """
    dipping = tuple(load.name for load in loads if has_dip(load))
    if not dipping:
        return ()
    detail = (
        "A lower external_rate may need more slots: by profile, the threads for this rate take less cpu or memory than "
        f"the fewer threads for a lower rate, in {join_names(dipping, 5)}."
    )
    return (Diagnostic("profile-dips", detail, dipping),)


def has_dip(load: TaskLoad) -> bool:
    """Returns whether a task takes more cpu or memory at some lower rate than at its present rate.

    Only measured numbers of threads are compared, because cpu and memory peak there.
    """
    profile, best = load.profile, load.profile.best
    full, rest = saturate_slots(load.rate, best.peak_rate)
    last = profile.threads_for(rest) if rest else 0
    needed = size_bundle(profile, last, rest) if rest else (0.0, 0.0)
    below_last = [point for point in profile.points if point.threads < last]
    below_best = [point for point in profile.points if point.threads <= best.threads] if full else []
    highest_cpu = [full + point.cpu for point in below_last] + [full - 1 + point.cpu for point in below_best]
    highest_memory = [full + p.memory for p in below_last] + [full - 1 + p.memory for p in below_best]
    return (
        max(highest_cpu, default=0.0) > full + needed[0] + SLOT_TOLERANCE
        or max(highest_memory, default=0.0) > full + needed[1] + SLOT_TOLERANCE
    )
