"""Policies as JSON: the goal of a topology, and the limits on changes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from app.deciding.policy_parts import MaxStepBody, Prices, WebhookBody
from app.deciding.schedules import Recurring, Schedule
from app.load.bodies.terms import Calibrate, Goal, ModelName, Smoothing
from app.load.measurements.freshness import DEFAULT_LIMIT_SECONDS
from app.web.fields import (
    YEAR_SECONDS,
    Age,
    Body,
    OperatorName,
    Period,
    PositiveRate,
    Probability,
    Processors,
    Seconds,
    show_example,
)
from planner.decisions import policy
from planner.decisions.state_migration import State as MigratedState
from planner.nodes import advice, usage
from planner.values import DEFAULT_MODEL

EXAMPLE: dict[str, JsonValue] = {"goal": {"t_max_seconds": 0.1}}


Part = Annotated[float, Field(ge=0, le=1)]
Efficiencies = Annotated[list[PositiveRate], Field(max_length=10_000)]


class Bounds(Body):
    """The processors that one operator may have, within the bounds of the topology."""

    min_processors: Processors = 1
    max_processors: Processors | None = None

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """Refuses bounds whose min_processors is above their max_processors."""
        if self.max_processors is not None and self.max_processors < self.min_processors:
            raise ValueError(
                f"max_processors is {self.max_processors}, below min_processors {self.min_processors}: correct one"
            )
        return self


class StateBody(Body):
    """The state of a stateful operator: its amount, and the time to move it (Es-Stream, eqs. 25 and 26)."""

    key_groups: Annotated[
        int,
        Field(
            ge=1,
            le=32_768,
            description="The number of key groups: the most processors of the operator.",
        ),
    ]
    size_bytes: Annotated[float, Field(ge=0, le=1e18)] = 0.0
    computing_bytes_per_second: Annotated[
        Efficiencies, Field(description="ce in eq. 25: one for each instance, or one for all.")
    ] = []
    bandwidth_bytes_per_second: Annotated[Efficiencies, Field(description="tr in eq. 25: likewise.")] = []
    checkpoint_interval_seconds: Seconds | None = None
    replay_rate: Annotated[
        PositiveRate | None,
        Field(description="er in eq. 26: tuples/s that one instance replays when it recovers."),
    ] = None

    def to_value(self) -> MigratedState:
        """Returns the operator's state as a value of the planner."""
        return MigratedState(
            self.key_groups,
            self.size_bytes,
            tuple(self.computing_bytes_per_second),
            tuple(self.bandwidth_bytes_per_second),
            self.checkpoint_interval_seconds,
            self.replay_rate,
        )


class NodeThresholds(Body):
    """Thresholds for taking more nodes and giving some up (Es-Stream, section V-B)."""

    scale_out_skewness: Annotated[
        float, Field(ge=-1e6, le=1e6, description="η: the highest skewness at which to scale out.")
    ] = 0.0
    scale_out_load: Annotated[Part, Field(description="φ: the least mean load at which to scale out.")] = 0.7
    scale_in_skewness: Annotated[
        float, Field(ge=-1e6, le=1e6, description="χ: the least skewness at which to scale in.")
    ] = 0.5
    scale_in_load: Annotated[Part, Field(description="ζ: the highest mean load at which to scale in.")] = 0.3
    most_cpu: Annotated[Part, Field(description="α: the part of a node that may be used.")] = 0.9
    most_memory: Part = 0.9
    most_io: Part = 0.9

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """Refuses thresholds under which one mean load would ask for scaling in and for scaling out."""
        if self.scale_in_load >= self.scale_out_load:
            raise ValueError(
                f"scale_in_load is {self.scale_in_load:g}: give less than scale_out_load, {self.scale_out_load:g}"
            )
        return self

    def to_value(self) -> advice.Thresholds:
        """Returns the thresholds of nodes as a value of the planner."""
        return advice.Thresholds(
            self.scale_out_skewness,
            self.scale_out_load,
            self.scale_in_skewness,
            self.scale_in_load,
            usage.Usage(self.most_cpu, self.most_memory, self.most_io),
        )


