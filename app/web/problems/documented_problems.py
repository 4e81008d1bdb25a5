"""The problems in the OpenAPI document: the types of each operation, and one real example of each type."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy.exc import OperationalError

from app.web.problems import errors
from app.web.problems import stored_data_errors as storing
from app.web.problems.problem_answers import MEDIA_TYPE
from app.web.problems.problem_kinds import KINDS, describe_problem
from planner import errors as planning
from planner.placements import errors as placing
from planner.vms import timing as scheduling
from planner.workloads import series as forecasting

BODY = ("payload-too-large", "unsupported-media-type", "unsupported-encoding")
"""The problems of every call that takes a body."""
DESCRIBED_CALL = ("invalid-topology", "invalid-load", "no-steady-state", *BODY)
"""The problems of every call that describes a topology and its load in the body."""
STORED_CALL = ("unknown-topology", "no-snapshot", "stored-data-unusable")
"""The problems of every call on the stored measurements of a topology."""
ANY_CALL = ("invalid-request", "unauthorized", "too-many-wrong-keys", "forbidden", "overloaded")
"""The problems of every call below /v1."""
REPEATED = ("idempotency-key-in-use", "idempotency-key-reused")
"""The problems of every call that takes an Idempotency-Key."""
REFUSALS = (*ANY_CALL, *BODY, *REPEATED)
"""The problems that are the same for all operations: each operation has one `default` response for them."""
LEAST_USES = 6
STATUS_NAMES = {
    "404": "Unknown",
    "406": "NotAcceptable",
    "409": "Conflict",
    "412": "RevisionConflict",
    "422": "Unprocessable",
    "503": "Unavailable",
}
"""A response shows the examples of its whole status, and its description lists its types.

Only a response with one type that at least LEAST_USES operations have shows that type alone.
"""
REFUSED = (
    "Every call can answer 401 unauthorized, 403 forbidden, 422 invalid-request, 429 too-many-wrong-keys or 503 "
    "overloaded, and one with a body 413 payload-too-large, 415 unsupported-media-type or 415 unsupported-encoding. "
    "One with an Idempotency-Key can answer 409 idempotency-key-in-use or 422 idempotency-key-reused."
)
PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}

Component = dict[str, Any]


def document_problems(*types: str) -> dict[int | str, dict[str, Any]]:
    """The argument `responses` of a route: by HTTP status, its problem types and those of every call."""
    by_status: dict[int | str, list[str]] = {}
    for kind in KINDS.values():
        listed = by_status.setdefault(kind.status, [])
        if kind.type in {*types, *ANY_CALL} and kind.type not in listed:
            listed.append(kind.type)
    return {status: {"description": ", ".join(listed)} for status, listed in by_status.items() if listed}


def share_problems(document: dict[str, Any]) -> None:
    """Replaces the refusals of every operation by references to components, and adds these to the document."""
    responses: dict[str, Component] = {}
    refused = list(_take_refusals(document))
    alone = Counter(tuple(types) for _, _, types in refused if len(types) == 1)
    for answered, status, types in refused:
        is_named = alone[tuple(types)] >= LEAST_USES
        name = name_response(types[0]) if is_named else STATUS_NAMES[status]
        shown = types if is_named else _list_types(int(status))
        responses[name] = _make_response(shown)
        own = {} if shown == types else {"description": ", ".join(types)}
        answered[status] = {"$ref": f"#/components/responses/{name}"} | own
        answered["default"] = answered.pop("default")
    responses["Refused"] = _make_response(list(REFUSALS)) | {"description": REFUSED}
    document["components"]["responses"] = dict(sorted(responses.items()))
    document["components"].setdefault("examples", {}).update(sorted(_make_examples().items()))


def _take_refusals(document: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[str]]]:
    """Takes the refusals from every operation, and gives each one's responses, the status and the problem types.

    Refusals that are the same for all operations are left to the response `default`.
    """
    operations = [one for each in document["paths"].values() for one in each.values()]
    for answered in (operation["responses"] for operation in operations):
        statuses = [status for status in answered if status >= "400"]
        if statuses:
            answered["default"] = {"$ref": "#/components/responses/Refused"}
        for status in statuses:
            types = [kind for kind in _read_types(answered.pop(status)) if kind not in REFUSALS]
            if types:
                yield answered, status, types


def _list_types(status: int) -> list[str]:
    return list(dict.fromkeys(kind.type for kind in KINDS.values() if kind.status == status))


def name_response(kind: str) -> str:
    """The name in openapi.yaml of a response with one type: `unknown-topology` becomes `UnknownTopology`."""
    return "".join(word.capitalize() for word in kind.split("-"))


def _read_types(response: Component) -> list[str]:
    """The problem types in the description of a response; FastAPI's own response 422 has the type `invalid-request`."""
    types: list[str] = response["description"].split(", ")
    return types if set(types) <= {kind.type for kind in KINDS.values()} else ["invalid-request"]


