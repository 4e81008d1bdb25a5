"""The answer of a simulation, and the log of its visits."""

from dataclasses import dataclass
from typing import NamedTuple

from planner.arrays import Counts, Floats
from planner.values import Diagnostic, QuantileSeconds


@dataclass(frozen=True, slots=True)
class MeasuredTime:
    """A mean with the half width of its 95% interval, None where roots are too few for one, and quantiles."""

    mean_seconds: float
    half_width_seconds: float | None
    quantiles: tuple[QuantileSeconds, ...]


@dataclass(frozen=True, slots=True)
class SimulatedOperator:
    """One operator: means over the visits of roots after the warm-up; rates and shares of time after it.

    `utilisation` is the part of the time in which a processor serves, `blocked_share` that in which it has finished a
    tuple and waits for a place in a full queue. Where `visits` is 0, no tuple came, and the times are 0.
    """

    name: str
    visits: float
    arrival_rate: float
    wait_seconds: float
    half_width_seconds: float | None
    sojourn_seconds: float
    utilisation: float
    processors: int
    blocked_share: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """`total` is the time in operators of all tuples of a root, `completion` from its arrival to their last finish."""

    total: MeasuredTime
    completion: MeasuredTime
    operators: tuple[SimulatedOperator, ...]
    events: int
    roots: int
    warm_up_roots: int
    simulated_seconds: float
    seed: int
    diagnostics: tuple[Diagnostic, ...]


class ServedVisits(NamedTuple):
    """ServedVisits to one station: which instance served the tuple of which root, and when."""

    station: int
    instance: Counts
    root: Counts
    arrived: Floats
    started: Floats
    finished: Floats


class VisitLog(NamedTuple):
    """All visits in order of arrival, as a raw log would tell them, and when each root arrived from outside.

    `operator` is the place in the topology; instances are counted from 0 at each operator.
    """

    operator: Counts
    instance: Counts
    root: Counts
    arrived_seconds: Floats
    started_seconds: Floats
    finished_seconds: Floats
    root_arrived_seconds: Floats
