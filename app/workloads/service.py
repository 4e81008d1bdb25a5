"""Forecasts of workloads: of a posted one, or of a stored topology's snapshots."""

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from app.described.answers import DiagnosticAnswer
from app.forecasts.schemas import MOST_POINTS
from app.forecasts.service import describe_workload
from app.measured.freshness import describe_end
from app.measured.series import read_workload
from app.serving.observability import time_planner
from app.storage.stored_topologies import find_topology
from app.workloads.schemas import (
    ExpectedRate,
    MeasuredRate,
    WorkloadForecastAnswer,
    WorkloadForecastRequest,
)
from planner.workloads.intervals import forecast_workload
from planner.workloads.series import Measurement, Workload, regularise_workload


@dataclass(frozen=True)
class AskedHorizon:
    """How far to look, on what ground, and how much of the past to show."""

    steps: int
    level: float
    window_steps: int
    history_steps: int


def forecast_described(body: WorkloadForecastRequest) -> WorkloadForecastAnswer:
    """Of the workload in the body."""
    measured = [Measurement(point.at.timestamp(), point.rate) for point in body.workload]
    horizon = AskedHorizon(body.steps, body.level, body.window_steps, body.history_steps)
    return to_answer(regularise_workload(measured, body.step_seconds), horizon)


def forecast_stored(session: Session, name: str, horizon: AskedHorizon) -> WorkloadForecastAnswer:
    """Of a topology's snapshots."""
    topology = find_topology(session, name)
    workload = read_workload(session, topology, most=MOST_POINTS, needed=horizon.window_steps)
    answer = to_answer(workload, horizon)
    past = describe_end(session, topology, workload.end_seconds)
    return answer.model_copy(update={"diagnostics": past + answer.diagnostics})


def to_answer(workload: Workload, horizon: AskedHorizon) -> WorkloadForecastAnswer:
    """From the planner's values to JSON's."""
    with time_planner("forecast_workload"):
        found = forecast_workload(workload, horizon.steps, horizon.level, horizon.window_steps)

    def at(step: int) -> datetime:
        return datetime.fromtimestamp(workload.start_seconds + step * workload.step_seconds, UTC)

    count = len(workload.rates)
    first = max(count - horizon.history_steps, 0)
    filled = set(workload.filled_steps)
    return WorkloadForecastAnswer(
        step_seconds=workload.step_seconds,
        level=horizon.level,
        model=describe_workload("", found.model) if found.model else None,
        measured=[
            MeasuredRate(at=at(step), rate=workload.rates[step], filled=step in filled)
            for step in range(first, count)
        ],
        expected=[
            ExpectedRate(at=at(count + ahead), rate=float(rate), lower=float(lower), upper=float(upper))
            for ahead, (rate, lower, upper) in enumerate(
                zip(found.expected, found.lower, found.upper, strict=True)
            )
        ],
        diagnostics=[
            DiagnosticAnswer(code=one.code, detail=one.detail)
            for one in (*workload.diagnostics, *found.diagnostics)
        ],
    )


def draw_answer(answer: WorkloadForecastAnswer, name: str, form: str) -> bytes:
    """As a picture."""
    from app.drawing import pictures  # noqa: PLC0415  (matplotlib is loaded when the first picture is asked for)

    model = answer.model
    by = f"ARMA({len(model.ar)}, {len(model.ma)})" if model else "the last day's 95% quantile"
    return pictures.draw_forecast(
        pictures.ForecastPicture(
            f"{name}: the next {len(answer.expected)} steps by {by}",
            answer.measured[0].at,
            answer.step_seconds,
            [one.rate for one in answer.measured],
            [one.filled for one in answer.measured],
            [one.rate for one in answer.expected],
            [one.lower for one in answer.expected],
            [one.upper for one in answer.expected],
            f"{100.0 * answer.level:.4g}% interval",
        ),
        form,
    )
