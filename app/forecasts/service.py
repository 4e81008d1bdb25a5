"""VM schedules: from a body to the planner and back."""

from datetime import UTC, datetime

from app.described.answers import DiagnosticAnswer
from app.forecasts.schemas import (
    MstModelAnswer,
    VmForecastAnswer,
    VmForecastRequest,
    VmIntervalAnswer,
    WorkloadModelAnswer,
)
from app.serving.observability import time_planner
from planner.vms.sigma_policies import HEADGATE
from planner.vms.throughput import MstModel
from planner.vms.vm_schedule import VmForecast, forecast_vms
from planner.workloads.arma import ArmaModel


def forecast_described(body: VmForecastRequest) -> VmForecastAnswer:
    """The VMs of the coming intervals, for the workload and the samples in the body."""
    with time_planner("forecast_vms"):
        found = forecast_vms(body.to_question())
    return to_answer(found, body.max_vms)


def to_answer(found: VmForecast, max_vms: int) -> VmForecastAnswer:
    """From the planner's values to JSON's."""
    return VmForecastAnswer(
        policy=found.policy,
        qos_target=found.qos_target,
        intervals=[
            VmIntervalAnswer(
                begins=datetime.fromtimestamp(interval.from_seconds, UTC),
                ends=datetime.fromtimestamp(interval.to_seconds, UTC),
                vms=interval.reason.vms,
                expected_rate=interval.expected_rate,
                covered_rate=interval.reason.covered_rate,
                probability=interval.reason.probability,
                meets_target=interval.reason.meets_target,
                vms_for_mean=interval.reason.vms_for_mean,
                vms_for_model=interval.reason.vms_for_model,
                vms_for_forecast=interval.reason.vms_for_forecast,
            )
            for interval in found.intervals
        ],
        mst_model=describe_mst(found.mst_model, max_vms),
        workload_model=describe_workload(found.policy, found.workload_model),
        diagnostics=[DiagnosticAnswer(code=one.code, detail=one.detail) for one in found.diagnostics],
    )


def describe_mst(model: MstModel, max_vms: int) -> MstModelAnswer:
    """The fit and where it is trusted."""
    return MstModelAnswer(
        form=model.form.name,
        weights=list(model.weights),
        sigma=model.sigma,
        samples=len(model.residuals),
        fewest_vms=model.fewest_vms,
        most_vms=model.most_vms,
        peak_vms=len(model.trusted_curve(max_vms)),
    )


def describe_workload(policy: str, model: ArmaModel | None) -> WorkloadModelAnswer:
    """What forecast the workload."""
    if model is None:
        return WorkloadModelAnswer(kind="outlook" if policy == HEADGATE else "last-rate")
    return WorkloadModelAnswer(
        kind="arma",
        ar=list(model.ar),
        ma=list(model.ma),
        mean=model.mean if model.order.with_mean else None,
        innovation_variance=model.innovation_variance,
        aic=model.aic,
    )
