"""Forecasts of workloads: of one in a body, or of a stored topology's snapshots."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from app.forecasts.workload.answers import to_accuracy_answer, to_answer
from app.forecasts.workload.gathering import GatheredWorkload, gather_described, gather_history, gather_stored
from app.forecasts.workload.schemas import (
    ForecastAccuracyAnswer,
    WorkloadForecastAnswer,
    WorkloadForecastRequest,
)
from app.serving.observability import time_planner
from app.web.error_pointers import blaming_what_is_stored
from planner.workloads.accuracy import RollingTerms, judge_forecasts
from planner.workloads.workload_forecast import forecast_by_lines, forecast_workload

USUAL_QUANTILE = 0.95


@dataclass(frozen=True)
class WorkloadForecastTerms:
    """How many steps to forecast, with which intervals, from which window, and how much of the past to answer."""

    steps: int
    level: float
    window_steps: int
    history_steps: int
    by_lines: bool = False


@dataclass(frozen=True)
class AccuracyTerms:
    """Which leads to judge, from how many moments, with which band and quantile; None: as the policy says."""

    leads: tuple[int, ...]
    origins: int
    level: float
    quantile: float | None


def forecast_described(body: WorkloadForecastRequest) -> WorkloadForecastAnswer:
    """The forecast of the workload in the body."""
    terms = WorkloadForecastTerms(body.steps, body.level, body.window_steps, body.history_steps)
    return _forecast(gather_described(body), terms)


def forecast_stored(
    session: Session, name: str, terms: WorkloadForecastTerms, as_of: datetime | None
) -> WorkloadForecastAnswer:
    """The forecast of a stored topology's external rate, as of a time."""
    needed = None if terms.by_lines else terms.window_steps
    gathered = gather_stored(session, name, needed, terms.steps, as_of)
    with blaming_what_is_stored(name):
        answer = _forecast(gathered, terms)
    return answer.model_copy(update={"as_of": as_of})


def _forecast(gathered: GatheredWorkload, terms: WorkloadForecastTerms) -> WorkloadForecastAnswer:
    with time_planner("forecast_workload"):
        if terms.by_lines:
            found = forecast_by_lines(gathered.workload, terms.steps, terms.level)
        else:
            found = forecast_workload(gathered.workload, terms.steps, terms.level, terms.window_steps)
    answer = to_answer(gathered.workload, found, terms.level, terms.history_steps, gathered.came)
    return answer.model_copy(update={"diagnostics": [*gathered.diagnostics, *answer.diagnostics]})


def judge_stored(
    session: Session, name: str, terms: AccuracyTerms, as_of: datetime | None
) -> ForecastAccuracyAnswer:
    """How true the forecasts of a stored topology's external rate were."""
    gathered = gather_history(session, name, as_of)
    quantile = terms.quantile or gathered.quantile or USUAL_QUANTILE
    asked = RollingTerms(terms.leads, terms.origins, terms.level, quantile)
    with time_planner("judge_forecasts"), blaming_what_is_stored(name):
        found = judge_forecasts(gathered.workload, asked)
    return to_accuracy_answer(gathered.workload, asked, found, as_of)
