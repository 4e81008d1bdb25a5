"""The one table: which exception becomes which problem+json (RFC 9457); nothing else knows HTTP errors.

`type` is a stable word, not an address: docs/problems.md has a paragraph for each.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.requests import Request
from starlette.responses import JSONResponse

from app.http import errors
from app.http.error_pointers import RefusedByPlanner, find_place
from app.serving.observability import current_request_id
from app.storage import storage_errors as storing
from planner import errors as planning
from planner.placements import errors as placing
from planner.vms import errors as scheduling
from planner.workloads import errors as forecasting

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 1

Extension = Mapping[str, Any]


class ProblemDetail(BaseModel):
    """One thing to change: `pointer` leads into the body (`#/edges/0/target`) or names a parameter (`?limit`)."""

    pointer: str
    detail: str


class Problem(BaseModel):
    """RFC 9457: what went wrong, and what to change."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[ProblemDetail] | None = Field(None, description="Each part to change (with 422).")


class ProblemResponse(JSONResponse):
    """In ASCII: a name that was sent may hold half of a surrogate pair, which no UTF-8 can carry back."""

    media_type = MEDIA_TYPE

    def render(self, content: object) -> bytes:
        return json.dumps(content, allow_nan=False).encode("ascii")


@dataclass(frozen=True)
class Kind:
    """A problem type: its stable word, status, title, and what it takes from its exception."""

    type: str
    status: int
    title: str
    extend: Callable[[Any], Extension] = lambda _: {}
    headers: Mapping[str, str] | Callable[[Any], Mapping[str, str]] = field(default_factory=dict)

    def list_headers(self, error: Exception) -> dict[str, str]:
        """Those of every such problem, or those of this one."""
        return dict(self.headers(error) if callable(self.headers) else self.headers)


def _listed(problem: errors.InvalidRequest) -> Extension:
    return {"errors": [{"pointer": pointer, "detail": detail} for pointer, detail in problem.errors]}


def _numbers(problem: Any) -> Extension:
    """The exception's own fields: the task, the operators, the number that was found."""
    said = {one.name: getattr(problem, one.name) for one in fields(problem)}
    return {name: value for name, value in said.items() if name not in {"pointer", "detail"}}


def _unsettled(problem: errors.ThroughputNotConverged) -> Extension:
    return dict(_numbers(problem)) | {"errors": [{"pointer": f"#{problem.pointer}", "detail": str(problem)}]}


def _target(problem: planning.TargetUnreachable) -> Extension:
    return {"t_max_seconds": problem.t_max_seconds, "lower_bound_seconds": problem.lower_bound_seconds}


RETRY = {"Retry-After": str(RETRY_AFTER_SECONDS)}

