"""The results of a simulation, and the log of its visits."""

from dataclasses import dataclass
from typing import NamedTuple

from planner.arrays import Counts, Floats
from planner.values import Diagnostic, QuantileSeconds


@dataclass(frozen=True, slots=True)
class MeasuredTime:
    """A time in a simulation: mean, quantiles, and the half width of the 95% interval, None with too few roots."""

    mean_seconds: float
    half_width_seconds: float | None
    quantiles: tuple[QuantileSeconds, ...]


@dataclass(frozen=True, slots=True)
class SimulatedOperator:
    """The measures of one operator; the warm-up is left out.

    `utilisation` is the share of time in which a processor serves, `blocked_share` the share in which it has finished a
    tuple and waits for a place in a full queue. If no tuple arrived, `visits` and the times are 0.
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
    """The measures of a simulation: for each root the `total` time of its tuples in operators, and its `completion`
    time.
    """

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
    """Visits to one simulated station: the serving instance, the root of each tuple, and the times of each visit."""

    station: int
    instance: Counts
    root: Counts
    arrived: Floats
    started: Floats
    finished: Floats


class VisitLog(NamedTuple):
    """All visits of a simulation in order of arrival, with the fields of a raw log, and the arrival time of each root.

    `operator` is the operator's place in the topology; instances of each operator are numbered from 0.
    """

    operator: Counts
    instance: Counts
    root: Counts
    arrived_seconds: Floats
    started_seconds: Floats
    finished_seconds: Floats
    root_arrived_seconds: Floats