def _make_response(types: list[str]) -> Component:
    examples = {kind: {"$ref": f"#/components/examples/{kind}"} for kind in types}
    return {
        "description": ", ".join(types),
        "content": {MEDIA_TYPE: {"schema": PROBLEM_SCHEMA, "examples": examples}},
    }


def _make_examples() -> dict[str, Component]:
    """For each problem type, the body of a real answer, without its `instance`."""
    bodies = [describe_problem(error) for error in PROBLEM_EXAMPLES]
    return {body["type"]: {"value": body} for body in bodies if body is not None}


NO_ID = UUID("00000000-0000-4000-8000-000000000000")
AT = datetime(2026, 11, 18, tzinfo=UTC)

SERVICE_EXAMPLES: tuple[Exception, ...] = (
    errors.InvalidRequest(
        (("#/vm_sizes", "There are no VMs to place threads on: give vm_sizes, a vm_catalogue or vms."),)
    ),
    errors.ThroughputNotConverged("/readings", readings=6, k=4, n=5, tolerance=0.05),
    errors.DemoOff(),
    errors.PayloadTooLarge(limit_bytes=8_388_608),
    errors.UnsupportedMediaType("text/plain"),
    errors.UnsupportedEncoding("gzip"),
    errors.HeadersTooLarge(limit_bytes=32_768, limit_headers=100),
    errors.RequestTooSlow(limit_seconds=20.0),
    errors.NotAcceptable("text/html", ("application/json", "image/png", "image/svg+xml")),
    errors.Unauthorized(sent=False),
    errors.TooManyWrongKeys(retry_after_seconds=6),
    errors.IdempotencyKeyInUse(retry_after_seconds=1),
    errors.IdempotencyKeyReused("nightly-7"),
    errors.Forbidden("This key may read and compute but not store: use one without the :read suffix."),
    errors.NotReady("The database cannot be reached: check HEADGATE_DATABASE_URL and that Postgres runs."),
    errors.Overloaded(queued=8, retry_after_seconds=2),
    OperationalError(None, None, Exception("connection refused")),
)
STORAGE_EXAMPLES: tuple[Exception, ...] = (
    storing.UnknownTopology("fdp", " Did you mean 'fpd'?"),
    storing.UnknownRevision("fpd", revision=9, newest=1),
    storing.UnknownPlan(NO_ID),
    storing.UnknownPlacement(NO_ID),
    storing.UnknownIngestRun(7),
    storing.UnknownBacktest(NO_ID),
    storing.UnknownSimulation(NO_ID),
    storing.UnknownRun("mst", seed=9, policies=("mst+ua", "headgate"), seeds=3),
    storing.RunNotFinished("headgate", seed=0, state="queued"),
    storing.UnknownProfile("detector", None),
    storing.UnknownVmCatalogue("azure", None),
    storing.UnknownSnapshot("fpd", AT),
    storing.NoStoredPolicy("fpd"),
    storing.UnknownDecision("fpd"),
    storing.UnknownOperator("fpd", "detektor", " Did you mean 'detector'?"),
    storing.NoRecommendation(
        "fpd",
        "detector",
        "Topology 'fpd' has no snapshot to plan from: POST one to /v1/topologies/fpd/snapshots, or send the load with "
        "the topology to the stateless call.",
    ),
    storing.OutcomeConflict(
        NO_ID,
        "rolled-back",
        "applied",
        "A decision that was rolled back stays rolled back: ask for a new decision.",
    ),
    storing.TopologyExists("fpd"),
    storing.RevisionConflict("fpd", sent='"9"', current='"1-1"'),
    storing.NoSnapshot("fpd"),
    storing.NoPolicy("fpd"),
    storing.StaleSnapshots("fpd", AT, age_seconds=7200.0, limit_seconds=900.0, takes_at=True),
    storing.StoredDataUnusable(
        "fpd",
        "No service_rate is given for detector: every operator of the topology needs one.",
        "POST a snapshot with this value, or smooth over more snapshots.",
    ),
)
PLANNING_EXAMPLES: tuple[Exception, ...] = (
    planning.InvalidTopology(
        "The target of edge 2 is 'reportr', which the topology does not have: add the operator or correct the name. "
        "Did you mean 'reporter'?",
        "/edges/2/target",
    ),
    planning.InvalidLoad(
        "No service_rate is given for detector: every operator of the topology needs one.", "/operators"
    ),
    planning.InvalidAllocation(
        "No processors are given for reporter: give them, or a load with the running processors."
    ),
    planning.InvalidState(
        "Operator 'detector': owners must name one of the 13 instances.", "/detector/owners"
    ),
    planning.NoSteadyState(("detector",), 1.2),
    planning.BoundTooSmall("reporter", max_processors=1, needed=2),
    planning.BudgetTooSmall(10, 18, {"generator": 5, "detector": 11, "reporter": 2}),
    planning.TargetUnreachable(0.01, 0.05224305555555556),
    planning.SimulationTooLarge("events", number=2.3e9, limit=100_000_000),
    planning.SimulationStuck(("detector", "reporter"), seconds=12.5),
)
PLACING_EXAMPLES: tuple[Exception, ...] = (
    placing.InvalidProfile(
        "blob",
        "peak_rate is 0, so these threads would sustain nothing: give a finite rate above 0, or leave the point out.",
        threads=1,
        value=0.0,
        pointer="/profiles/blob",
    ),
    placing.NoStablePoint(
        "parse", trials=1, smallest_rate=320.0, smallest_slope=0.06166666666666667, max_slope=0.001
    ),
    placing.MissingProfile("blob", rate=100.0),
    placing.IdleTask("blob", rate=0.0),
    placing.ThreadTooLarge(
        "blob",
        1,
        "cpu",
        needed=1.5,
        capacity=1.0,
        place="one slot",
        remedy="sam keeps a bundle on one slot: choose the mapping rsm, whose threads may use the cpu of the whole "
        "VM, or correct the profile",
        pointer="/profiles",
    ),
    placing.PlacementTooLarge("blob", needed=33333333.333333332, limit=250_000),
    placing.InvalidCatalogue("Two VM sizes are named D1: give each its own name.", ("D1",)),
    placing.NotEnoughSlots(needed=4, available=1),
    placing.InvalidMapping(
        "VM a runs 'blobs', which is not a task with a profile: correct the name. Did you mean 'blob'?",
        "/vms/0/slots/0/threads",
    ),
)
POLICIES = (
    *("0", "mst", "1", "mst+ua", "2", "mst+ol", "3", "mst+ua+ol", "4", "mst;arma", "5", "mst+ua;arma"),
    *("6", "mst+ol;arma", "7", "mst+ua+ol;arma", "headgate", "ground-truth", "static-peak"),
)
FORECAST_EXAMPLES: tuple[Exception, ...] = (
    scheduling.InvalidMstSamples(
        "A throughput of 0 at 3 VMs: it must lie between 1e-100 and 1e+100.", "/mst_samples/0/throughput"
    ),
    scheduling.TooFewMstSamples(samples=2, samples_needed=5, vm_counts=1, vm_counts_needed=2),
    scheduling.InvalidQosTarget(0.4),
    scheduling.UnknownVmPolicy("headgates", POLICIES),
    forecasting.InvalidWorkload(
        "The time of rate 1 is the same as that of rate 0: send each time once, oldest first.",
        "/workload/1/at",
    ),
    forecasting.WorkloadTooShort(steps=5, needed=100),
    forecasting.WorkloadTooSparse(missing_steps=159, steps=200, allowed_share=0.5),
    forecasting.ConstantWorkload(rate=300.0, steps=200),
    forecasting.InvalidSchedule(
        "The record has 6 steps and the workload 5: send at most one for each step.",
        "/record",
    ),
)
PROBLEM_EXAMPLES = (
    SERVICE_EXAMPLES + STORAGE_EXAMPLES + PLANNING_EXAMPLES + PLACING_EXAMPLES + FORECAST_EXAMPLES
)
