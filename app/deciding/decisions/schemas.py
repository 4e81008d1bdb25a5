"""The bodies of requests for decisions and the answers, as JSON."""

from typing import Annotated, Literal

from pydantic import Field, computed_field

from app.deciding.advised import UNSEEN, Advised, AsOfNow
from app.deciding.economic_rule import EconomicAnswer
from app.deciding.fleet_turns import say_turn
from app.deciding.node_advice import NodeAdviceAnswer, Streams
from app.deciding.outcomes.schemas import Observed, Outcome
from app.deciding.policies.schemas import EXAMPLE, PolicyBody
from app.deciding.promises import choose_promise
from app.load.bodies.answers import Basis, DiagnosticAnswer, EstimateAnswer
from app.machines.placements.schemas import PlacementAnswer
from app.web.fields import Answer, Body, StoredFields, UtcTime, show_example
from planner.decisions.policy import Goal
from planner.decisions.wording import Outlook, describe_change, describe_verdict

PROBLEMS = (
    "unknown-topology",
    "no-policy",
    "no-snapshot",
    "stale-snapshots",
    "stored-data-unusable",
    "invalid-state",
)
"""The problem types of refused decisions."""
WITHHELD = "Nothing is recommended now."
Action = Literal["hold", "scale_up", "scale_down", "rebalance"]


class DecisionRequest(Body):
    """The request for a decision. Without a body, the stored policy decides on the newest snapshots, now."""

    model_config = show_example({"at": "2026-11-18T00:01:00Z", "policy": EXAMPLE})

    at: Annotated[UtcTime | None, Field(description="Later snapshots are ignored; left out: now.")] = None
    policy: Annotated[PolicyBody | None, Field(description="Instead of the stored policy.")] = None
    store: Annotated[bool, Field(description="false: the decision is a trial and is not stored.")] = True


class Counts(Answer):
    """Processors now and as recommended; equal if the decision is to hold."""

    current: dict[str, int]
    recommended: dict[str, int]
    current_total: int
    recommended_total: int


class ReasonAnswer(Answer):
    """A reason for a decision: one step of its argument, or one bound that limits it."""

    code: str
    detail: str


class Optimum(Answer):
    """The allocation that the goal asks for, also if the decision is to hold."""

    processors: dict[str, int]
    processors_total: int
    expected_sojourn_seconds: float | None


class CounterfactualsAnswer(Answer):
    """What one processor fewer would change, and the rates between which the decision stays the same."""

    one_fewer_processors: dict[str, int] | None
    one_fewer_sojourn_seconds: float | None
    one_fewer_detail: str
    holds_up_to_rate: Annotated[
        float | None, Field(description="The largest rate at which the processors meet the goal; null: none.")
    ]
    one_fewer_up_to_rate: Annotated[
        float | None,
        Field(description="The rate below which one processor fewer meets the goal; null: none."),
    ]


class KeyRangeMoveAnswer(Answer):
    """Key groups first..last that move from one instance of an operator to another; instances count from 0."""

    first: int
    last: int
    source: int
    target: int


class MigrationAnswer(Answer):
    """The key groups of one operator that move, and the time that the move takes; null: not known."""

    before: int
    after: int
    moves: list[KeyRangeMoveAnswer]
    owners: Annotated[list[int], Field(description="The instance of each key group afterwards.")]
    moved_key_groups: int
    moved_share: float
    repartition_seconds: float | None
    repair_seconds: float | None


class HorizonAnswer(Answer):
    """The time within which a change of processors must pay back its cost."""

    seconds: Annotated[
        float | None, Field(description="null: the time is not known, and no change is held back.")
    ]
    source: Annotated[
        Literal["forecast", "policy", "none"],
        Field(description="forecast: the time until the recommended allocation would next be changed."),
    ]
    detail: str


class Moving(Answer):
    """The state of operators that a change of processors moves, and the cost of moving it."""

    migrations: dict[str, MigrationAnswer]
    cost_tuple_seconds: float | None
    payback_seconds: Annotated[float | None, Field(description="null: not known, or never.")]
    horizon: Annotated[HorizonAnswer | None, Field(description="null: no state moves, or urgent.")] = None


class SizedFor(Answer):
    """The external rate for which the decision chose the number of processors."""

    external_rate: float
    source: Annotated[
        Literal["smoothed", "newest", "forecast"],
        Field(description="For a target, the source with the largest rate; else `smoothed`."),
    ]
    detail: str


class LookAhead(Answer):
    """The forecast of the external rate over the coming cooldown."""

    expected_rate: float
    upper_rate: Annotated[float, Field(description="Its quantile at the policy's qos_target.")]
    quantile: float
    steps: Annotated[int, Field(description="Intervals that the forecast covers.")]
    model: str
    history: Annotated[int, Field(description="Intervals that the model was fitted on.")]


class CatchingUpAnswer(Answer):
    """The tuples that wait in queues, and the time to work them off."""

    backlog_tuples: float
    operators: Annotated[dict[str, float], Field(description="Waiting tuples by operator.")]
    left_seconds: Annotated[
        float | None, Field(description="The time that the policy leaves for it; null: not configured.")
    ]
    finished_by: Annotated[
        UtcTime | None, Field(description="decided_for + left_seconds; later decisions keep this time.")
    ] = None
    running_seconds: Annotated[float | None, Field(description="With the running processors; null: never.")]
    recommended_seconds: Annotated[
        float | None, Field(description="With the recommended processors; null: never.")
    ]
    detail: str


