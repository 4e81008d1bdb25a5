"""The errors that the planner raises, with their numbers in fields.

PlannerError (a FieldsError)
├── InvalidArgument
│   ├── InvalidTopology        the graph contradicts itself
│   ├── InvalidLoad            the measurements, or another argument, do not fit the topology
│   ├── InvalidAllocation      processors for an operator that is not there, or none given
│   └── InvalidState           key groups or their speeds that do not fit the instances that run
├── NoSteadyState              a cycle multiplies tuples without end
├── BoundTooSmall              max_processors of an operator is below what keeps it stable
├── BudgetTooSmall             k_max is below the least stable allocation
├── TargetUnreachable          t_max_seconds is not above the lower bound of E[T]
│   └── QuantileUnreachable    likewise, of a quantile or of the mean of completion
├── SimulationTooLarge         more events, roots or processors than a simulation takes
├── SimulationStuck            full queues wait for each other in a circle
├── PlacementError             threads cannot be given to slots: planner.placements.errors
└── ForecastError              a schedule of VMs cannot be made: planner.workloads.series

Every subclass of FieldsError is a dataclass without generated equality: an exception is one event, hashable by
identity, and it pickles whether it was raised with positional or with keyword arguments.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from itertools import islice
from typing import ClassVar, dataclass_transform

from planner.wording import (
    join_names,
    write_counted,
    write_number,
    write_percent,
    write_rate,
    write_seconds,
    write_seconds_apart,
)

NAMES_COMPARED = 300
LENGTHS_COMPARED = 3
MOST_SUGGESTED = 10  # names of one request: comparing takes some milliseconds each


def suggest_name(wrong: str, known: Iterable[str], least_ratio: float = 0.6) -> str:
    """The text ` Did you mean 'score'?` where a known name is similar to the wrong name, else an empty text."""
    alike = (name for name in known if abs(len(name) - len(wrong)) <= LENGTHS_COMPARED)
    close = get_close_matches(wrong, list(islice(alike, NAMES_COMPARED)), 1, least_ratio)
    return f" Did you mean {close[0]!r}?" if close else ""


def escape_pointer(name: str) -> str:
    """A name as a part of a JSON pointer (RFC 6901, section 3): `~` becomes `~0` and `/` becomes `~1`."""
    return name.replace("~", "~0").replace("/", "~1")


@dataclass_transform(eq_default=False)
class FieldsError(Exception):
    """An exception with its numbers in fields; its message is `text` with the fields filled in.

    A subclass declares its fields as a dataclass does, and `text`; a subclass that must choose parts of its message
    writes `__str__`.
    """

    text: ClassVar[str] = "{self.detail}"

    def __init_subclass__(cls) -> None:
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(self=self)

    def __post_init__(self) -> None:
        # BaseException keeps positional arguments only, and unpickling calls cls(*args): without this an
        # error raised with keywords could not cross a process boundary.
        self.args = tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]  # subclasses are dataclasses


class PlannerError(FieldsError):
    """The base of every error that the planner raises on purpose; its text is written for the caller."""


class InvalidArgument(PlannerError):
    """An argument of the planner is wrong:

    `argument` names it, and `pointer` is the path within it to the part to change.
    """

    detail: str
    pointer: str = ""
    argument: str = ""

    @property
    def place(self) -> str:
        """The JSON pointer of the part to change, which begins with the argument's name."""
        return f"/{self.argument}{self.pointer}"


class InvalidTopology(InvalidArgument):
    """The operators, edges or entries of a topology contradict each other."""

    argument: str = "topology"


class InvalidLoad(InvalidArgument):
    """The measurements, or another argument such as `capacities`, do not fit the topology."""

    argument: str = "load"


class InvalidAllocation(InvalidArgument):
    """The given numbers of processors do not fit the topology."""

    argument: str = "processors"


class InvalidState(InvalidArgument):
    """The state of an operator does not fit its instances; `pointer` begins with the operator's name."""

    argument: str = "states"


