"""The frozen values of stream planning: the inputs and the answers of the planner.

Types that occur dozens of times are NamedTuples, which are made in a quarter of the time of a frozen dataclass.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from planner.wording import write_level

Model = str  # a key of planner.queueing.waiting_models.WAITING_MODELS
DEFAULT_MODEL: Model = "ggk-whitt"

Queueing = str
"""Which queue a tuple joins: a key of planner.queueing.queueings.QUEUEINGS."""
SHARED: Queueing = "shared"
ROOT, TUPLE = "root", "tuple"
"""By what an operator is keyed."""


class Scaling(NamedTuple):
    """How much slower each is as more run; `futile` is a FutileChange of planner.queueing.instances.scaling."""

    gamma: float = 0.0
    sigma: float = 0.0
    kappa: float = 0.0
    is_learned: bool = False
    futile: tuple[int, int, float] | None = None


class Operator(NamedTuple):
    """One operator of a topology; its bounds limit how many processors a plan may give it.

    A `queueing` of None is not stated, and taken as shared. `max_parallelism` is the number of key groups or
    partitions: more instances than that would be idle. `group_assignment` is how groups are dealt to instances, a key
    of key_shares.ASSIGNMENTS; None: not stated. `service_scv` is what the owner states for loads without it.

    The owner's words on operators that are not queues of busy threads: `delay_seconds` is added to every visit, and
    takes no capacity; `concurrency` is how many tuples one instance serves at a time; `capacity_rate` is what one
    instance serves per second, whatever was measured. `keyed_by` is ROOT (or None) where all tuples of one external
    tuple have the same key, and TUPLE where each has its own.
    """

    name: str
    stateful: bool = False
    min_processors: int = 1
    max_processors: int | None = None
    queueing: Queueing | None = None
    max_parallelism: int | None = None
    service_scv: float | None = None
    group_assignment: str | None = None
    delay_seconds: float = 0.0
    capacity_rate: float | None = None
    concurrency: int = 1
    scaling: Scaling | None = None
    keyed_by: str | None = None

    @property
    def ceiling(self) -> int | None:
        """The most processors that a plan may give the operator; None means without limit."""
        most, parallelism = self.max_processors, self.max_parallelism
        if parallelism is None or most is None:
            return most if parallelism is None else parallelism
        return min(most, parallelism)

    @property
    def ceiling_name(self) -> str:
        """The name of the lower of the operator's two upper bounds, max_processors or max_parallelism."""
        return "max_processors" if self.ceiling == self.max_processors else "max_parallelism"


class Edge(NamedTuple):
    """A stream from one operator to another; `selectivity` is the mean number of tuples on it per input tuple."""

    source: str
    target: str
    selectivity: float = 1.0


class Entry(NamedTuple):
    """An operator where the external stream enters; a stream may be duplicated, so shares need not sum to 1."""

    operator: str
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Topology:
    """A directed graph of operators; loops, splits, joins and self-loops included."""

    operators: tuple[Operator, ...]
    edges: tuple[Edge, ...] = ()
    entries: tuple[Entry, ...] = ()


class IdcPoint(NamedTuple):
    """The index of dispersion of arrivals, Var N(t)/E N(t), for the number N(t) of arrivals in windows of length t."""

    window_seconds: float
    idc: float


class InstanceLoad(NamedTuple):
    """Measurements of one instance; `share` is its part of the operator's arrivals."""

    instance: str
    share: float
    arrival_scv: float | None = None
    arrival_idc: tuple[IdcPoint, ...] = ()


class ServiceBucket(NamedTuple):
    """The count of services that took at most `upper_seconds`, and longer than the bound of the bucket before."""

    upper_seconds: float
    services: int


class ScvEstimate(NamedTuple):
    """A service_scv that follows from other measurements (`source`), with the interval that holds it with 95%."""

    scv: float
    low: float
    high: float
    source: str