KINDS: dict[type[Exception], Kind] = {
    storing.UnknownTopology: Kind("unknown-topology", 404, "No such topology"),
    storing.UnknownRevision: Kind(
        "unknown-revision", 404, "No such revision", lambda p: {"newest": p.newest}
    ),
    storing.UnknownPlan: Kind("unknown-plan", 404, "No such plan"),
    storing.UnknownIngestRun: Kind("unknown-ingest-run", 404, "No such ingest run"),
    storing.TopologyExists: Kind("topology-exists", 409, "The name is taken"),
    storing.RevisionConflict: Kind(
        "revision-conflict", 412, "Changed since it was read", lambda p: {"current": p.current}
    ),
    storing.NoSnapshot: Kind("no-snapshot", 409, "Nothing measured yet"),
    storing.UnknownSnapshot: Kind("unknown-snapshot", 404, "No such snapshot"),
    storing.NoStoredPolicy: Kind("unknown-policy", 404, "No policy"),
    storing.UnknownDecision: Kind("unknown-decision", 404, "Nothing decided yet"),
    storing.NoPolicy: Kind("no-policy", 409, "No policy to decide by"),
    storing.StaleSnapshots: Kind(
        "stale-snapshots",
        503,
        "Measurements too old",
        lambda p: {
            "ended_at": p.ended_at.isoformat().replace("+00:00", "Z"),
            "age_seconds": p.age_seconds,
            "limit_seconds": p.limit_seconds,
        },
        headers={"Retry-After": "60"},
    ),
    storing.StoredDataUnusable: Kind("stored-data-unusable", 409, "What is stored is not enough"),
    errors.InvalidRequest: Kind("invalid-request", 422, "The request cannot be used", _listed),
    errors.ThroughputNotConverged: Kind(
        "throughput-not-converged", 422, "The throughput has not settled", _unsettled
    ),
    errors.PayloadTooLarge: Kind(
        "payload-too-large", 413, "Body too large", lambda p: {"limit_bytes": p.limit_bytes}
    ),
    errors.UnsupportedMediaType: Kind("unsupported-media-type", 415, "The body is not JSON"),
    errors.Unauthorized: Kind("unauthorized", 401, "Key needed", headers={"WWW-Authenticate": "Bearer"}),
    errors.Forbidden: Kind("forbidden", 403, "Not allowed"),
    errors.NotReady: Kind("not-ready", 503, "Not ready", headers=RETRY),
    errors.Overloaded: Kind(
        "overloaded",
        503,
        "Overloaded",
        lambda p: {"queued": p.queued},
        headers=lambda p: {"Retry-After": str(p.retry_after_seconds)},
    ),
    planning.InvalidTopology: Kind("invalid-topology", 422, "The topology contradicts itself"),
    planning.InvalidLoad: Kind("invalid-load", 422, "The load does not fit the topology"),
    planning.InvalidAllocation: Kind("invalid-allocation", 422, "The processors do not fit the topology"),
    planning.InvalidState: Kind("invalid-state", 422, "The state does not fit the instances"),
    planning.NoSteadyState: Kind("no-steady-state", 422, "A cycle multiplies tuples", _numbers),
    planning.BoundTooSmall: Kind("bound-too-small", 422, "max_processors too small", _numbers),
    planning.BudgetTooSmall: Kind("budget-too-small", 422, "k_max too small", _numbers),
    planning.TargetUnreachable: Kind("target-unreachable", 422, "t_max_seconds cannot be met", _target),
    storing.UnknownProfile: Kind("unknown-profile", 404, "No such profile"),
    storing.UnknownVmCatalogue: Kind("unknown-vm-catalogue", 404, "No such VM catalogue"),
    storing.UnknownPlacement: Kind("unknown-placement", 404, "No such placement"),
    storing.UnknownBacktest: Kind("unknown-backtest", 404, "No such backtest"),
    storing.UnknownRun: Kind(
        "unknown-run",
        404,
        "No such run in this backtest",
        lambda p: {"policies": list(p.policies), "seeds": p.seeds},
    ),
    storing.RunNotFinished: Kind(
        "run-not-finished", 409, "This run is not done", lambda p: {"state": p.state}
    ),
    errors.NotAcceptable: Kind(
        "not-acceptable", 406, "Not in this form", lambda p: {"offered": list(p.offered)}
    ),
    placing.InvalidProfile: Kind("invalid-profile", 422, "A profile that no slot has", _numbers),
    placing.NoStablePoint: Kind("no-stable-point", 422, "No trial was stable", _numbers),
    placing.MissingProfile: Kind("missing-profile", 422, "A task without a profile", _numbers),
    placing.IdleTask: Kind("idle-task", 422, "A task that no tuple reaches", _numbers),
    placing.ThreadTooLarge: Kind("vm-too-small", 422, "No VM holds a thread", _numbers),
    placing.PlacementTooLarge: Kind("placement-too-large", 422, "Too many threads", _numbers),
    placing.InvalidCatalogue: Kind("invalid-catalogue", 422, "No sizes to buy from", _numbers),
    placing.NotEnoughSlots: Kind("not-enough-slots", 422, "Too few slots", _numbers),
    placing.InvalidMapping: Kind("invalid-mapping", 422, "The mapping does not fit", _numbers),
    scheduling.InvalidMstSamples: Kind("invalid-mst-samples", 422, "No such throughput", _numbers),
    scheduling.TooFewMstSamples: Kind("too-few-mst-samples", 422, "Too few throughput samples", _numbers),
    forecasting.InvalidWorkload: Kind("invalid-workload", 422, "No time series", _numbers),
    forecasting.WorkloadTooShort: Kind("workload-too-short", 422, "Workload too short", _numbers),
    forecasting.WorkloadTooSparse: Kind("workload-too-sparse", 422, "Too much is missing", _numbers),
    forecasting.ConstantWorkload: Kind("constant-workload", 422, "Workload never changes", _numbers),
    scheduling.InvalidQosTarget: Kind("invalid-qos-target", 422, "Target out of range", _numbers),
    forecasting.InvalidSchedule: Kind("invalid-schedule", 422, "The schedule contradicts itself", _numbers),
    scheduling.UnknownVmPolicy: Kind("unknown-vm-policy", 422, "No such policy", _numbers),
    PoolTimeoutError: Kind("overloaded", 503, "Overloaded", headers=RETRY),
    OperationalError: Kind("database-unavailable", 503, "Database unavailable", headers=RETRY),
}