class NoSteadyState(PlannerError):
    """A cycle returns at least one tuple for each tuple that enters it, so that its number of tuples grows without end.

    `gain` is the factor by which tuples multiply per edge of the cycle: the spectral radius of the selectivities among
    `operators`.
    """

    operators: tuple[str, ...]
    gain: float

    def __str__(self) -> str:
        return (
            f"The cycle through {join_names(self.operators)} multiplies tuples by {write_number(self.gain)} per step, "
            "so that their number grows without end: lower the selectivities in the cycle until the factor is below 1."
        )


class BoundTooSmall(PlannerError):
    """An operator cannot have as many processors as keep it stable: its own bound, or a hot key, forbids it.

    `needed` is None where no number of processors is enough, because `hottest_share` of the arrivals go to one
    instance, which keeps up with `breaking_share` at most; or because processors slow each other down, so that no more
    than `most_served` tuples per second are served, with any number.
    """

    operator: str
    max_processors: int | None
    needed: int | None
    hottest_share: float | None = None
    breaking_share: float | None = None
    most_served: float | None = None

    def __str__(self) -> str:
        if self.most_served is not None:
            return (
                f"Operator {self.operator} cannot keep up with any number of processors: they slow each other down, "
                f"and serve {write_rate(self.most_served)} at most. Make it faster, or lower the load."
            )
        if self.needed is None:
            return (
                f"Keys send {write_percent(self.hottest_share)} of the tuples of operator {self.operator} to one "
                f"instance, which keeps up with less than {write_percent(self.breaking_share)} of them, however many "
                "processors there are: split the hottest key, make the service faster, or lower the load."
            )
        return (
            f"Operator {self.operator} needs at least {self.needed} processors to keep up with its load, and may have "
            f"{self.max_processors}: raise its bound, or lower the load."
        )


class BudgetTooSmall(PlannerError):
    """k_max is below the least allocation that keeps every operator stable and within its bounds."""

    k_max: int
    needed: int
    per_operator: Mapping[str, int]
    unit: str = "processor"

    def __str__(self) -> str:
        return (
            f"{write_counted(self.k_max, self.unit)} in all are {self.needed - self.k_max} too few: at least "
            f"{self.needed} are needed so that every operator keeps up within its bounds. Allow {self.needed}, or "
            "lower the load."
        )


class TargetUnreachable(PlannerError):
    """No finite number of processors, or none within the bounds, brings E[T] to the target."""

    t_max_seconds: float
    lower_bound_seconds: float
    bounded: bool = False
    waits: bool = False

    def __str__(self) -> str:
        return f"E[T] cannot be {self.describe_bound()}"

    def describe_bound(self) -> str:
        """The end of a sentence: the target, the shortest possible time, the cause of that time, and what to change."""
        why = (
            "with every operator at the most processors that its bound allows"
            if self.bounded
            else "for services and for waits of hot keys or batches, with any number of processors"
            if self.waits
            else "for services alone, with any number of processors"
        )
        asked, least = write_seconds_apart(self.t_max_seconds, self.lower_bound_seconds)
        return f"{asked}: it takes at least {least} {why}. Ask for a longer time, or make operators faster."


class SimulationTooLarge(PlannerError):
    """A simulation would have more events, roots or processors (`unit`) than allowed; `argument` is the one
    to lower.
    """

    unit: str
    number: float
    limit: int
    argument: str = "roots"

    text = (
        "The simulation would have {self.number:,.0f} {self.unit}, and may have {self.limit:,}: lower "
        "{self.argument}."
    )

    @property
    def pointer(self) -> str:
        """The JSON pointer of the argument to change."""
        return f"/{self.argument}"


class SimulationStuck(PlannerError):
    """Instances wait for places in each other's queues in a circle, as they would on the engine: nothing moves."""

    operators: tuple[str, ...]
    seconds: float

    def __str__(self) -> str:
        return (
            f"After {write_seconds(self.seconds)} of simulated time the queues of {join_names(self.operators)} are "
            "full, and their senders wait for each other in a circle: nothing moves any more, as on the engine. "
            "Raise the capacities of the operators in this cycle, or leave the capacities out."
        )


class QuantileUnreachable(TargetUnreachable):
    """No number of processors brings the time that `measured` names to the target; the lower bound is of
    drawn tuples.
    """

    measured: str = ""

    def __str__(self) -> str:
        return f"{self.measured[:1].upper()}{self.measured[1:]} cannot be {self.describe_bound()}"
