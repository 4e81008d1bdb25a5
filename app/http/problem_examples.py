"""One exception per problem type, with the numbers of a real refusal, for the examples of the OpenAPI document."""

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.exc import OperationalError

from app.http import errors
from app.storage import storage_errors as storing
from planner import errors as planning
from planner.placements import errors as placing
from planner.vms import errors as scheduling
from planner.workloads import errors as forecasting

NO_ID = UUID("00000000-0000-4000-8000-000000000000")
AT = datetime(2026, 11, 18, tzinfo=UTC)

SERVICE_EXAMPLES: tuple[Exception, ...] = (
    errors.InvalidRequest((("#/k_max", "Must be greater than or equal to 1; found 0."),)),
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
    storing.UnknownRun("mst", seed=9, policies=("mst+ua", "headgate"), seeds=3),
    storing.RunNotFinished("headgate", seed=0, state="queued"),
    storing.UnknownProfile("detector", None),
    storing.UnknownVmCatalogue("cheap", 2, " It has version 1."),
    storing.UnknownSnapshot("fpd", AT),
    storing.NoStoredPolicy("fpd"),
    storing.UnknownDecision("fpd"),
    storing.TopologyExists("fpd"),
    storing.RevisionConflict("fpd", sent='"9"', current='"1"'),
    storing.NoSnapshot("fpd"),
    storing.NoPolicy("fpd"),
    storing.StaleSnapshots("fpd", AT, age_seconds=7200.0, limit_seconds=900.0),
    storing.StoredDataUnusable("fpd", "Operator 'detector' has no service_rate."),
)
PLANNING_EXAMPLES: tuple[Exception, ...] = (
    planning.InvalidTopology("Edge to 'reportr', which is no operator.", "/edges/2/target"),
    planning.InvalidLoad("The load lacks a service_rate.", "/operators/detector/service_rate"),
    planning.InvalidAllocation("No processors are given for reporter."),
    planning.InvalidState("3 speeds are given for 2 instances.", "/detector"),
    planning.NoSteadyState(("detector",), 1.2),
    planning.BoundTooSmall("reporter", max_processors=1, needed=2),
    planning.BudgetTooSmall(10, 18, {"generator": 4, "detector": 12, "reporter": 2}),
    planning.TargetUnreachable(0.01, 0.05),
)
PLACING_EXAMPLES: tuple[Exception, ...] = (
    placing.InvalidProfile("detector", "the peak rate must be above 0.", threads=1, value=0.0),
    placing.NoStablePoint("detector", trials=3, smallest_rate=40.0, smallest_slope=0.02, max_slope=0.001),
    placing.MissingProfile("detector", rate=320.0),
    placing.IdleTask("reporter", rate=0.0),
    placing.ThreadTooLarge("detector", 1, "cpu", needed=1.5, capacity=1.0, place="the largest VM"),
    placing.PlacementTooLarge("detector", needed=2e6, limit=100_000),
    placing.InvalidCatalogue("There are no VM sizes.", pointer="/vm_sizes"),
    placing.NotEnoughSlots(needed=6, available=2),
    placing.InvalidMapping("No VM has the slot 3.", "/vms/0/slots/3"),
)
FORECAST_EXAMPLES: tuple[Exception, ...] = (
    scheduling.InvalidMstSamples("A throughput of 0 at 2 VMs.", "/mst_samples/0/throughput"),
    scheduling.TooFewMstSamples(samples=3, samples_needed=6, vm_counts=1, vm_counts_needed=2),
    scheduling.InvalidQosTarget(0.4),
    scheduling.UnknownVmPolicy("headgates", ("mst+ua", "headgate")),
    forecasting.InvalidWorkload("Times must rise.", "/workload/1/at"),
    forecasting.WorkloadTooShort(steps=20, needed=120),
    forecasting.WorkloadTooSparse(missing_steps=90, steps=200, allowed_share=0.2),
    forecasting.ConstantWorkload(rate=320.0, steps=200),
    forecasting.InvalidSchedule("startup_steps = 5 must be below interval_steps = 5.", "/startup_steps"),
)
PROBLEM_EXAMPLES = (
    SERVICE_EXAMPLES + STORAGE_EXAMPLES + PLANNING_EXAMPLES + PLACING_EXAMPLES + FORECAST_EXAMPLES
)
