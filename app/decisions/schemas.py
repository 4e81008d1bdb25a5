"""Decisions as JSON."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from app.described.answers import Basis, DiagnosticAnswer, EstimateAnswer
from app.http.fields import Answer, Body, UtcTime
from app.node_advice.schemas import NodeAdviceAnswer, Streams
from app.placements.schemas import PlacementAnswer
from app.policies.schemas import EXAMPLE, PolicyBody

Action = Literal["hold", "scale_up", "scale_down", "rebalance"]


class DecisionRequest(Body):
    """Nothing is needed: the stored policy decides on the newest snapshots."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"at": "2026-11-18T00:01:00Z", "policy": EXAMPLE}]}
    )

    at: Annotated[
        UtcTime | None,
        Field(
            description="Decide as of then: later snapshots do not exist, and age counts to it. Left out: now."
        ),
    ] = None
    policy: Annotated[PolicyBody | None, Field(description="Instead of the stored one, for this time.")] = (
        None
    )


class Counts(Answer):
    """Processors before and after; the same where the decision is to hold."""

    current: dict[str, int]
    recommended: dict[str, int]
    current_total: int
    recommended_total: int


class ReasonAnswer(Answer):
    """One step of the argument, or one bound."""

    code: str
    detail: str


class Optimum(Answer):
    """What the goal asks for, whether or not it is done now."""

    processors: dict[str, int]
    processors_total: int
    expected_sojourn_seconds: float | None


class CounterfactualsAnswer(Answer):
    """Why not one fewer, and what load would change the answer; null rates: none, or any."""

    one_fewer_processors: dict[str, int] | None
    one_fewer_sojourn_seconds: float | None
    one_fewer_detail: str
    holds_up_to_rate: Annotated[
        float | None, Field(description="The recommended processors meet the goal so far.")
    ]
    one_fewer_up_to_rate: Annotated[float | None, Field(description="Below it one fewer would do.")]


class KeyRangeMoveAnswer(Answer):
    """Key groups first..last go from one instance to another; instances count from 0."""

    first: int
    last: int
    source: int
    target: int


class MigrationAnswer(Answer):
    """What moves of one operator's state; null times are not known."""

    before: int
    after: int
    moves: list[KeyRangeMoveAnswer]
    owners: Annotated[list[int], Field(description="The instance of each key group afterwards.")]
    moved_key_groups: int
    moved_share: float
    repartition_seconds: float | None
    repair_seconds: float | None


class HorizonAnswer(Answer):
    """Within which a change must have paid back."""

    seconds: Annotated[float | None, Field(description="null: nothing says when, and nothing is held back.")]
    source: Annotated[
        Literal["forecast", "policy", "none"],
        Field(description="forecast: when the recommended allocation would itself be changed."),
    ]
    detail: str


class Moving(Answer):
    """What the change costs."""

    migrations: dict[str, MigrationAnswer]
    cost_tuple_seconds: float | None
    payback_seconds: Annotated[float | None, Field(description="null: not known, or never.")]
    horizon: Annotated[
        HorizonAnswer | None,
        Field(description="null: nothing was weighed, since no state moves or the change cannot wait."),
    ] = None


class SizedFor(Answer):
    """Which external rate the number of processors is for."""

    external_rate: float
    source: Annotated[
        Literal["smoothed", "newest", "forecast"],
        Field(description="The largest of the three for a target; smoothed for the other goals."),
    ]
    detail: str


class LookAhead(Answer):
    """The external rate to be ready for over the coming cooldown."""

    expected_rate: float
    upper_rate: Annotated[float, Field(description="The policy's qos_target as a quantile.")]
    quantile: float
    steps: Annotated[int, Field(description="Intervals that the coming cooldown holds, as far as looked.")]
    model: str
    history: Annotated[int, Field(description="Intervals it was learnt from.")]


class CorrectionAnswer(Answer):
    """Measured over modelled wait; only the wait is corrected, never the service."""

    shared: Annotated[float | None, Field(description="With a queue that all processors share.")]
    own: Annotated[float | None, Field(description="With a queue for each processor.")]
    intervals: Annotated[int, Field(description="Intervals that can tell.")]


class Stage(Answer):
    """One step of a recommendation: done, or left out and why."""

    name: Literal["forecast", "processors", "placement", "moves", "decision"]
    done: bool
    detail: Annotated[str, Field(description="What it used, or what is missing.")]


class RateForecastAnswer(Answer):
    """The external rate to be ready for: the upper quantile at the highest step ahead."""

    expected_rate: float
    upper_rate: float
    quantile: float
    step: Annotated[int, Field(description="Intervals ahead of the newest snapshot.")]
    steps: int
    history: Annotated[int, Field(description="Intervals it was learnt from.")]
    model: str
    diagnostics: list[DiagnosticAnswer]


class Recommended(Answer):
    """The stages of a recommendation in order, and what each found."""

    stages: list[Stage]
    forecast: RateForecastAnswer | None
    measured_rate: Annotated[
        float, Field(description="External rate of the newest snapshots, as the policy smooths them.")
    ]
    planned_rate: Annotated[float, Field(description="External rate that processors and slots are for.")]
    placement: PlacementAnswer | None


class DecisionAnswer(Answer):
    """What to do, and all that it rests on."""

    id: UUID | None = None
    created_at: datetime | None = None
    decided_for: Annotated[UtcTime, Field(description="Where the newest interval ends.")]
    action: Action
    goal: Literal["latency-target", "tradeoff", "best-split"]
    processors: Counts
    reasons: list[ReasonAnswer]
    constraints: Annotated[list[ReasonAnswer], Field(description="Bounds that cut the answer short.")]
    external_rate: float
    rate_change: Annotated[float | None, Field(description="Since the last change, as a part.")]
    cooldown_left_seconds: float
    measured_sojourn_seconds: float | None
    current: EstimateAnswer
    expected_sojourn_seconds: Annotated[
        float | None, Field(description="Of what is recommended; null = infinite.")
    ]
    optimum: Annotated[Optimum | None, Field(description="null: the constraints leave none.")]
    sized_for: Annotated[SizedFor | None, Field(description="null: a decision of before this was kept.")] = (
        None
    )
    look_ahead: Annotated[
        LookAhead | None, Field(description="null: not wanted, or diagnostics say why not.")
    ] = None
    correction: Annotated[
        CorrectionAnswer | None, Field(description="null: no interval tells how long waits are.")
    ] = None
    counterfactuals: CounterfactualsAnswer
    moving: Moving
    nodes: Annotated[NodeAdviceAnswer | None, Field(description="null: the newest snapshot has no nodes.")]
    streams: Annotated[Streams | None, Field(description="null: the newest snapshot has no instances.")]
    diagnostics: list[DiagnosticAnswer]
    policy: PolicyBody
    basis: Basis
    recommendation: Annotated[
        Recommended | None,
        Field(
            description="Forecast and placement it was made with; null: decided alone, or they stand around it."
        ),
    ] = None


class DecisionSummary(Answer):
    """A line of the history."""

    id: UUID
    created_at: datetime
    decided_for: UtcTime
    action: Action
    external_rate: float
    processors: Counts
    reasons: list[ReasonAnswer]


class DecisionPage(Answer):
    """Decisions, newest first; `next` is the address of the following page."""

    items: list[DecisionSummary]
    next: str | None = None