class PolicyBody(Body):
    """The goal and the limits by which decisions about one topology are made."""

    model_config = show_example(EXAMPLE)

    goal: Goal
    model: ModelName = DEFAULT_MODEL
    smoothing: Smoothing | None = None
    calibrate: Calibrate = True
    cooldown_seconds: Annotated[
        float, Field(ge=0, le=YEAR_SECONDS, description="The least time between two changes (DRS's T_ra).")
    ] = 300.0
    trigger: Annotated[
        float,
        Field(
            ge=0,
            le=1e6,
            description="While the goal is met, ignore changes of the external rate by less than this part.",
        ),
    ] = 0.0
    least_gain: Annotated[
        float, Field(ge=0, lt=1, description="Ignore changes that shorten E[T] by less than this part.")
    ] = 0.05
    scale_down_window_seconds: Annotated[
        float,
        Field(
            ge=0,
            le=YEAR_SECONDS,
            description="Give up processors only down to the most that the goal took in this time; 0: at once.",
        ),
    ] = 0.0
    least_saving: Annotated[
        float,
        Field(ge=0, lt=1, description="Ignore changes that give up less than this part of the processors."),
    ] = 0.0
    max_snapshot_age_seconds: Annotated[
        Age, Field(description="The largest age of measurements; no decision is made on older ones.")
    ] = DEFAULT_LIMIT_SECONDS
    horizon_seconds: Annotated[
        Period | None,
        Field(
            description="The time until the load is expected to change; changes that pay back later are held."
        ),
    ] = None
    nodes: NodeThresholds = NodeThresholds()
    bounds: dict[OperatorName, Bounds] = {}
    states: dict[OperatorName, StateBody] = {}
    most_deviation: Annotated[
        float,
        Field(
            ge=0,
            le=1e15,
            description="Redirect streams where queue lengths deviate by more than this.",
        ),
    ] = 0.0
    look_ahead: Annotated[
        bool,
        Field(
            description="Plan a target for the forecast rate of the coming cooldown; false: for the measured rate."
        ),
    ] = True
    qos_target: Annotated[
        Probability, Field(description="Probability that the rate stays below its forecast.")
    ] = 0.95
    catch_up_seconds: Annotated[
        Period | None,
        Field(
            description="Work off backlog_tuples within this time; left out: only the time it takes is reported."
        ),
    ] = None
    rule: Annotated[
        policy.Rule,
        Field(
            description="economic: weighs processors, late minutes and the pauses of changes. Left out: economic for a "
            "target of E[T] without fields of drs, such as cooldown_seconds."
        ),
    ] = "drs"
    promise: Annotated[
        float,
        Field(ge=0.5, le=0.999, description="The share of the time within the target, under `economic`."),
    ] = 0.97
    change_pause_seconds: Annotated[
        Period | None, Field(description="How long a change stops the job; left out: learned.")
    ] = None
    max_step: MaxStepBody | None = None
    schedules: Annotated[list[Schedule], Field(max_length=100)] = []
    excluded: Annotated[list[Recurring], Field(max_length=100, description="Times without changes.")] = []
    prices: Annotated[Prices | None, Field(description="In place of `promise`, under `economic`.")] = None
    webhook: Annotated[WebhookBody | None, Field(exclude=True)] = None
    """Stored beside the policy, as no decision depends on it."""

    @model_validator(mode="before")
    @classmethod
    def fill_in_rule(cls, sent: object) -> object:
        """Adds the rule where the body names none."""
        if isinstance(sent, Mapping) and "rule" not in sent:
            return {**sent, "rule": policy.choose_rule(sent)}
        return sent

    def describe_rule(self) -> str:
        """Returns a sentence that says which rule decides, and why."""
        return policy.describe_rule(self.model_dump(exclude_defaults=True), self.rule)

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """Refuses the economic rule for a goal that limits no time, and two times for one backlog."""
        goal = self.goal
        if self.rule == "economic" and (goal.utilisation is not None or goal.backlog_seconds is not None):
            raise ValueError(
                "rule `economic` weighs minutes above a time, and this goal limits no time: give t_max_seconds, or "
                "leave out rule"
            )
        if goal.backlog_seconds is not None and self.catch_up_seconds is not None:
            raise ValueError(
                "backlog_seconds and catch_up_seconds are both the time for working off a backlog: leave out one"
            )
        return self

    def to_value(self, at: datetime | None = None) -> policy.Policy:
        """Returns the policy as a value of the planner, with the schedules in force at a time."""
        step, prices = self.max_step, self.prices
        return policy.Policy(
            self.goal.k_max,
            self.goal.find_t_max_seconds(),
            self.goal.t_min_seconds,
            self.goal.beta,
            self.model,
            self.cooldown_seconds,
            self.trigger,
            self.least_gain,
            {name: (one.min_processors, one.max_processors) for name, one in self.bounds.items()},
            {name: one.to_value() for name, one in self.states.items()},
            self.look_ahead,
            self.qos_target,
            self.horizon_seconds,
            self.nodes.to_value(),
            self.most_deviation,
            self.goal.find_drawn_target(),
            self.catch_up_seconds if self.goal.backlog_seconds is None else self.goal.backlog_seconds,
            self.scale_down_window_seconds,
            self.least_saving,
            self.rule,
            self.promise,
            self.change_pause_seconds,
            None if step is None else policy.MaxStep(step.up, step.down),
            {} if at is None else self.find_floors(at),
            at is not None and any(one.covers(at) for one in self.excluded),
            None if prices is None else prices.late_minute_price,
            self.goal.utilisation,
            self.goal.backlog_seconds is not None,
        )

    def find_floors(self, at: datetime) -> dict[str, int]:
        """Returns the least processors of operators by the schedules in force at a time."""
        floors: dict[str, int] = {}
        for schedule in self.schedules:
            if schedule.covers(at):
                for name, least in schedule.min_processors.items():
                    floors[name] = max(least, floors.get(name, 0))
        return floors


class PolicyAnswer(PolicyBody):
    """The stored policy of a topology."""

    model_config = ConfigDict(from_attributes=True, json_schema_extra={"examples": [EXAMPLE]})

    webhook: WebhookBody | None = None
    updated_at: datetime
