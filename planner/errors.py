"""What can go wrong in planning, in the planner's own words, with the numbers in fields.

PlannerError
├── InvalidTopology            the graph contradicts itself
├── InvalidLoad                the measurements do not fit the topology
├── NoSteadyState              a cycle multiplies tuples without end
├── InvalidAllocation          processors for an operator that is not there, or none given
├── InvalidState               key groups or their speeds that do not fit the instances that run
├── BoundTooSmall              max_processors of an operator is below what keeps it stable
├── BudgetTooSmall             k_max is below the least stable allocation
├── TargetUnreachable          t_max_seconds is at or below what endless processors give
├── PlacementError             threads cannot be given to slots
│   ├── InvalidProfile         a task's profile contradicts itself or what a slot is
│   ├── NoStablePoint          no trial of a task was stable
│   ├── MissingProfile         a task between others has no profile
│   ├── IdleTask               a task with a profile that no tuple reaches
│   ├── ThreadTooLarge         a thread, or a bundle of them, that no VM or slot holds
│   ├── PlacementTooLarge      more threads or slots than a placement is worked out for
│   │   └── TooManyRetries     a mapper that does not come to an end in good time
│   ├── InvalidCatalogue       VM sizes without a price, or none at all
│   ├── NotEnoughSlots         the VMs given do not suffice, and there are no sizes to buy
│   └── InvalidMapping         a mapping to predict names what is not there
└── ForecastError              a schedule of VMs cannot be made
    ├── InvalidMstSamples      a throughput or a number of VMs that cannot be
    ├── TooFewMstSamples       fewer samples, or fewer different numbers of VMs, than the models need
    ├── InvalidWorkload        times or rates that are no time series
    ├── WorkloadTooShort       fewer steps than the forecast's window
    ├── WorkloadTooSparse      too many of the steps are missing
    ├── ConstantWorkload       a series without variation: a stuck sensor forecasts nothing
    ├── InvalidQosTarget       a QoS target outside [0.5, 1)
    ├── InvalidSchedule        interval, start-up, horizon or VM bounds that contradict each other
    └── UnknownPolicy          a scheduling policy of no known name

They are dataclasses without generated equality: an exception is one event, hashable by identity, and it
pickles whether it was raised with positional or with keyword arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

NAMES_SHOWN = 20


def join_names(names: Sequence[str]) -> str:
    """The names for a sentence, cut at 20: a message is read by a person, the fields hold them all."""
    shown = ", ".join(names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def escape_pointer(name: str) -> str:
    """One reference token of a JSON pointer (RFC 6901, section 3): `~` becomes `~0` and `/` becomes `~1`."""
    return name.replace("~", "~0").replace("/", "~1")


class PlannerError(Exception):
    """The root of all that the planner raises on purpose; its text is written for the caller."""

    def __post_init__(self) -> None:
        # BaseException keeps positional arguments only, and unpickling calls cls(*args): without this an
        # error raised with keywords could not cross a process boundary.
        self.args = tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]  # subclasses are dataclasses


@dataclass(eq=False)
class InvalidTopology(PlannerError):
    """The graph contradicts itself; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class InvalidLoad(PlannerError):
    """The measurements do not fit the topology; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class NoSteadyState(PlannerError):
    """A cycle that breeds at least one tuple per tuple, so no rate is stationary.

    `gain` is the spectral radius of the selectivities among `operators`, the factor per edge travelled.
    """

    operators: tuple[str, ...]
    gain: float

    def __str__(self) -> str:
        return (
            f"The cycle through {join_names(self.operators)} multiplies tuples by {self.gain:.6g} per step, "
            "so no steady state exists: lower the selectivities on it until the gain is below 1."
        )


@dataclass(eq=False)
class InvalidAllocation(PlannerError):
    """The processors given do not fit the topology; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class InvalidState(PlannerError):
    """What is said of an operator's state does not fit its instances; `pointer` begins at the states by operator."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class BoundTooSmall(PlannerError):
    """An operator's own max_processors lies below the least number that keeps it stable."""

    operator: str
    max_processors: int
    needed: int

    def __str__(self) -> str:
        return (
            f"Operator {self.operator} needs at least {self.needed} processors to keep up with its load, but "
            f"its max_processors is {self.max_processors}: raise the bound or lower the load."
        )


@dataclass(eq=False)
class BudgetTooSmall(PlannerError):
    """k_max is below the sum of the least numbers that keep every operator stable (and within its bounds)."""

    k_max: int
    needed: int
    per_operator: Mapping[str, int]

    def __str__(self) -> str:
        return (
            f"k_max = {self.k_max} is {self.needed - self.k_max} short: the least allocation that keeps "
            f"every operator stable and within its bounds takes {self.needed} processors."
        )


@dataclass(eq=False)
class TargetUnreachable(PlannerError):
    """No finite number of processors, or none within the bounds, brings E[T] to the target."""

    t_max_seconds: float
    lower_bound_seconds: float
    bounded: bool = False

    def __str__(self) -> str:
        why = (
            "with every operator at its max_processors"
            if self.bounded
            else "however many processors there are, the service times alone take that long"
        )
        return (
            f"E[T] cannot go to t_max_seconds = {self.t_max_seconds:.6g}: its lower bound is "
            f"{self.lower_bound_seconds:.6g} s ({why}). Ask for more than that, or make operators faster."
        )


class PlacementError(PlannerError):
    """Threads cannot be given to slots."""


