"""From a request to a job: the workload looked up and made regular, and all refused that can be refused at once."""

from sqlalchemy.orm import Session

from app.backtests.jobs import make_job
from app.backtests.schemas import BacktestRequest, Job
from app.forecasts.schemas import MOST_POINTS
from app.http.error_pointers import blaming_what_is_stored
from app.http.errors import InvalidRequest
from app.measured.series import read_workload
from app.storage.stored_topologies import find_topology
from app.throughput_samples.service import find_newest_samples
from planner.vms.throughput import MstSample, check_samples
from planner.workloads.peak_rate import ARMA_WINDOW
from planner.workloads.series import Measurement, Workload, regularise_workload


def to_job(session: Session, body: BacktestRequest) -> Job:
    """All that the computation needs; a later change of the snapshots does not change it."""
    refuse_contradictions(body)
    workload = gather_workload(session, body)
    samples = gather_samples(session, body)
    workload_name = body.workload_name or body.topology or "workload"
    return make_job(body, workload, samples, workload_name=workload_name, app=body.app)


def refuse_contradictions(body: BacktestRequest) -> None:
    """What the fields' types cannot say."""
    found = []
    if (body.workload is None) == (body.topology is None):
        found.append(
            ("#/workload", "Send either `workload` or the `topology` whose snapshots are the workload.")
        )
    if body.topology is None and (body.since or body.until):
        found.append(("#/since", "`since` and `until` choose snapshots of a `topology`: leave them out."))
    if body.topology is None and body.mst_samples is None:
        found.append(("#/mst_samples", "Send throughput samples, or the `topology` that has some stored."))
    found += [
        (
            f"#/mst_samples/{position}/saturated",
            "Schedules are judged by what VMs can do: send saturated samples.",
        )
        for position, one in enumerate(body.mst_samples or [])
        if not one.saturated
    ][:100]
    if found:
        raise InvalidRequest(tuple(found))


def gather_workload(session: Session, body: BacktestRequest) -> Workload:
    """As posted, or as measured of a stored topology."""
    if body.workload is not None:
        measured = [Measurement(point.at.timestamp(), point.rate) for point in body.workload]
        return regularise_workload(measured, body.step_seconds)
    assert body.topology is not None, "one of the two is there"
    return read_workload(
        session,
        find_topology(session, body.topology),
        since=body.since,
        until=body.until,
        step_seconds=body.step_seconds,
        most=MOST_POINTS,
        needed=ARMA_WINDOW,
    )


def gather_samples(session: Session, body: BacktestRequest) -> list[MstSample]:
    """As posted, or those stored of the topology; what did not saturate is no measure of what VMs can do."""
    if body.mst_samples is not None:
        posted = [MstSample(one.vms, one.throughput) for one in body.mst_samples]
        check_samples(posted)
        return posted
    assert body.topology is not None, "one of the two is there"
    topology = find_topology(session, body.topology)
    rows = [row for row in find_newest_samples(session, topology.id) if row.saturated]
    stored = [MstSample(row.vms, row.throughput) for row in sorted(rows, key=lambda row: row.observed_at)]
    with blaming_what_is_stored(body.topology):
        check_samples(stored)
    return stored
