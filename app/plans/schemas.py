"""Estimates and plans as JSON."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import ConfigDict, Field

from app.described.answers import EstimateAnswer
from app.described.load import FPD_LOAD
from app.described.request import Beta, Described, KMax, ProcessorCounts, TMax
from app.described.topology import FPD
from app.described.waiting_model import ModelName
from app.http.fields import Answer, Body, OperatorName
from app.measured.request import Measured
from planner.values import Objective

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
