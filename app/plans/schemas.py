"""Estimates and plans as JSON."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from app.http.fields import MOST_BUDGET, Answer, Body, OperatorName, Processors, UtcTime
from app.snapshots.schemas import FPD_LOAD, LoadBody
from app.topologies.schemas import FPD, Graph
from planner.values import DEFAULT_MODEL, Model, Objective

ModelName = Annotated[
    Model,
    Field(
        description="`mmk`: M/M/k. `ggk`: Allen-Cunneen (DRS eq. 5); its wait errs by 15% on average. "
        "`ggk-whitt`: Whitt 1993; 9.5% on average, 2.7% at utilisations from 0.9."
    ),
]
KMax = Annotated[int, Field(ge=1, le=MOST_BUDGET, description="Processors to divide.")]
TMax = Annotated[float, Field(gt=0, le=1e15, description="E[T] to stay at or below.")]
Beta = Annotated[
    float,
    Field(
        gt=0,
        lt=1,
        description="Weight of one processor; 1 - beta is that of one tuple in an operator. Towards 0 nothing waits, "
        "towards 1 every operator barely keeps up.",
    ),
]
Tolerance = Annotated[
    float,
    Field(gt=0, lt=1, description="Stop where one more of the first operator saves no larger part of E[T]."),
]
Capacities = Annotated[
    dict[OperatorName, Annotated[float, Field(ge=1e-6, le=1e6)]] | None,
    Field(
        description="Of each operator's node, relative to the one that service_rate was measured on; left out: 1."
    ),
]
ProcessorCounts = Annotated[
    dict[OperatorName, Processors] | None, Field(description="Left out: what the load says is running.")
]


class WindowSmoothing(Body):
    """The mean of the newest `size` snapshots."""

    kind: Literal["window"]
    size: Annotated[int, Field(ge=1, le=100_000)]


class EwmaSmoothing(Body):
    """D = alpha·D' + (1 - alpha)·d over the newest snapshots: the larger alpha, the longer the memory."""

    kind: Literal["ewma"]
    alpha: Annotated[float, Field(ge=0, lt=1)]


Smoothing = Annotated[WindowSmoothing | EwmaSmoothing, Field(discriminator="kind")]


class Measured(Body):
    """What every stored call takes: which snapshots to stand on. Left out: the newest alone."""

    model: ModelName = DEFAULT_MODEL
    smoothing: Smoothing | None = None


class TradeoffTerms(Body):
    """What a processor weighs against a waiting tuple."""

    beta: Beta


class ProportionalTerms(Body):
    """When to stop growing, and what the nodes can do."""

    tolerance: Tolerance = 0.01
    capacities: Capacities = None


class StoredEstimateRequest(Measured):
    """E[T] of a stored topology under its measured load."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"smoothing": {"kind": "window", "size": 6}}]})

    processors: ProcessorCounts = None


class StoredMinLatencyRequest(Measured):
    """The best split of `k_max` processors for a stored topology."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"k_max": 22, "smoothing": {"kind": "ewma", "alpha": 0.5}}]}
    )

    k_max: KMax


class StoredMinProcessorsRequest(Measured):
    """The fewest processors for a stored topology."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"t_max_seconds": 0.08}]})

    t_max_seconds: TMax


class StoredTradeoffRequest(Measured, TradeoffTerms):
    """Processors of a stored topology, weighed operator by operator."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"beta": 0.5}]})

    model: Annotated[ModelName, Field(description="Es-Stream's own is M/M/k.")] = "mmk"


class StoredProportionalRequest(Measured, ProportionalTerms):
    """Processors of a stored topology in proportion to work."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"tolerance": 0.01}]})


class Described(Body):
    """What every stateless call takes."""

    topology: Graph
    load: LoadBody
    model: ModelName = DEFAULT_MODEL


class EstimateRequest(Described):
    """E[T] of a topology under a load."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "topology": FPD,
                    "load": FPD_LOAD,
                    "processors": {"generator": 6, "detector": 13, "reporter": 3},
                }
            ]
        }
    )

    processors: ProcessorCounts = None


class MinLatencyRequest(Described):
    """The best split of `k_max` processors."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "k_max": 22}]}
    )

    k_max: KMax


class MinProcessorsRequest(Described):
    """The fewest processors that keep E[T] at or below `t_max_seconds`."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "t_max_seconds": 0.08}]}
    )

    t_max_seconds: TMax


class TradeoffRequest(Described, TradeoffTerms):
    """Processors weighed operator by operator."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "beta": 0.5}]}
    )

    model: Annotated[ModelName, Field(description="Es-Stream's own is M/M/k.")] = "mmk"


class ProportionalRequest(Described, ProportionalTerms):
    """Processors in proportion to work."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": FPD, "load": FPD_LOAD, "tolerance": 0.01}]}
    )


class OperatorEstimateAnswer(Answer):
    """One operator under its number of processors; null = infinite."""

    name: str
    arrival_rate: float
    service_rate: float
    processors: int
    utilisation: float
    wait_seconds: float | None
    sojourn_seconds: Annotated[float | None, Field(description="Of one visit: wait + service.")]
    visits: Annotated[float, Field(description="Per external tuple.")]


class DiagnosticAnswer(Answer):
    """What the reader must know about the data behind an answer."""

    code: str
    detail: str
    operators: list[str] = []


class Basis(Answer):
    """The stored data that an answer stands on."""

    topology: str
    revision: int
    snapshots: int
    first_observed_at: UtcTime
    last_observed_at: UtcTime


class EstimateAnswer(Answer):
    """E[T]: total time in operators, summed over every tuple that derives from one external tuple."""

    stable: Annotated[bool, Field(description="Whether every operator keeps up.")]
    expected_sojourn_seconds: Annotated[float | None, Field(description="E[T]; null = infinite.")]
    external_rate: float
    processors_total: int
    operators: list[OperatorEstimateAnswer]
    model: Model
    unstable_operators: list[str] = []
    diagnostics: list[DiagnosticAnswer] = []
    basis: Basis | None = None


class EffectAnswer(Answer):
    """What one processor more and one fewer at an operator would do to E[T]; null = not possible, and why."""

    operator: str
    processors: int
    one_more_seconds: Annotated[float | None, Field(description="Change of E[T]; negative is faster.")]
    one_fewer_seconds: Annotated[float | None, Field(description="Change of E[T].")]
    one_more_limit: Annotated[str | None, Field(description="Why one more is not possible.")]
    one_fewer_limit: Annotated[str | None, Field(description="Why one fewer is not possible.")]
    detail: str


class PlanAnswer(EstimateAnswer):
    """An allocation, what it achieves, and why it is this one."""

    id: UUID | None = None
    created_at: datetime | None = None
    objective: Objective
    processors: dict[str, int]
    optimal: Annotated[
        bool,
        Field(
            description="Whether it is the best for its objective; false where the model's gains were not "
            "monotone around the answer, and for proportional, which is a rule of thumb."
        ),
    ]
    unused_processors: Annotated[int, Field(description="Of the budget; more would not shorten E[T].")]
    lower_bound_seconds: Annotated[
        float, Field(description="E[T] with endless processors: the service times alone.")
    ]
    explanation: list[EffectAnswer]


class PlanSummary(Answer):
    """A line of the history."""

    id: UUID
    created_at: datetime
    objective: str
    revision: int
    model: str
    processors_total: int
    processors: dict[str, int]
    expected_sojourn_seconds: float | None


class PlanPage(Answer):
    """Plans, newest first; `next` is the address of the following page."""

    items: list[PlanSummary]
    next: str | None = None
