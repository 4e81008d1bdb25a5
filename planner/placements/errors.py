"""The errors that placements raise, with their numbers in fields (see planner.errors).

PlacementError             threads cannot be placed on slots
├── TaskError
│   ├── InvalidProfile         a task's profile contradicts itself, or takes more than a slot has
│   ├── NoStablePoint          no trial of a task was stable
│   ├── MissingProfile         a task between others has no profile
│   ├── IdleTask               a task with a profile that no tuple reaches
│   ├── ThreadTooLarge         a thread, or a bundle of threads, that no VM or slot can hold
│   └── PlacementTooLarge      more threads or slots than the limit
│       └── TooManyRetries     a mapper that was called again too often
├── InvalidCatalogue       no VM sizes, or sizes without a price
├── NotEnoughSlots         the given VMs have too few slots, and there are no sizes to buy
└── InvalidMapping         a mapping names a task or slot that does not exist
"""

from planner.errors import PlannerError
from planner.wording import join_names, write_count, write_counted, write_number, write_rate


class PlacementError(PlannerError):
    """The threads of a topology cannot be placed on the slots of VMs."""


class TaskError(PlacementError):
    """A placement failed because of one task, which the error names."""

    task: str


class InvalidProfile(TaskError):
    """A task's profile contradicts itself, or takes more than a slot has; `threads` identifies the row."""

    detail: str
    threads: int | None = None
    value: float | None = None
    pointer: str = ""

    def __str__(self) -> str:
        where = "" if self.threads is None else f" at threads = {self.threads}"
        return f"The profile of {self.task}{where}: {self.detail}"


class NoStablePoint(TaskError):
    """No trial of a task was stable, so the rate that the task sustains is not known."""

    trials: int
    smallest_rate: float
    smallest_slope: float | None
    max_slope: float

    def __str__(self) -> str:
        tried = write_counted(self.trials, "trial")
        if self.smallest_slope is None:
            return (
                f"None of {tried} of {self.task} can be judged: no trial has 3 samples after "
                "the warm-up. Measure for longer, or shorten the warm-up."
            )
        return (
            f"None of {tried} of {self.task} was stable: at the lowest rate of "
            f"{write_rate(self.smallest_rate)} or above, latency still grew by {write_number(self.smallest_slope)} s/s "
            f"(stable: up to {write_number(self.max_slope)}). Try lower rates, or a longer warm-up."
        )


class MissingProfile(TaskError):
    """A task between others has no profile; only sources and sinks need none, since they take no slot."""

    rate: float

    def __str__(self) -> str:
        return (
            f"Task {self.task} receives {write_rate(self.rate)} and has no profile: add one to profiles under that "
            "name. Only sources and sinks need no profile."
        )


class IdleTask(TaskError):
    """A task has a profile, but no tuple reaches it: no number of threads is right for it."""

    rate: float

    def __str__(self) -> str:
        return (
            f"Task {self.task} has a profile but receives {write_rate(self.rate)}: raise the selectivities or shares "
            "on the way to it, or remove it from the topology."
        )


class ThreadTooLarge(TaskError):
    """Threads that must stay together fit on no available VM or slot."""

    threads: int
    resource: str
    needed: float
    capacity: float
    place: str
    remedy: str = "offer a larger VM, or correct the profile"
    pointer: str = ""

    def __str__(self) -> str:
        what = "one thread" if self.threads == 1 else f"a bundle of {self.threads} threads"
        return (
            f"Task {self.task}: {what} takes {write_number(self.needed, digits=6)} slots of {self.resource}, and "
            f"{self.place} has {write_number(self.capacity, digits=6)}: {self.remedy}."
        )


class PlacementTooLarge(TaskError):
    """A placement needs more threads or slots than the limit; `task` needs the most of them."""

    needed: float
    limit: int
    unit: str = "threads"

    def __str__(self) -> str:
        return (
            f"The placement needs {write_number(self.needed, digits=6)} {self.unit} or more, most of them for task "
            f"{self.task}; the limit is {write_count(self.limit)}: lower external_rate, split the topology, or correct "
            "the profile of that task."
        )


class TooManyRetries(PlacementTooLarge):
    """A mapper failed with more and more slots, until the limit of threads tried."""

    def __str__(self) -> str:
        return (
            f"The mapping failed with more and more slots, after {write_number(self.needed)} threads tried (limit: "
            f"{write_count(self.limit)}): choose the mapping sam, which needs no retries, lower external_rate, or give "
            f"task {self.task} a profile whose single thread takes less cpu and memory."
        )


class InvalidCatalogue(PlacementError):
    """The catalogue of VM sizes has no sizes, or sizes that cannot be bought."""

    detail: str
    sizes: tuple[str, ...] = ()
    pointer: str = ""


class NotEnoughSlots(PlacementError):
    """The existing VMs have too few slots, and no sizes can be bought; `left_out` are sizes too small for a thread."""

    needed: int
    available: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = (
            f"offer VM sizes with more slots, since a thread needs more cpu than {join_names(self.left_out)} can give"
            if self.left_out
            else "give vm_sizes to acquire from"
        )
        return (
            f"The placement needs at least {write_counted(self.needed, 'slot')} and the given VMs have "
            f"{self.available}: add VMs, or {what}."
        )


class InvalidMapping(PlacementError):
    """A mapping names a task or slot that does not exist; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""