# What the database says in its own words is for the log; the caller learns what to do.
SAID_INSTEAD: dict[type[Exception], str] = {
    PoolTimeoutError: "All database connections are busy: try again in a moment, "
    "or raise HEADGATE_DATABASE_POOL_SIZE.",
    OperationalError: "The database does not answer, or went away before it could: try again in a moment. "
    "What was to be stored is stored whole or not at all: look before you send it twice.",
}


def find_kind(error: Exception) -> Kind | None:
    """The row of the nearest class."""
    cause = error.error if isinstance(error, RefusedByPlanner) else error
    return next((KINDS[base] for base in type(cause).__mro__ if base in KINDS), None)


def describe_problem(error: Exception) -> dict[str, Any] | None:
    """The body of an exception's problem; the command line prints the same."""
    if isinstance(error, planning.PlannerError):
        error = RefusedByPlanner(error, find_place(error))
    kind = find_kind(error)
    if kind is None:
        return None
    detail = next((SAID_INSTEAD[base] for base in type(error).__mro__ if base in SAID_INSTEAD), str(error))
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


def answer_exception(request: Request, error: Exception) -> ProblemResponse:
    """Whatever is in the table; and for all else a 500 that shows nothing of the inside."""
    body = describe_problem(error)
    if body is None:
        log.error("unexpected error", exc_info=error)
        body = {
            "type": "internal-error",
            "title": "Internal error",
            "status": 500,
            "detail": "Something went wrong here, not with your request: "
            f"the log has it under request id {current_request_id()}.",
        }
    elif isinstance(error, DBAPIError | PoolTimeoutError):
        log.warning("database trouble", exc_info=error)
    kind = find_kind(error)
    return ProblemResponse(
        body | {"instance": request.url.path},
        status_code=body["status"],
        headers=kind.list_headers(error) if kind else None,
    )


BODY = ("payload-too-large", "unsupported-media-type")
"""The problems of every call that takes a body."""


def document_problems(*types: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI responses for the problem types that an operation can answer, beside those that any can."""
    wanted = [*types, "invalid-request", "unauthorized", "forbidden", "overloaded"]
    by_status: dict[int | str, dict[str, Any]] = {}
    for kind in KINDS.values():
        if kind.type not in wanted:
            continue
        response = by_status.setdefault(
            kind.status,
            {
                "description": "",
                "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": {}}},
            },
        )
        examples = response["content"][MEDIA_TYPE]["examples"]
        examples[kind.type] = {
            "value": {
                "type": kind.type,
                "title": kind.title,
                "status": kind.status,
                "detail": f"{kind.title}; the text says what to change.",
            }
        }
        response["description"] = ", ".join(examples)
    return by_status
