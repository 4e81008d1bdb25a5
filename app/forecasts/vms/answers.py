"""The planner's schedule of VMs as JSON."""

from dataclasses import asdict
from datetime import UTC, datetime

from app.forecasts.vms.schemas import VmForecastAnswer, VmIntervalAnswer
from app.forecasts.workload.answers import to_model_answer
from app.forecasts.workload.schemas import WorkloadModelAnswer
from app.load.bodies.answers import DiagnosticAnswer
from app.load.throughput_samples.service import to_fit_answer
from planner.vms.sigma_policies import HEADGATE
from planner.vms.vm_schedule import VmForecast, VmInterval
from planner.workloads.arma import ArmaModel


def to_answer(found: VmForecast, peak_vms: int) -> VmForecastAnswer:
    """The VMs of each interval, with the models of throughput and workload."""
    return VmForecastAnswer(
        policy=found.policy,
        qos_target=found.qos_target,
        intervals=[to_interval_answer(interval) for interval in found.intervals],
        mst_model=to_fit_answer(found.mst_model, peak_vms),
        workload_model=describe_workload(found.policy, found.workload_model),
        diagnostics=[DiagnosticAnswer.model_validate(one) for one in found.diagnostics],
    )


def to_interval_answer(interval: VmInterval) -> VmIntervalAnswer:
    """One interval, with the parts that its VMs are the sum of."""
    return VmIntervalAnswer(
        begins=datetime.fromtimestamp(interval.from_seconds, UTC),
        ends=datetime.fromtimestamp(interval.to_seconds, UTC),
        expected_rate=interval.expected_rate,
        **asdict(interval.reason),
    )


def describe_workload(policy: str, model: ArmaModel | None) -> WorkloadModelAnswer:
    """The ARMA model, or what the policy uses instead of one."""
    if model is None:
        return WorkloadModelAnswer(kind="outlook" if policy == HEADGATE else "last-rate")
    return to_model_answer(model)
