"""What is asked of a backtest made a job: the same from a body over HTTP as from files on the command line."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from app.backtests.schemas import BacktestRequest, Job
from app.described.answers import DiagnosticAnswer
from app.http.errors import InvalidRequest
from planner.vms.backtest import Backtest
from planner.vms.errors import InvalidQosTarget, UnknownVmPolicy
from planner.vms.sigma_policies import ALL_POLICIES, BY_NAME, check_policy
from planner.vms.throughput import MstSample
from planner.workloads.series import Workload


def make_job(
    body: BacktestRequest, workload: Workload, samples: Sequence[MstSample], *, workload_name: str, app: str
) -> Job:
    """All that the computation needs; what cannot end well is refused here."""
    refuse_unmeasured(body, samples)
    job = Job(
        workload_name=workload_name,
        app=app,
        start_at=datetime.fromtimestamp(workload.start_seconds, UTC),
        step_seconds=workload.step_seconds,
        rates=list(workload.rates),
        samples=[(one.vms, one.throughput) for one in samples],
        policies=list_policies(body),
        seeds=body.seeds,
        train_vms=body.train_vms or sorted({one.vms for one in samples}),
        scale_peak=body.scale_peak,
        max_vms=body.max_vms,
        interval_steps=body.interval_steps,
        startup_steps=body.startup_steps,
        qos_target=body.qos_target,
        headgate_qos_target=body.headgate_qos_target,
        diagnostics=[DiagnosticAnswer(code=one.code, detail=one.detail) for one in workload.diagnostics],
    )
    try:
        Backtest(job.to_setup())  # raises what the job itself would end with
    except InvalidQosTarget as error:
        name = "qos_target" if error.qos_target == body.qos_target else "headgate_qos_target"
        raise replace(error, pointer=f"/{name}") from error
    return job


def refuse_unmeasured(body: BacktestRequest, samples: Sequence[MstSample]) -> None:
    """Policies can be trained only where something was measured."""
    measured = {one.vms for one in samples}
    if missing := sorted(set(body.train_vms or []) - measured):
        known = ", ".join(map(str, sorted(measured)))
        raise InvalidRequest((("#/train_vms", f"No sample is at {missing[0]} VMs: choose among {known}."),))


def list_policies(body: BacktestRequest) -> list[str]:
    """Each once, the paper's by number."""
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
