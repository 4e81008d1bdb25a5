"""What the bridge reads in the service's answers; fields that it does not need may change."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class _Seen(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SeenReason(_Seen):
    """A reason or a diagnostic."""

    code: str
    detail: str


class SeenCounts(_Seen):
    """Processors before and after."""

    current: dict[str, int]
    recommended: dict[str, int]


class SeenOperator(_Seen):
    """An operator in an estimate."""

    name: str
    arrival_rate: float | None = None
    utilisation: float | None = None
    processors: int


class SeenEvidence(_Seen):
    """How true an estimate is."""

    known_error: float | None = None


class SeenEstimate(_Seen):
    """E[T] for what was measured; null: infinite."""

    stable: bool
    expected_sojourn_seconds: float | None
    operators: list[SeenOperator]
    evidence: SeenEvidence | None = None


class SeenTarget(_Seen):
    """A target of another time than E[T]."""

    of: str
    quantile: float | None = None
    seconds: float


class SeenGoal(_Seen):
    """What a policy asks for."""

    t_max_seconds: float | None = None
    target: SeenTarget | None = None


class SeenPolicy(_Seen):
    """The policy that a decision followed."""

    goal: SeenGoal
    model: str


class SeenMoving(_Seen):
    """What a change costs; null: not known."""

    cost_tuple_seconds: float | None = None
    payback_seconds: float | None = None


class SeenCatchingUp(_Seen):
    """Tuples that wait, and how long it takes to work them off."""

    backlog_tuples: float
    detail: str


class SeenOutcome(_Seen):
    """What became of a decision; `source` is `snapshots` where nobody reported it."""

    state: str
    source: str = "reported"
    applied_at: datetime | None = None
    measured_seconds: float | None = None
    kept: bool | None = None
    detail: str | None = None


class SeenSummary(_Seen):
    """A decision in a list."""

    id: str
    action: str
    outcome: SeenOutcome | None = None


class SeenDecisions(_Seen):
    """Decisions, newest first."""

    items: list[SeenSummary]


class SeenDecision(_Seen):
    """A decision."""

    id: str
    created_at: datetime
    action: str
    processors: SeenCounts
    reasons: list[SeenReason]
    constraints: list[SeenReason] = []
    diagnostics: list[SeenReason] = []
    external_rate: float
    measured_sojourn_seconds: float | None
    current: SeenEstimate
    expected_sojourn_seconds: float | None
    policy: SeenPolicy
    moving: SeenMoving = SeenMoving()
    catching_up: SeenCatchingUp | None = None
    outcome: SeenOutcome | None = None

    @property
    def report(self) -> SeenOutcome | None:
        """What was reported of it; what the service saw in snapshots is no report."""
        return self.outcome if self.outcome and self.outcome.source == "reported" else None
