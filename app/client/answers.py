"""The answers of the service as types: the fields that programs read. An answer has more; later versions add some."""

from typing import Any, TypedDict


class SaidFields(TypedDict):
    """A reason or a note: a stable word, and a sentence."""

    code: str
    detail: str


class OperatorFields(TypedDict):
    """One operator of an estimate; a time is None where it is without bound."""

    name: str
    arrival_rate: float
    service_rate: float
    processors: int
    utilisation: float
    wait_seconds: float | None
    sojourn_seconds: float | None
    visits: float


class EstimateFields(TypedDict):
    """An estimate: how long tuples take, operator by operator."""

    stable: bool
    expected_sojourn_seconds: float | None
    external_rate: float
    processors_total: int
    operators: list[OperatorFields]
    unstable_operators: list[str]
    model: str
    diagnostics: list[SaidFields]


class PlanFields(EstimateFields):
    """A plan: an estimate and the processors that it recommends."""

    objective: str
    processors: dict[str, int]
    optimal: bool


class CheckFields(TypedDict):
    """One check of a gate."""

    name: str
    passed: bool
    value: float | None
    limit: float
    detail: str


class GateFields(TypedDict):
    """The verdict of a gate."""

    passed: bool
    checks: list[CheckFields]
    binding_operator: str
    headroom_rate: float | None
    suggestion: dict[str, Any]


class TopologyFields(TypedDict):
    """A stored topology."""

    name: str
    operators: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    entries: list[dict[str, Any]]
    revision: int
    source: str
    created_at: str


class TopologySummaryFields(TypedDict):
    """A topology in a list."""

    name: str
    revision: int
    operators: int
    source: str


class StoredCounts(TypedDict):
    """How many snapshots were new, and how many replaced one of the same time."""

    stored: int
    replaced: int


class CountFields(TypedDict):
    """An operator's processors before and after a decision."""

    current: dict[str, int]
    recommended: dict[str, int]


class DecisionFields(TypedDict):
    """A decision: what to change now, and why. `id` is None for a trial."""

    id: str | None
    decided_for: str
    action: str
    verdict: str
    processors: CountFields
    wanted: dict[str, int] | None
    reasons: list[SaidFields]
    constraints: list[SaidFields]
    diagnostics: list[SaidFields]
    external_rate: float
    measured_sojourn_seconds: float | None
    expected_sojourn_seconds: float | None
    current: EstimateFields


class OutcomeFields(TypedDict):
    """What became of a decision."""

    state: str
    applied_at: str | None
    expected_seconds: float | None
    measured_seconds: float | None
    kept: bool | None
    detail: str | None


class OverviewFields(TypedDict):
    """One topology of the overview."""

    name: str
    status: str
    detail: str
    decision_id: str | None
    action: str | None
    processors_running: int | None
    processors_recommended: int | None
    measured_sojourn_seconds: float | None
    target_seconds: float | None
    external_rate: float | None
    measured_until: str | None


class ReplayFields(TypedDict):
    """What a policy would have done over stored snapshots, beside what ran."""

    minutes: float
    late_share: float | None
    processor_hours: float
    changes: int
    ran: dict[str, Any]


class WhatIfFields(TypedDict):
    """What runs and what is planned under another load, and the frontier of time over processors."""

    current: EstimateFields | None
    planned: dict[str, Any] | None
    frontier: list[dict[str, Any]]


class FleetTopologyFields(TypedDict):
    """What a topology gets of the budget that topologies share; `lost` says why its target is missed."""

    name: str
    state: str
    running: int | None
    processors: dict[str, int]
    processors_total: int
    expected_sojourn_seconds: float | None
    target_seconds: float | None
    meets: bool | None
    one_more_seconds: float | None
    lost: str | None
    detail: str | None


class FleetAdmissionFields(TypedDict):
    """Whether new jobs fit."""

    admitted: bool
    detail: str


class FleetBudgetFields(TypedDict):
    """How far a budget goes."""

    fits: bool
    k_max: int
    needed: int
    processors_total: int
    unused_processors: int
    optimal: bool
    detail: str


class FleetPlanFields(FleetBudgetFields):
    """The best share of a budget. `admission` is None where no new job was asked about."""

    topologies: list[FleetTopologyFields]
    admission: FleetAdmissionFields | None


class FleetChangeFields(FleetTopologyFields):
    """The change of one topology: its decision, and after which topologies it changes."""

    decision_id: str | None
    action: str | None
    turn: int | None
    after: list[str]


class FleetDecisionFields(FleetBudgetFields):
    """Decisions about all topologies that share the budget, made together."""

    id: str | None
    decided_for: str | None
    running_total: int
    topologies: list[FleetChangeFields]
