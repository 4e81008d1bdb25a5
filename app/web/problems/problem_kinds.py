"""The table of problem types: the type, HTTP status and title of every exception that a caller can receive.

`type` is a stable word, not an address: docs/problems.md describes each.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from app.web.problems import errors
from app.web.problems import stored_data_errors as storing
from app.web.problems.error_pointers import RefusedByPlanner, find_place
from planner import errors as planning
from planner.placements import errors as placing
from planner.vms import timing as scheduling
from planner.workloads import series as forecasting

RETRY_AFTER_SECONDS = 1

Extension = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """A problem type: its stable word, HTTP status and title, and how `extend` reads its other fields from the
    exception. `say` writes its sentence.
    """

    type: str
    status: int
    title: str
    extend: Callable[[Any], Extension] = lambda _: {}
    headers: Mapping[str, str] | Callable[[Any], Mapping[str, str]] = field(default_factory=dict)
    say: Callable[[Any], str] = str

    def list_headers(self, error: Exception) -> dict[str, str]:
        """The headers of the answer for an exception, such as Retry-After."""
        return dict(self.headers(error) if callable(self.headers) else self.headers)


def _list_errors(problem: errors.InvalidRequest) -> Extension:
    return {"errors": [{"pointer": pointer, "detail": detail} for pointer, detail in problem.errors]}


def _list_fields(problem: Any) -> Extension:
    """The fields of an exception as further fields of its problem, such as the name of a task or a wrong number."""
    values = {field.name: getattr(problem, field.name) for field in fields(problem)}
    return {name: value for name, value in values.items() if name not in {"pointer", "detail"}}


def _point_at_readings(problem: errors.ThroughputNotConverged) -> Extension:
    return dict(_list_fields(problem)) | {
        "errors": [{"pointer": f"#{problem.pointer}", "detail": str(problem)}]
    }


def _list_needed(problem: planning.BudgetTooSmall) -> Extension:
    return {"k_max": problem.k_max, "needed": problem.needed, "per_operator": problem.per_operator}


def _name_limit(problem: planning.TargetUnreachable) -> Extension:
    return {"t_max_seconds": problem.t_max_seconds, "lower_bound_seconds": problem.lower_bound_seconds}


RETRY = {"Retry-After": str(RETRY_AFTER_SECONDS)}

OVERLOADED = Kind(
    "overloaded",
    503,
    "Overloaded",
    lambda p: {"queued": p.queued},
    headers=lambda p: {"Retry-After": str(p.retry_after_seconds)},
)

KINDS: dict[type[Exception], Kind] = {
    storing.UnknownTopology: Kind("unknown-topology", 404, "Unknown topology"),
    storing.UnknownRevision: Kind(
        "unknown-revision", 404, "Unknown revision", lambda p: {"newest": p.newest}
    ),
    storing.UnknownPlan: Kind("unknown-plan", 404, "Unknown plan"),
    storing.UnknownIngestRun: Kind("unknown-ingest-run", 404, "Unknown ingest run"),
    storing.TopologyExists: Kind("topology-exists", 409, "Name taken"),
    errors.DemoOff: Kind("demo-off", 409, "No live demo"),
    storing.RevisionConflict: Kind(
        "revision-conflict", 412, "Revision conflict", lambda p: {"current": p.current}
    ),
    storing.NoSnapshot: Kind("no-snapshot", 409, "No snapshot"),
    storing.UnknownSnapshot: Kind("unknown-snapshot", 404, "Unknown snapshot"),
    storing.NoStoredPolicy: Kind("unknown-policy", 404, "No stored policy"),
    storing.UnknownDecision: Kind("unknown-decision", 404, "Unknown decision"),
    storing.UnknownOperator: Kind("unknown-operator", 404, "Unknown operator"),
    storing.NoRecommendation: Kind(
        "no-recommendation", 503, "No recommendation", lambda p: {"cause": p.cause}, {"Retry-After": "60"}
    ),
    storing.OutcomeConflict: Kind("outcome-conflict", 409, "Outcome conflict", lambda p: {"state": p.state}),
    storing.NoPolicy: Kind("no-policy", 409, "No policy"),
    storing.StaleSnapshots: Kind(
        "stale-snapshots",
        409,
        "Snapshots too old",
        lambda p: {
            "ended_at": p.ended_at.isoformat().replace("+00:00", "Z"),
            "age_seconds": p.age_seconds,
            "limit_seconds": p.limit_seconds,
        },
    ),
    storing.StoredDataUnusable: Kind("stored-data-unusable", 409, "Stored data not usable"),
    errors.InvalidRequest: Kind("invalid-request", 422, "Invalid request", _list_errors),
    errors.ThroughputNotConverged: Kind(
        "throughput-not-converged", 422, "Throughput not converged", _point_at_readings
    ),
    errors.PayloadTooLarge: Kind(
        "payload-too-large", 413, "Request body too large", lambda p: {"limit_bytes": p.limit_bytes}
    ),
    errors.HeadersTooLarge: Kind("headers-too-large", 431, "Request headers too large", _list_fields),
    errors.RequestTooSlow: Kind("request-too-slow", 408, "Request too slow", _list_fields),
    errors.UnsupportedEncoding: Kind(
        "unsupported-encoding", 415, "Unsupported encoding", headers={"Accept-Encoding": "identity"}
    ),
    errors.UnsupportedMediaType: Kind("unsupported-media-type", 415, "Unsupported media type"),
    errors.Unauthorized: Kind("unauthorized", 401, "API key needed", headers={"WWW-Authenticate": "Bearer"}),
    errors.TooManyWrongKeys: Kind(
        "too-many-wrong-keys",
        429,
        "Too many wrong keys",
        headers=lambda p: {"Retry-After": str(p.retry_after_seconds)},
    ),
    errors.Forbidden: Kind("forbidden", 403, "Not allowed"),
    errors.IdempotencyKeyInUse: Kind(
        "idempotency-key-in-use",
        409,
        "Request is being answered",
        headers=lambda p: {"Retry-After": str(p.retry_after_seconds)},
    ),
    errors.IdempotencyKeyReused: Kind("idempotency-key-reused", 422, "Idempotency-Key reused"),
    errors.NotReady: Kind("not-ready", 503, "Not ready", headers=RETRY),
    errors.Overloaded: OVERLOADED,
    errors.WaitedTooLong: OVERLOADED,
    planning.InvalidTopology: Kind("invalid-topology", 422, "Invalid topology"),
    planning.InvalidLoad: Kind("invalid-load", 422, "Invalid load"),
    planning.InvalidAllocation: Kind("invalid-allocation", 422, "Invalid allocation"),
    planning.InvalidState: Kind("invalid-state", 422, "Invalid state"),
    planning.NoSteadyState: Kind("no-steady-state", 422, "No steady state", _list_fields),
    planning.BoundTooSmall: Kind("bound-too-small", 422, "max_processors too small", _list_fields),
    planning.BudgetTooSmall: Kind("budget-too-small", 422, "k_max too small", _list_needed),
    planning.TargetUnreachable: Kind("target-unreachable", 422, "Target unreachable", _name_limit),
    planning.SimulationTooLarge: Kind(
        "simulation-too-large",
        422,
        "Simulation too large",
        lambda p: {"unit": p.unit, "number": p.number, "limit": p.limit},
    ),
    planning.SimulationStuck: Kind("simulation-stuck", 422, "Simulation stuck", _list_fields),
    storing.UnknownProfile: Kind("unknown-profile", 404, "Unknown profile"),
    storing.UnknownVmCatalogue: Kind("unknown-vm-catalogue", 404, "Unknown VM catalogue"),
    storing.UnknownPlacement: Kind("unknown-placement", 404, "Unknown placement"),
    storing.UnknownBacktest: Kind("unknown-backtest", 404, "Unknown backtest"),
    storing.UnknownSimulation: Kind("unknown-simulation", 404, "Unknown simulation"),
    storing.UnknownRun: Kind(
        "unknown-run",
        404,
        "Unknown run",
        lambda p: {"policies": list(p.policies), "seeds": p.seeds},
    ),
    storing.RunNotFinished: Kind("run-not-finished", 409, "Run not finished", lambda p: {"state": p.state}),
    errors.NotAcceptable: Kind(
        "not-acceptable", 406, "Not acceptable", lambda p: {"offered": list(p.offered)}
    ),
    placing.InvalidProfile: Kind("invalid-profile", 422, "Invalid profile", _list_fields),
    placing.NoStablePoint: Kind("no-stable-point", 422, "No stable trial", _list_fields),
    placing.MissingProfile: Kind("missing-profile", 422, "Missing profile", _list_fields),
    placing.IdleTask: Kind("idle-task", 422, "Idle task", _list_fields),
    placing.ThreadTooLarge: Kind("vm-too-small", 422, "VM too small", _list_fields),
    placing.PlacementTooLarge: Kind("placement-too-large", 422, "Placement too large", _list_fields),
    placing.InvalidCatalogue: Kind("invalid-catalogue", 422, "Invalid VM catalogue", _list_fields),
    placing.NotEnoughSlots: Kind("not-enough-slots", 422, "Not enough slots", _list_fields),
    placing.InvalidMapping: Kind("invalid-mapping", 422, "Invalid mapping", _list_fields),
    scheduling.InvalidMstSamples: Kind("invalid-mst-samples", 422, "Invalid throughput sample", _list_fields),
    scheduling.TooFewMstSamples: Kind("too-few-mst-samples", 422, "Too few throughput samples", _list_fields),
    forecasting.InvalidWorkload: Kind("invalid-workload", 422, "Invalid workload", _list_fields),
    forecasting.WorkloadTooShort: Kind("workload-too-short", 422, "Workload too short", _list_fields),
    forecasting.WorkloadTooSparse: Kind("workload-too-sparse", 422, "Workload too sparse", _list_fields),
    forecasting.ConstantWorkload: Kind("constant-workload", 422, "Constant workload", _list_fields),
    scheduling.InvalidQosTarget: Kind("invalid-qos-target", 422, "Invalid QoS target", _list_fields),
    forecasting.InvalidSchedule: Kind("invalid-schedule", 422, "Invalid schedule", _list_fields),
    scheduling.UnknownVmPolicy: Kind("unknown-vm-policy", 422, "Unknown VM policy", _list_fields),
}
"""Of what the planner and the service refuse; app.web.problems.database_trouble adds the errors of the database."""


def find_kind(error: Exception) -> Kind | None:
    """The problem type of an exception's class or of its nearest base class; None if the table has neither."""
    cause = error.error if isinstance(error, RefusedByPlanner) else error
    return next((KINDS[base] for base in type(cause).__mro__ if base in KINDS), None)


def describe_problem(error: Exception) -> dict[str, Any] | None:
    """The problem that describes an exception; None if no table has it. The command line prints the same text."""
    if isinstance(error, planning.PlannerError):
        error = RefusedByPlanner(error, find_place(error))
    kind = find_kind(error)
    if kind is None:
        return None
    detail = kind.say(error)
    problem: dict[str, Any] = {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
    }
    if isinstance(error, RefusedByPlanner):
        to_change = [{"pointer": f"#{error.pointer}", "detail": detail}]
        return problem | dict(kind.extend(error.error)) | {"errors": to_change}
    return problem | dict(kind.extend(error))
