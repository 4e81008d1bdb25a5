"""The frozen values of stream planning: the inputs and the answers of the planner.

Types with dozens of values in a plan are NamedTuples, which take a quarter of the time of frozen dataclasses to make.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

Model = str
"""The name of a waiting model: a key of planner.queueing.waiting_models.WAITING_MODELS."""
DEFAULT_MODEL: Model = "ggk-whitt"


class Operator(NamedTuple):
    """One vertex: its processors share one queue; the bounds limit what a plan may give it."""

    name: str
    stateful: bool = False
    min_processors: int = 1
    max_processors: int | None = None


class Edge(NamedTuple):
    """A stream from one operator to another; `selectivity` = mean tuples emitted on it per input tuple."""

    source: str
    target: str
    selectivity: float = 1.0


class Entry(NamedTuple):
    """Where the external stream enters; shares need not sum to 1 (a stream may be duplicated)."""

    operator: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Topology:
    """A directed graph of operators; loops, splits, joins and self-loops included."""

    operators: tuple[Operator, ...]
    edges: tuple[Edge, ...] = ()
    entries: tuple[Entry, ...] = ()


class OperatorLoad(NamedTuple):
    """What was measured at one operator; None = not measured. `service_rate` is that of one processor."""

    service_rate: float | None = None
    arrival_rate: float | None = None
    arrival_scv: float | None = None
    service_scv: float | None = None
    processors: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured of a topology in one interval, or smoothed over several."""

    external_rate: float
    operators: Mapping[str, OperatorLoad]
    measured_sojourn_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A fact about the data behind an answer that its reader must know."""

    code: str
    detail: str
    operators: tuple[str, ...] = ()


class OperatorEstimate(NamedTuple):
    """One operator under a given number of processors; a wait of None is infinite."""

    name: str
    arrival_rate: float
    service_rate: float
    processors: int
    utilisation: float
    wait_seconds: float | None
    sojourn_seconds: float | None
    visits: float


class Estimate(NamedTuple):
    """E[T], the total work-in-system time per external tuple (DRS eq. 4); None = infinite."""

    stable: bool
    expected_sojourn_seconds: float | None
    external_rate: float
    processors_total: int
    operators: tuple[OperatorEstimate, ...]
    model: Model
    unstable_operators: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class Effect(NamedTuple):
    """The change of E[T] by one processor more and by one fewer at an operator, others unchanged.

    One more changes E[T] by at most 0. None: the change is not possible; `*_limit` names the bound that forbids it,
    and where it is None the operator could not keep up with its load.
    """

    operator: str
    processors: int
    one_more_seconds: float | None
    one_fewer_seconds: float | None
    one_more_limit: str | None
    one_fewer_limit: str | None
    detail: str


class Plan(NamedTuple):
    """An allocation, its estimate with diagnostics, and its explanation."""

    objective: str
    processors: Mapping[str, int]
    optimal: bool
    unused_processors: int
    lower_bound_seconds: float
    estimate: Estimate
    explanation: tuple[Effect, ...]
