"""One exception per problem type, with the numbers of a real refusal, for the examples of the OpenAPI document."""

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.exc import OperationalError

from app.database import storage_errors as storing
from app.web import errors
from planner import errors as planning
from planner.placements import errors as placing
from planner.vms import errors as scheduling
from planner.workloads import errors as forecasting

NO_ID = UUID("00000000-0000-4000-8000-000000000000")
AT = datetime(2026, 11, 18, tzinfo=UTC)

SERVICE_EXAMPLES: tuple[Exception, ...] = (
    errors.InvalidRequest(
        (("#/vm_sizes", "Nothing to place on: give vm_sizes or a vm_catalogue to acquire from, or vms."),)
    ),
    errors.ThroughputNotConverged("/readings", readings=6, k=4, n=5, tolerance=0.05),
    errors.PayloadTooLarge(limit_bytes=8_388_608),
    errors.UnsupportedMediaType("text/plain"),
    errors.NotAcceptable("text/html", ("application/json", "image/png", "image/svg+xml")),
    errors.Unauthorized(sent=False),
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
        NO_ID, "rolled-back", "applied", "a decision that was rolled back stays so, decide again."
    ),
    storing.TopologyExists("fpd"),
    storing.RevisionConflict("fpd", sent='"9"', current='"1-1"'),
    storing.NoSnapshot("fpd"),
    storing.NoPolicy("fpd"),
    storing.StaleSnapshots("fpd", AT, age_seconds=7200.0, limit_seconds=900.0),
    storing.StoredDataUnusable(
        "fpd", "No service_rate is given for detector: every operator of the topology needs one."
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
        "No processors are given for reporter: give them, or a load that says what runs."
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
        remedy="sam keeps a bundle on one slot, so choose the mapping rsm, whose threads may take cpu of their whole "
        "VM, or correct the profile",
        pointer="/profiles",
    ),
    placing.PlacementTooLarge("blob", needed=33333333.333333332, limit=250_000),
    placing.InvalidCatalogue("Two VM sizes are named D1: give each its own name.", ("D1",)),
    placing.NotEnoughSlots(needed=4, available=1),
    placing.InvalidMapping(
        "VM a runs 'blobs', which is no task with a profile: correct the name. Did you mean 'blob'?",
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
        "startup_steps = 5 must be at least 0 and below interval_steps = 5: an interval shorter than the start of a VM "
        "cannot be scheduled.",
        "/startup_steps",
    ),
)
PROBLEM_EXAMPLES = (
    SERVICE_EXAMPLES + STORAGE_EXAMPLES + PLANNING_EXAMPLES + PLACING_EXAMPLES + FORECAST_EXAMPLES
)
