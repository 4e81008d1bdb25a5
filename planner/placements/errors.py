"""What can go wrong in placing threads, as in planner.errors.

PlacementError             threads cannot be given to slots
├── TaskError
│   ├── InvalidProfile         a task's profile contradicts itself or what a slot is
│   ├── NoStablePoint          no trial of a task was stable
│   ├── MissingProfile         a task between others has no profile
│   ├── IdleTask               a task with a profile that no tuple reaches
│   ├── ThreadTooLarge         a thread, or a bundle of them, that no VM or slot holds
│   └── PlacementTooLarge      more threads or slots than the limit
│       └── TooManyRetries     a mapper that is called again too often
├── InvalidCatalogue       VM sizes without a price, or none at all
├── NotEnoughSlots         the VMs given do not suffice, and there are no sizes to buy
└── InvalidMapping         a mapping names a task or slot that does not exist
"""

from planner.errors import PlannerError
from planner.wording import join_names, write_rate


class PlacementError(PlannerError):
    """Threads cannot be given to slots."""


class TaskError(PlacementError):
    """An error about one task."""

    task: str


class InvalidProfile(TaskError):
    """A task's profile contradicts itself or what a slot is; `threads` names the row of the table."""

    detail: str
    threads: int | None = None
    value: float | None = None
    pointer: str = ""

    def __str__(self) -> str:
        where = "" if self.threads is None else f" at threads = {self.threads}"
        return f"The profile of {self.task}{where}: {self.detail}"


class NoStablePoint(TaskError):
    """Every trial of a task was unstable, so that no rate is known to be sustained."""

    trials: int
    smallest_rate: float
    smallest_slope: float | None
    max_slope: float

    def __str__(self) -> str:
        if self.smallest_slope is None:
            return (
                f"None of the {self.trials} trials of {self.task} can be judged: no trial has 3 samples after the "
                "warm-up. Measure for longer, or shorten the warm-up."
            )
        return (
            f"None of the {self.trials} trials of {self.task} was stable: at the lowest rate of "
            f"{write_rate(self.smallest_rate)} or above, latency still grew by {self.smallest_slope:.6g} s/s "
            f"(stable is up to {self.max_slope:.6g}). Try lower rates, or a longer warm-up."
        )


class MissingProfile(TaskError):
    """Only a source or a sink may go without a profile (it takes no slot)."""

    rate: float

    text = (
        "Task {self.task} receives {self.rate:.6g} tuples/s and has no profile: add one to profiles "
        "under that name. Only sources and sinks may go without."
    )


class IdleTask(TaskError):
    """A task with a profile that no tuple reaches: no number of threads is right for it."""

    rate: float

    text = (
        "Task {self.task} has a profile but receives {self.rate:.6g} tuples/s: raise the selectivities "
        "or shares on the way to it, or take it out of the topology."
    )


class ThreadTooLarge(TaskError):
    """Threads that must stay together fit on no VM or slot on offer."""

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
            f"Task {self.task}: {what} takes {self.needed:.6g} slots of {self.resource}, and {self.place} "
            f"has {self.capacity:.6g}: {self.remedy}."
        )


class PlacementTooLarge(TaskError):
    """A placement needs more threads or slots than the limit; `task` takes the most of them."""

    needed: float
    limit: int
    unit: str = "threads"

    text = (
        "The placement comes to {self.needed:.6g} {self.unit} or more, most of them for task {self.task}, "
        "and {self.limit} are the most it is worked out for: lower external_rate, split the topology, or "
        "look at the profile of that task."
    )


class TooManyRetries(PlacementTooLarge):
    """A mapper was called again with more slots until its limit of tries."""

    text = (
        "Mapping started again with more slots until {self.needed:.6g} threads had been tried in vain, and "
        "{self.limit} are the most: choose the mapping sam, which counts out at once what it needs, lower "
        "external_rate, or give task {self.task} a profile whose single thread takes less cpu and memory."
    )


class InvalidCatalogue(PlacementError):
    """The VM sizes cannot be bought from."""

    detail: str
    sizes: tuple[str, ...] = ()
    pointer: str = ""


class NotEnoughSlots(PlacementError):
    """The existing VMs are too few, and no sizes can be bought; sizes `left_out` have too few slots for a thread."""

    needed: int
    available: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = (
            f"offer VM sizes with more slots, since none of {join_names(self.left_out)} has cpu for one thread of "
            "every task"
            if self.left_out
            else "give vm_sizes to acquire from"
        )
        return (
            f"The placement needs at least {self.needed} slots and the VMs given have {self.available}: add "
            f"VMs, or {what}."
        )


class InvalidMapping(PlacementError):
    """A mapping names something that does not exist; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""
