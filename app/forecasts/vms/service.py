"""Forecasts how many VMs are needed: for the workload in a body, or for a stored topology."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil

from sqlalchemy.orm import Session

from app.forecasts.vms.schemas import (
    KeptAnswer,
    StoredVmForecastRequest,
    VmForecastAnswer,
    VmForecastRequest,
    VmIntervalAnswer,
)
from app.forecasts.workload.answers import to_model_answer
from app.forecasts.workload.schemas import WorkloadModelAnswer
from app.load.bodies.answers import DiagnosticAnswer, to_purchase_answer
from app.load.bodies.series import (
    MOST_POINTS,
    MOST_STEPS,
    take_bounds,
    take_saturated,
    to_prices,
    to_workload,
)
from app.load.measurements.freshness import describe_end
from app.load.measurements.series import find_newest_samples, read_workload, refuse_endless
from app.load.measurements.stored_topologies import find_topology
from app.load.throughput_samples.service import to_fit_answer
from app.web.fields import find_time
from app.web.observability import time_planner
from app.web.problems.error_pointers import blaming_what_is_stored
from planner.placements.vm_acquisition import VmSize, acquire_cheapest
from planner.values import Diagnostic
from planner.vms.sigma_policies import HEADGATE
from planner.vms.throughput import MstSample
from planner.vms.timing import RecordedStep, Timing
from planner.vms.vm_schedule import VmForecast, VmInterval, VmQuestion, forecast_vms
from planner.wording import write_seconds
from planner.workloads.arma.models import ArmaModel
from planner.workloads.series import InvalidSchedule, Workload


@dataclass(frozen=True)
class GatheredSeries:
    """The inputs of a VM forecast: a workload, measured maximum throughputs, and throughputs that only bound the
    maximum.

    The diagnostics tell how old these data are.
    """

    workload: Workload
    samples: tuple[MstSample, ...]
    bounds: tuple[MstSample, ...]
    diagnostics: Sequence[DiagnosticAnswer] = ()


def gather_described(body: VmForecastRequest) -> GatheredSeries:
    """Returns the workload and the throughput samples in the body."""
    workload = to_workload(body.workload, body.step_seconds)
    return GatheredSeries(workload, take_saturated(body.mst_samples), take_bounds(body.mst_samples))


def gather_stored(session: Session, name: str, body: StoredVmForecastRequest) -> GatheredSeries:
    """Returns the measured external rates and the throughput samples of a stored topology."""
    topology = find_topology(session, name)
    workload = read_workload(session, topology, step_seconds=body.step_seconds, most=MOST_POINTS)
    rows = find_newest_samples(session, topology.id)
    age = describe_end(session, topology, workload.end_seconds)
    return GatheredSeries(workload, take_saturated(rows), take_bounds(rows), age)


def to_answer(found: VmForecast, peak_vms: int, sizes: Sequence[VmSize] = ()) -> VmForecastAnswer:
    """Returns the VMs of each interval as an answer, with the models of throughput and workload."""
    promise = {} if found.promise is None else asdict(found.promise)
    promise.pop("steps", None)
    of_rows = {name: promise[name] for name in KeptAnswer.model_fields if name in promise}
    return VmForecastAnswer(
        **promise,
        policy=found.policy,
        qos_target=found.qos_target,
        expected=found.expected,
        kept=found.kept,
        verdict=found.verdict,
        intervals=[
            to_interval_answer(interval, found.qos_target, sizes).model_copy(update=of_rows)
            for interval in found.intervals
        ],
        mst_model=to_fit_answer(found.mst_model, peak_vms),
        workload_model=describe_workload(found.policy, found.workload_model),
        diagnostics=[DiagnosticAnswer.model_validate(one) for one in found.diagnostics],
    )


def to_interval_answer(
    interval: VmInterval, qos_target: float, sizes: Sequence[VmSize] = ()
) -> VmIntervalAnswer:
    """Returns the VMs of an interval as an answer, with the parts of their number and whether they reach the target."""
    mix = to_purchase_answer(acquire_cheapest(sizes, interval.reason.vms)) if sizes else None
    return VmIntervalAnswer(
        mix=mix,
        begins=find_time(interval.from_seconds),
        ends=find_time(interval.to_seconds),
        expected_rate=interval.expected_rate,
        qos_target=qos_target,
        expected=interval.reason.probability,
        kept=interval.reason.probability >= qos_target,
        **asdict(interval.reason),
    )


def describe_workload(policy: str, model: ArmaModel | None) -> WorkloadModelAnswer:
    """Describes the ARMA model of the workload, or the forecast that the policy uses instead."""
    if model is None:
        return WorkloadModelAnswer(kind="outlook" if policy == HEADGATE else "last-rate")
    return to_model_answer(model)


def forecast_described(body: VmForecastRequest) -> VmForecastAnswer:
    """Returns how many VMs the coming intervals need, for the workload and the samples in the body."""
    gathered = gather_described(body)
    step = gathered.workload.step_seconds
    timing = Timing(
        body.interval_steps,
        body.startup_steps,
        step,
        body.billing_seconds,
        to_prices(body.vm_sizes, body.max_vms),
    )
    return _forecast(gathered, body, timing)


def forecast_stored(session: Session, name: str, body: StoredVmForecastRequest) -> VmForecastAnswer:
    """Returns how many VMs the coming intervals of a stored topology need."""
    gathered = gather_stored(session, name, body)
    timing, said = find_timing(body, gathered.workload.step_seconds)
    workload = replace(gathered.workload, diagnostics=(*gathered.workload.diagnostics, *said))
    with blaming_what_is_stored(name):
        return _forecast(replace(gathered, workload=workload), body, timing)


def _forecast(
    gathered: GatheredSeries, body: VmForecastRequest | StoredVmForecastRequest, timing: Timing
) -> VmForecastAnswer:
    last_step = timing.startup_steps + body.horizon * timing.interval_steps
    refuse_endless(gathered.workload, last_step, "#/horizon")
    question = VmQuestion(
        gathered.workload,
        gathered.samples,
        body.policy,
        body.qos_target,
        timing,
        body.horizon,
        body.max_vms,
        gathered.bounds,
        record=tuple(RecordedStep(one.vms, one.saturated, one.served_rate) for one in body.record),
    )
    with time_planner("forecast_vms"):
        found = forecast_vms(question)
        peak_vms = len(found.mst_model.trusted_curve(body.max_vms))
    answer = to_answer(found, peak_vms, [size.to_values() for size in body.vm_sizes])
    return answer.model_copy(update={"diagnostics": [*gathered.diagnostics, *answer.diagnostics]})


def find_timing(body: StoredVmForecastRequest, step: float) -> tuple[Timing, tuple[Diagnostic, ...]]:
    """Returns an interval and a VM start in whole steps, both rounded up, and a diagnostic if a step is longer than the
    interval.
    """
    times = {"interval": body.interval_seconds, "startup": body.startup_seconds}
    steps = {name: ceil(seconds / step) for name, seconds in times.items()}
    for name, count in steps.items():
        if count > MOST_STEPS:
            raise InvalidSchedule(
                f"{write_seconds(times[name])} have more than {MOST_STEPS:,} steps of {write_seconds(step)}: send a "
                f"shorter {name}, or a longer step.",
                f"/{name}_seconds",
            )
    timing = Timing(
        max(steps["interval"], 1),
        steps["startup"],
        step,
        body.billing_seconds,
        to_prices(body.vm_sizes, body.max_vms),
    )
    if step <= body.interval_seconds:
        return timing, ()
    detail = f"Snapshots come every {write_seconds(step)}, so each decision is for that long"
    said = Diagnostic("interval-lengthened", f"{detail} instead of {write_seconds(body.interval_seconds)}.")
    return timing, (said,)
