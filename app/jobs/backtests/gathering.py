"""Makes the job of a backtest from a request, and reads stored backtests with their runs."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import Session

from app.database.tables import BacktestRow, BacktestRunRow
from app.jobs.backtests.answers import to_state_answer
from app.jobs.backtests.schemas import BacktestJob, BacktestPage, BacktestRequest
from app.jobs.states import State, list_jobs, select_states
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.series import MOST_POINTS, take_saturated, to_workload
from app.load.measurements.series import find_newest_samples, read_workload
from app.load.measurements.stored_topologies import find_topology
from app.web.paging import Page
from app.web.problems.error_pointers import blaming_what_is_stored
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import UnknownBacktest
from planner.vms.sigma_policies import ALL_POLICIES, BY_NAME, check_policy
from planner.vms.throughput import MstSample, check_samples
from planner.vms.timing import UnknownVmPolicy
from planner.workloads.series import Workload
from planner.workloads.workload_forecast import ARMA_WINDOW

AS_ASKED = {
    *("seeds", "scale_peak", "max_vms", "interval_steps", "startup_steps", "billing_seconds", "vm_sizes"),
    *("qos_target", "headgate_qos_target"),
}
"""The fields of a request that the job copies."""


def gather_job(session: Session, body: BacktestRequest) -> BacktestJob:
    """Makes the job of a request. The job holds copies of stored data, so that later snapshots do not change it."""
    refuse_contradictions(body)
    workload = gather_workload(session, body)
    samples = gather_samples(session, body)
    workload_name = body.workload_name or body.topology or "workload"
    return make_job(body, workload, samples, workload_name=workload_name, app=body.app)


def refuse_contradictions(body: BacktestRequest) -> None:
    """Raises InvalidRequest if fields of the request contradict each other."""
    found = []
    if (body.workload is None) == (body.topology is None):
        found.append(
            ("#/workload", "Send either `workload` or the `topology` whose snapshots are the workload.")
        )
    if body.topology is None and (body.since or body.until):
        found.append(("#/since", "`since` and `until` choose snapshots of a `topology`: leave them out."))
    if body.topology is None and body.mst_samples is None:
        found.append(("#/mst_samples", "Send throughput samples, or a `topology` with stored samples."))
    found += [
        (
            f"#/mst_samples/{position}/saturated",
            "Schedules are judged by the most that VMs sustain: send samples of VMs that were fully used (saturated).",
        )
        for position, one in enumerate(body.mst_samples or [])
        if not one.saturated
    ][:100]
    if found:
        raise InvalidRequest(tuple(found))


def gather_workload(session: Session, body: BacktestRequest) -> Workload:
    """Returns the workload in the request, or the external rates of a stored topology."""
    if body.workload is not None:
        return to_workload(body.workload, body.step_seconds)
    assert body.topology is not None, "refuse_contradictions has found one of the two"
    return read_workload(
        session,
        find_topology(session, body.topology),
        since=body.since,
        until=body.until,
        step_seconds=body.step_seconds,
        most=MOST_POINTS,
        needed=ARMA_WINDOW,
    )


def gather_samples(session: Session, body: BacktestRequest) -> Sequence[MstSample]:
    """Returns the throughput samples in the request, or the saturated ones of a stored topology, oldest first."""
    if body.mst_samples is not None:
        posted = take_saturated(body.mst_samples)
        check_samples(posted)
        return posted
    assert body.topology is not None, "refuse_contradictions has found one of the two"
    topology = find_topology(session, body.topology)
    rows = sorted(find_newest_samples(session, topology.id), key=lambda row: row.observed_at)
    stored = take_saturated(rows)
    with blaming_what_is_stored(body.topology):
        check_samples(stored)
    return stored


def make_job(
    body: BacktestRequest, workload: Workload, samples: Sequence[MstSample], *, workload_name: str, app: str
) -> BacktestJob:
    """Makes the job of a request, with a workload and samples from the database, the request or files."""
    refuse_unmeasured(body, samples)
    return BacktestJob(
        **body.model_dump(include=AS_ASKED),
        workload_name=workload_name,
        app=app,
        start_at=datetime.fromtimestamp(workload.start_seconds, UTC),
        step_seconds=workload.step_seconds,
        rates=list(workload.rates),
        samples=[(one.vms, one.throughput) for one in samples],
        policies=list_policies(body),
        train_vms=body.train_vms or sorted({one.vms for one in samples}),
        diagnostics=[DiagnosticAnswer.model_validate(one) for one in workload.diagnostics],
    )


def refuse_unmeasured(body: BacktestRequest, samples: Sequence[MstSample]) -> None:
    """Raises InvalidRequest if `train_vms` has a number of VMs without a sample."""
    measured = {one.vms for one in samples}
    if missing := sorted(set(body.train_vms or []) - measured):
        known = ", ".join(map(str, sorted(measured)))
        raise InvalidRequest(
            (("#/train_vms", f"No sample was measured with {missing[0]} VMs: choose from {known}."),)
        )


def list_policies(body: BacktestRequest) -> list[str]:
    """Returns each policy of the request once; the policies of Imai et al. go by their numbers."""
    if body.policies == "all":
        return list(ALL_POLICIES)
    if not body.policies:
        raise InvalidRequest((("#/policies", "Name at least one policy, or send `all`."),))
    for position, name in enumerate(body.policies):
        try:
            check_policy(name)
        except UnknownVmPolicy as error:
            raise replace(error, pointer=f"/policies/{position}") from error
    named = [BY_NAME[name].number if name in BY_NAME else name for name in body.policies]
    return list(dict.fromkeys(named))


def find_backtest(session: Session, backtest_id: UUID) -> tuple[Any, Sequence[Any]]:
    """Returns the database row of a backtest, and the rows of its runs in order."""
    row = session.execute(_without_series().where(BacktestRow.id == backtest_id)).one_or_none()
    if row is None:
        raise UnknownBacktest(backtest_id)
    runs = session.execute(
        select(
            BacktestRunRow.policy,
            BacktestRunRow.seed,
            BacktestRunRow.qos_percent,
            BacktestRunRow.cost_to_truth,
            BacktestRunRow.cost_to_static,
            BacktestRunRow.max_backlog,
            BacktestRunRow.promise,
        )
        .where(BacktestRunRow.backtest_id == backtest_id)
        .order_by(BacktestRunRow.position)
    ).all()
    return row, runs


def list_backtests(session: Session, page: Page, state: State | None) -> BacktestPage:
    """A page of backtests, newest first."""
    rows, following = list_jobs(session, _without_series(), BacktestRow, page, state)
    return BacktestPage(items=[to_state_answer(row, row.runs) for row in rows], next=following)


def _without_series() -> Select[Any]:
    """Returns the query for backtests without their long workload and samples, but with the number of steps."""
    request = BacktestRow.request
    runs = select(func.count()).where(BacktestRunRow.backtest_id == BacktestRow.id).scalar_subquery()
    return select_states(
        BacktestRow,
        request.op("-", return_type=request.type)(array(["rates", "samples"])).label("request"),
        func.jsonb_array_length(request["rates"]).label("steps"),
        runs.label("runs"),
    )