class CorrectionAnswer(Answer):
    """How many times the modelled wait the measured wait is; service times are not corrected."""

    shared: Annotated[
        float | None,
        Field(description="The ratio for one queue per operator, or for the configured queueing."),
    ]
    own: Annotated[
        float | None,
        Field(description="The ratio for one queue per processor; null: a queueing is configured."),
    ]
    intervals: Annotated[int, Field(description="Intervals whose waits were long enough to compare.")]


class Stage(Answer):
    """One stage of a recommendation: done, or left out and why."""

    name: Literal["forecast", "processors", "placement", "moves", "decision"]
    done: bool
    detail: Annotated[str, Field(description="The data that the stage used, or the data that are missing.")]


class RateForecastAnswer(Answer):
    """The forecast of the external rate: its upper quantile, at the step where it is highest."""

    expected_rate: float
    upper_rate: float
    quantile: float
    step: Annotated[int, Field(description="Intervals ahead of the newest snapshot.")]
    steps: int
    history: Annotated[int, Field(description="Intervals that the model was fitted on.")]
    model: str
    diagnostics: list[DiagnosticAnswer]


class Recommended(Answer):
    """The stages of a recommendation in order, each with its result."""

    stages: list[Stage]
    forecast: RateForecastAnswer | None
    measured_rate: Annotated[
        float, Field(description="External rate of the newest snapshots, as the policy smooths them.")
    ]
    planned_rate: Annotated[
        float, Field(description="The external rate for which processors and slots are chosen.")
    ]
    placement: PlacementAnswer | None


class Decided(EconomicAnswer, StoredFields):
    """The recommended action with its reasons, and the policy and measurements behind it."""

    decided_for: Annotated[UtcTime, Field(description="The end of the newest interval.")]
    action: Annotated[Action, Field(description="As decided. What to run now is `wanted`; null: nothing.")]
    goal: Goal
    processors: Counts
    reasons: list[ReasonAnswer]
    constraints: Annotated[list[ReasonAnswer], Field(description="Bounds that limit the answer.")]
    external_rate: float
    rate_change: Annotated[float | None, Field(description="Relative, since the last change of processors.")]
    cooldown_left_seconds: float
    measured_sojourn_seconds: float | None
    current: EstimateAnswer
    expected_sojourn_seconds: Annotated[
        float | None, Field(description="E[T] of the recommended processors; null = infinite.")
    ]
    corrected_sojourn_seconds: Annotated[
        float | None,
        Field(
            description="The same corrected by `correction`, as the verdict states it. null: infinite, or no "
            "correction."
        ),
    ] = None
    optimum: Annotated[Optimum | None, Field(description="null: no allocation satisfies the constraints.")]
    needed_total: Annotated[int | None, Field(description="null: the policy has no scale-down window.")] = (
        None
    )
    sized_for: Annotated[SizedFor | None, Field(description="null: stored before this field existed.")] = None
    look_ahead: Annotated[LookAhead | None, Field(description="null: not wanted, or see diagnostics.")] = None
    correction: Annotated[CorrectionAnswer | None, Field(description="null: none can be compared.")] = None
    catching_up: Annotated[
        CatchingUpAnswer | None, Field(description="null: no snapshot says that tuples wait.")
    ] = None
    counterfactuals: CounterfactualsAnswer
    moving: Moving
    nodes: Annotated[NodeAdviceAnswer | None, Field(description="null: the newest snapshot has no nodes.")]
    streams: Annotated[Streams | None, Field(description="null: the newest snapshot has no instances.")]
    diagnostics: list[DiagnosticAnswer]
    policy: PolicyBody
    basis: Basis
    recommendation: Annotated[Recommended | None, Field(description="null: decided without one.")] = None
    outcome: Outcome = None
    observed: Observed = None


class DecisionAnswer(AsOfNow, Decided):
    """A decision, and whether to act on it now."""

    @computed_field  # type: ignore[prop-decorator]  # as Pydantic documents it
    @property
    def verdict(self) -> str:
        """What to do and what E[T] would become, or that nothing is recommended now."""
        if self.withheld is not None or self.after:
            return WITHHELD if self.withheld is not None else f"Wait {say_turn(self.after)}."
        said = describe_verdict(self.running, self.processors.recommended, self.outlook)
        return said if self.waits_for is None else f"{self.change} {UNSEEN}"

    @property
    def change(self) -> str:
        """What to do, in a sentence: the processors that should run, and those of operators that change."""
        return describe_change(self.running, self.advised.wanted)

    @property
    def running(self) -> dict[str, int]:
        """The measured processors in the order of the topology, which the database does not keep."""
        return {one.name: self.processors.current[one.name] for one in self.current.operators}

    @property
    def advised(self) -> Advised:
        """Returns what should run by the decision, also where it is withheld and so a record."""
        change, seconds = self.waits_for, self.outlook.then_seconds
        if self.after and self.wanted is not None:
            return Advised(self.wanted, self.current.expected_sojourn_seconds)
        if change is not None and self.wanted is not None:
            return Advised(self.wanted, change.expected_sojourn_seconds, change.holds_up_to_rate)
        return Advised(self.processors.recommended, seconds, self.counterfactuals.holds_up_to_rate)

    @property
    def outlook(self) -> Outlook:
        """Returns E[T] now (measured, or else estimated), E[T] with the recommended processors, and the target."""
        now = self.current.expected_sojourn_seconds
        now = choose_promise(now, self.measured_sojourn_seconds) if self.current.stable else None
        then = choose_promise(self.expected_sojourn_seconds, self.corrected_sojourn_seconds)
        is_measured, limit = self.measured_sojourn_seconds is not None, self.policy.to_value().limit
        return Outlook(now, then, limit, self.external_rate, is_measured=is_measured)