@dataclass(eq=False)
class InvalidProfile(PlacementError):
    """A task's profile contradicts itself or what a slot is; `threads` names the row of the table."""

    task: str
    detail: str
    threads: int | None = None
    value: float | None = None
    pointer: str = ""

    def __str__(self) -> str:
        where = "" if self.threads is None else f" at threads = {self.threads}"
        return f"The profile of {self.task}{where}: {self.detail}"


@dataclass(eq=False)
class NoStablePoint(PlacementError):
    """Every trial of a task was unstable, so nothing is known that it sustains."""

    task: str
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
            f"{self.smallest_rate:.6g}/s or above, latency still grew by {self.smallest_slope:.6g} s/s "
            f"(stable is up to {self.max_slope:.6g}). Try lower rates, or a longer warm-up."
        )


@dataclass(eq=False)
class MissingProfile(PlacementError):
    """Only a source or a sink may go without a profile (it takes no slot)."""

    task: str
    rate: float

    def __str__(self) -> str:
        return (
            f"Task {self.task} receives {self.rate:.6g} tuples/s and has no profile: add one to profiles "
            "under that name. Only sources and sinks may go without."
        )


@dataclass(eq=False)
class IdleTask(PlacementError):
    """A task with a profile that no tuple reaches: no number of threads is right for it."""

    task: str
    rate: float

    def __str__(self) -> str:
        return (
            f"Task {self.task} has a profile but receives {self.rate:.6g} tuples/s: raise the selectivities "
            "or shares on the way to it, or take it out of the topology."
        )


@dataclass(eq=False)
class ThreadTooLarge(PlacementError):
    """Threads that must stay together and that nothing on offer holds."""

    task: str
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


@dataclass(eq=False)
class PlacementTooLarge(PlacementError):
    """More threads, or more slots, than a placement is worked out for; `task` takes the most of them."""

    task: str
    needed: float
    limit: int
    unit: str = "threads"

    def __str__(self) -> str:
        return (
            f"The placement comes to {self.needed:.6g} {self.unit} or more, most of them for task {self.task}, "
            f"and {self.limit} are the most it is worked out for: lower external_rate, split the topology, or "
            "look at the profile of that task."
        )


@dataclass(eq=False)
class TooManyRetries(PlacementTooLarge):
    """A mapper that started again and again with more slots, without coming to an end in good time."""

    def __str__(self) -> str:
        return (
            f"Mapping started again with more slots until {self.needed:.6g} threads had been tried in vain, and "
            f"{self.limit} are the most: choose the mapping sam, which counts out at once what it needs, lower "
            f"external_rate, or give task {self.task} a profile whose single thread takes less cpu and memory."
        )


@dataclass(eq=False)
class InvalidCatalogue(PlacementError):
    """VM sizes that cannot be bought from."""

    detail: str
    sizes: tuple[str, ...] = ()
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class NotEnoughSlots(PlacementError):
    """The VMs given are too few, and there are no sizes to buy more of, or only such as `left_out` names."""

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


@dataclass(eq=False)
class InvalidMapping(PlacementError):
    """A mapping to predict names what is not there; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


class ForecastError(PlannerError):
    """A schedule of VMs cannot be made."""


@dataclass(eq=False)
class InvalidMstSamples(ForecastError):
    """A sample of the maximum sustainable throughput that no measurement can have given."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class TooFewMstSamples(ForecastError):
    """Too few samples, or too few different numbers of VMs among them, to fit either model with its spread."""

    samples: int
    samples_needed: int
    vm_counts: int
    vm_counts_needed: int

    def __str__(self) -> str:
        return (
            f"{self.samples} samples at {self.vm_counts} different numbers of VMs were given; the models of the "
            f"maximum sustainable throughput need at least {self.samples_needed} samples at "
            f"{self.vm_counts_needed} or more different numbers of VMs: measure more."
        )


@dataclass(eq=False)
class InvalidWorkload(ForecastError):
    """Times or rates that do not make a time series."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class WorkloadTooShort(ForecastError):
    """The series is shorter than the window that the forecast is fitted on."""

    steps: int
    needed: int

    def __str__(self) -> str:
        return f"The workload has {self.steps} steps; this policy's forecast needs at least {self.needed}: send more."


@dataclass(eq=False)
class WorkloadTooSparse(ForecastError):
    """So many steps are missing that filling them in would invent the series."""

    missing_steps: int
    steps: int
    allowed_share: float

    def __str__(self) -> str:
        return (
            f"{self.missing_steps} of the workload's {self.steps} steps are missing; at most "
            f"{self.allowed_share:.0%} may be: send a fuller series, or a longer step."
        )


@dataclass(eq=False)
class ConstantWorkload(ForecastError):
    """Every measured rate is the same to the last digit."""

    rate: float
    steps: int

    def __str__(self) -> str:
        return (
            f"All {self.steps} rates are exactly {self.rate:.6g}, so there is no variation to forecast from (a stuck "
            "sensor?): send a measured series, or choose a policy without a forecast, such as mst+ua."
        )


@dataclass(eq=False)
class InvalidQosTarget(ForecastError):
    """The QoS target is a probability of at least one half and below 1."""

    qos_target: float
    pointer: str = ""

    def __str__(self) -> str:
        return f"qos_target = {self.qos_target:.6g} must lie in [0.5, 1): 0.95 is usual."


@dataclass(eq=False)
class InvalidSchedule(ForecastError):
    """Parameters of a schedule that contradict each other."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class UnknownPolicy(ForecastError):
    """A scheduling policy of no known name."""

    policy: str
    known: tuple[str, ...]
    pointer: str = ""

    def __str__(self) -> str:
        return f"There is no policy {self.policy!r}; the known ones are {', '.join(self.known)}."
