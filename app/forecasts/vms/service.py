"""Forecasts of VMs: for the workload in a body, or for a stored topology."""

from dataclasses import replace
from math import ceil

from sqlalchemy.orm import Session

from app.forecasts.vms.answers import to_answer
from app.forecasts.vms.gathering import GatheredSeries, gather_described, gather_stored
from app.forecasts.vms.schemas import StoredVmForecastRequest, VmForecastAnswer, VmForecastRequest
from app.serving.observability import time_planner
from app.web.error_pointers import STORED, blaming_what_is_stored
from planner.values import Diagnostic
from planner.vms.timing import Timing
from planner.vms.vm_schedule import VmQuestion, forecast_vms

IN_SECONDS: dict[str, str | None] = {"startup_steps": "/startup_seconds"}
"""A stored call gives times in seconds where the planner takes steps."""


def forecast_described(body: VmForecastRequest) -> VmForecastAnswer:
    """The VMs of the coming intervals, for the workload and the samples in the body."""
    gathered = gather_described(body)
    timing = Timing(body.interval_steps, body.startup_steps, gathered.workload.step_seconds)
    return _forecast(gathered, body, timing)


def forecast_stored(session: Session, name: str, body: StoredVmForecastRequest) -> VmForecastAnswer:
    """The VMs of a stored topology's coming intervals."""
    gathered = gather_stored(session, name, body)
    timing, said = find_timing(body, gathered.workload.step_seconds)
    workload = replace(gathered.workload, diagnostics=(*gathered.workload.diagnostics, *said))
    with blaming_what_is_stored(name, STORED | IN_SECONDS):
        return _forecast(replace(gathered, workload=workload), body, timing)


def _forecast(
    gathered: GatheredSeries, body: VmForecastRequest | StoredVmForecastRequest, timing: Timing
) -> VmForecastAnswer:
    question = VmQuestion(
        gathered.workload,
        gathered.samples,
        body.policy,
        body.qos_target,
        timing,
        body.horizon,
        body.max_vms,
        gathered.bounds,
    )
    with time_planner("forecast_vms"):
        found = forecast_vms(question)
        peak_vms = len(found.mst_model.trusted_curve(body.max_vms))
    answer = to_answer(found, peak_vms)
    return answer.model_copy(update={"diagnostics": [*gathered.diagnostics, *answer.diagnostics]})


def find_timing(body: StoredVmForecastRequest, step: float) -> tuple[Timing, tuple[Diagnostic, ...]]:
    """The body's seconds as whole steps; an interval that is longer than a start also has more steps."""
    startup_steps = ceil(body.startup_seconds / step)
    interval_steps = max(ceil(body.interval_seconds / step), 1)
    if interval_steps > startup_steps or body.interval_seconds <= body.startup_seconds:
        return Timing(interval_steps, startup_steps, step), ()
    longer = startup_steps + 1
    detail = (
        f"Snapshots come every {step:g} s, so that an interval of {body.interval_seconds:g} s and a start of "
        f"{body.startup_seconds:g} s take equally many steps: each decision is for {longer} steps, {longer * step:g} s."
    )
    return Timing(longer, startup_steps, step), (Diagnostic("interval-lengthened", detail),)
