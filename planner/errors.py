"""What can go wrong in planning, in the planner's own words, with the numbers in fields.

PlannerError
├── InvalidTopology            the graph contradicts itself
├── InvalidLoad                the measurements do not fit the topology
├── NoSteadyState              a cycle multiplies tuples without end
├── InvalidAllocation          processors for an operator that is not there, or none given
├── BoundTooSmall              max_processors of an operator is below what keeps it stable
├── BudgetTooSmall             k_max is below the least stable allocation
└── TargetUnreachable          t_max_seconds is at or below what endless processors give
"""

from collections.abc import Mapping
from dataclasses import dataclass


class PlannerError(Exception):
    """The root of all that the planner raises on purpose; its text is written for the caller."""


@dataclass
class InvalidTopology(PlannerError):
    """The graph contradicts itself; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass
class InvalidLoad(PlannerError):
    """The measurements do not fit the topology."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass
class NoSteadyState(PlannerError):
    """A cycle whose gain is 1 or more: every tuple breeds at least one more, so no rate is stationary."""

    operators: tuple[str, ...]
    gain: float

    def __str__(self) -> str:
        names = ", ".join(self.operators[:20]) + (" …" if len(self.operators) > 20 else "")
        return (
            f"The cycle through {names} multiplies tuples by {self.gain:.6g} per turn, so no steady state exists: "
            "lower the selectivities on it until the gain is below 1."
        )


@dataclass
class InvalidAllocation(PlannerError):
    """The processors asked about do not fit the topology."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass
class BoundTooSmall(PlannerError):
    """An operator's own max_processors lies below the least number that keeps it stable."""

    operator: str
    max_processors: int
    needed: int

    def __str__(self) -> str:
        return (
            f"Operator {self.operator} needs at least {self.needed} processors to keep up with its load, but its "
            f"max_processors is {self.max_processors}: raise the bound or lower the load."
        )


@dataclass
class BudgetTooSmall(PlannerError):
    """k_max is below the sum of the least numbers that keep every operator stable (and within its bounds)."""

    k_max: int
    needed: int
    per_operator: Mapping[str, int]

    def __str__(self) -> str:
        return (
            f"k_max = {self.k_max} is {self.needed - self.k_max} processors short: "
            f"the least allocation that keeps every operator stable takes {self.needed}."
        )


@dataclass
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
