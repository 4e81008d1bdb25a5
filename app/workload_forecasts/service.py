"""Forecasts of workloads: of one in a body, or of a stored topology's snapshots."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.serving.observability import time_planner
from app.workload_forecasts.answers import to_answer
from app.workload_forecasts.gathering import GatheredWorkload, gather_described, gather_stored
from app.workload_forecasts.schemas import WorkloadForecastAnswer, WorkloadForecastRequest
from planner.workloads.intervals import forecast_workload


@dataclass(frozen=True)
class WorkloadForecastTerms:
    """How many steps to forecast, with which intervals, from which window, and how much of the past to answer."""

    steps: int
    level: float
    window_steps: int
    history_steps: int


def forecast_described(body: WorkloadForecastRequest) -> WorkloadForecastAnswer:
    """The forecast of the workload in the body."""
    terms = WorkloadForecastTerms(body.steps, body.level, body.window_steps, body.history_steps)
    return _forecast(gather_described(body), terms)


def forecast_stored(session: Session, name: str, terms: WorkloadForecastTerms) -> WorkloadForecastAnswer:
    """The forecast of a stored topology's external rate."""
    return _forecast(gather_stored(session, name, terms.window_steps), terms)


def _forecast(gathered: GatheredWorkload, terms: WorkloadForecastTerms) -> WorkloadForecastAnswer:
    with time_planner("forecast_workload"):
        found = forecast_workload(gathered.workload, terms.steps, terms.level, terms.window_steps)
    answer = to_answer(gathered.workload, found, terms.level, terms.history_steps)
    return answer.model_copy(update={"diagnostics": [*gathered.diagnostics, *answer.diagnostics]})
