"""VM schedules and throughput models of what is stored."""

from dataclasses import replace
from math import ceil

import numpy as np
from sqlalchemy.orm import Session

from app.forecasts.schemas import (
    MOST_POINTS,
    CurvePoint,
    MstModelPage,
    Residual,
    StoredVmForecastRequest,
    VmForecastAnswer,
)
from app.forecasts.service import describe_mst, to_answer
from app.http.error_pointers import STORED, blaming_what_is_stored
from app.measured.freshness import describe_end
from app.measured.series import read_workload
from app.serving.observability import time_planner
from app.storage.stored_topologies import find_topology
from app.throughput_samples.service import find_newest_samples
from planner.values import Diagnostic
from planner.vms.throughput import MstSample, fit_mst
from planner.vms.timing import Timing
from planner.vms.vm_schedule import VmQuestion, forecast_vms

IN_SECONDS: dict[str, str | None] = {"startup_steps": "/startup_seconds"}
"""A stored call gives times in seconds where the planner takes steps."""


def forecast_stored(session: Session, name: str, body: StoredVmForecastRequest) -> VmForecastAnswer:
    """The VMs of a stored topology's coming intervals."""
    topology = find_topology(session, name)
    workload = read_workload(session, topology, step_seconds=body.step_seconds, most=MOST_POINTS)
    samples = [
        (row.saturated, MstSample(row.vms, row.throughput))
        for row in find_newest_samples(session, topology.id)
    ]
    with time_planner("forecast_vms"), blaming_what_is_stored(name, STORED | IN_SECONDS):
        timing, said = find_timing(body, workload.step_seconds)
        question = VmQuestion(
            replace(workload, diagnostics=(*workload.diagnostics, *said)),
            tuple(sample for saturated, sample in samples if saturated),
            body.policy,
            body.qos_target,
            timing,
            body.horizon,
            body.max_vms,
            tuple(sample for saturated, sample in samples if not saturated),
        )
        answer = to_answer(forecast_vms(question), body.max_vms)
    past = describe_end(session, topology, workload.end_seconds)
    return answer.model_copy(update={"diagnostics": past + answer.diagnostics})


def find_timing(body: StoredVmForecastRequest, step: float) -> tuple[Timing, tuple[Diagnostic, ...]]:
    """The body's seconds in whole steps; an interval longer than a start stays longer, whatever the step."""
    startup_steps = ceil(body.startup_seconds / step)
    interval_steps = max(ceil(body.interval_seconds / step), 1)
    if interval_steps > startup_steps or body.interval_seconds <= body.startup_seconds:
        return Timing(interval_steps, startup_steps, step), ()
    longer = startup_steps + 1
    detail = (
        f"Snapshots come every {step:g} s, so that an interval of {body.interval_seconds:g} s and a start of "
        f"{body.startup_seconds:g} s are as many steps: decided is for {longer} steps, {longer * step:g} s, at a time."
    )
    return Timing(longer, startup_steps, step), (Diagnostic("interval-lengthened", detail),)


def show_model(session: Session, name: str, max_vms: int) -> MstModelPage:
    """The fit of a stored topology's throughput, and how far each sample lies from it."""
    topology = find_topology(session, name)
    rows = [row for row in find_newest_samples(session, topology.id) if row.saturated]
    samples = [MstSample(row.vms, row.throughput) for row in rows]
    with blaming_what_is_stored(name):
        model = fit_mst(samples)
    curve = model.trusted_curve(max_vms)
    fitted = model.throughput_at(np.array([float(sample.vms) for sample in samples]))
    return MstModelPage(
        model=describe_mst(model, max_vms),
        residuals=[
            Residual(
                vms=one.vms, throughput=one.throughput, fitted=float(at), residual=one.throughput - float(at)
            )
            for one, at in zip(samples, fitted, strict=True)
        ],
        curve=[
            CurvePoint(vms=m, throughput=float(at), measured_between=model.fewest_vms <= m <= model.most_vms)
            for m, at in enumerate(curve, 1)
        ],
    )