class OperatorLoad(NamedTuple):
    """Measurements of one operator; None or empty = not measured. `service_rate` is per processor.

    `arrival_idc` is in order of its windows, `instances` in order of their shares, the largest first. The
    modelled wait is multiplied by `wait_factor`, which planner.calibration finds from measured waits.
    `backlog_tuples` waited at the end of the interval. `is_scv_configured`: service_scv is configured, not measured.
    `group_shares` are of groups in order. `is_unjudged`: busy time shows no capacity. `exchange_seconds`: in buffers.
    """

    service_rate: float | None = None
    arrival_rate: float | None = None
    arrival_scv: float | None = None
    service_scv: float | None = None
    processors: int | None = None
    arrival_idc: tuple[IdcPoint, ...] = ()
    instances: tuple[InstanceLoad, ...] = ()
    service_histogram: tuple[ServiceBucket, ...] = ()
    measured_wait_seconds: float | None = None
    wait_factor: float | None = None
    backlog_tuples: float | None = None
    is_scv_configured: bool = False
    group_shares: tuple[float, ...] = ()
    is_unjudged: bool = False
    exchange_seconds: float = 0.0
    scv_estimate: ScvEstimate | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """What an engine ("": none) measured in an interval, or smoothed; `external_idc` is of the stream from outside."""

    external_rate: float
    operators: Mapping[str, OperatorLoad]
    measured_sojourn_seconds: float | None = None
    measured_completion_seconds: float | None = None
    external_idc: tuple[IdcPoint, ...] = ()
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A note beside an answer about its data, which a reader of the answer must know."""

    code: str
    detail: str
    operators: tuple[str, ...] = ()


class OperatorEstimate(NamedTuple):
    """The estimate of one operator with a given number of processors; a wait of None is infinite.

    Of key groups dealt out whole, `groups` is their number; at `next_useful_processors` the busiest instance gets
    less. The sojourn is the wait, the service of concurrency/service_rate, and delays.
    """

    name: str
    arrival_rate: float
    service_rate: float
    processors: int
    utilisation: float
    wait_seconds: float | None
    sojourn_seconds: float | None
    visits: float
    queueing: Queueing = SHARED
    hottest_share: float | None = None
    hottest_utilisation: float | None = None
    groups: int | None = None
    next_useful_processors: int | None = None
    concurrency: int | None = None
    delay_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class TimeTarget:
    """A limit of `seconds` on the time of external tuples: on a quantile of it, or on its mean (`quantile` is None).

    `of` names the time: the total time in all operators, or the time until the last derived tuple is finished.
    """

    of: Literal["total", "completion"]
    seconds: float
    quantile: float | None = None

    @property
    def is_expected_sojourn(self) -> bool:
        """Whether the target limits E[T], the mean total time, for which no tuples must be drawn."""
        return self.of == "total" and self.quantile is None

    @property
    def measured(self) -> str:
        """The name of the limited time within a sentence, such as: the p99 of the time to completion."""
        level = "mean" if self.quantile is None else write_level(self.quantile)
        return f"the {level} of the {'total time' if self.of == 'total' else 'time to completion'}"

    @property
    def title(self) -> str:
        """The name of the limited time at the start of a sentence, such as: The p99 of the total time."""
        return f"{self.measured[:1].upper()}{self.measured[1:]}"


@dataclass(frozen=True, slots=True)
class QuantileSeconds:
    """The time within which the part `quantile` of all external tuples are done."""

    quantile: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Spread:
    """How a time spreads over drawn external tuples; `known_error` is the relative error of the quantiles."""

    mean_seconds: float
    quantiles: tuple[QuantileSeconds, ...]
    roots: int
    seed: int
    known_error: float | None
    method: str = "monte-carlo"


@dataclass(frozen=True, slots=True)
class Evidence:
    """How true E[T] is for this kind of input: its mean |error|, and the inputs measured or assumed."""

    kind: str
    known_error: float | None
    measured: tuple[str, ...]
    assumed: tuple[str, ...]


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
    total: Spread | None = None
    completion: Spread | None = None
    evidence: Evidence | None = None


class Effect(NamedTuple):
    """The change of E[T] by one processor more and by one fewer at an operator, all others unchanged.

    None: the change is not possible; `*_limit` names the bound that forbids it, and where `*_limit` is None the
    operator could not keep up with its load. More is at most 0, unless key groups are dealt out whole.
    """

    operator: str
    processors: int
    one_more_seconds: float | None
    one_fewer_seconds: float | None
    one_more_limit: str | None
    one_fewer_limit: str | None
    detail: str


class Plan(NamedTuple):
    """A plan: the processors of each operator, the estimate with diagnostics, and the explanation."""

    objective: str
    processors: Mapping[str, int]
    optimal: bool
    unused_processors: int
    lower_bound_seconds: float
    estimate: Estimate
    explanation: tuple[Effect, ...]
