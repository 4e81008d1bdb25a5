"""Forecasts workloads, and judges such forecasts, for a workload in a body or for the snapshots of a topology."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from sqlalchemy.orm import Session

from app.database.tables import PolicyRow
from app.forecasts.workload.answers import to_accuracy_answer, to_answer
from app.forecasts.workload.schemas import (
    ForecastAccuracyAnswer,
    WorkloadForecastAnswer,
    WorkloadForecastRequest,
)
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.series import MOST_POINTS, to_workload
from app.load.measurements.freshness import describe_end
from app.load.measurements.series import find_window, read_rates_since, read_workload, refuse_endless
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.web.observability import time_planner
from app.web.problems.error_pointers import blaming_what_is_stored
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import NoSnapshot
from planner.workloads.accuracy import RollingTerms, judge_forecasts
from planner.workloads.line_forecasts import HISTORY
from planner.workloads.season_bands import MOST_STEPS_KNOWN, forecast_by_seasons
from planner.workloads.series import Workload, count_day_steps
from planner.workloads.weighed_forecast import forecast_by_both
from planner.workloads.workload_forecast import ARMA_WINDOW, forecast_by_lines, forecast_workload


@dataclass(frozen=True)
class GatheredWorkload:
    """A workload, diagnostics about its age, and the rates that came after it (None: not measured)."""

    workload: Workload
    diagnostics: Sequence[DiagnosticAnswer] = ()
    came: Sequence[float | None] = ()


@dataclass(frozen=True)
class GatheredHistory:
    """A workload on which forecasts are judged, and the quantile of the topology's policy (None: no policy)."""

    workload: Workload
    quantile: float | None


def gather_described(body: WorkloadForecastRequest) -> GatheredWorkload:
    """Returns the workload that the body holds."""
    workload = to_workload(body.workload, body.step_seconds)
    refuse_endless(workload, body.steps, "#/steps")
    return GatheredWorkload(workload)


def gather_stored(
    session: Session, name: str, terms: "WorkloadForecastTerms", as_of: datetime | None
) -> GatheredWorkload:
    """Returns the newest external rates of a topology; with `as_of`, also the rates that came afterwards."""
    topology = find_topology(session, name)
    most, needed = MOST_POINTS, terms.arma_steps
    if needed is not None or terms.model == "lines":
        most = count_of_a_day(session, topology, as_of, max(needed or 0, terms.history_steps))
    workload = read_known(session, topology, as_of, most, needed)
    refuse_endless(workload, terms.steps, "#/steps")
    came = [] if as_of is None else read_rates_since(session, topology, workload, as_of, terms.steps)
    age = describe_end(session, topology, workload.end_seconds, as_of)
    return GatheredWorkload(workload, age, came)


def gather_history(session: Session, name: str, as_of: datetime | None) -> GatheredHistory:
    """Returns the external rates of a topology on which forecasts are judged, up to the time `as_of`."""
    topology = find_topology(session, name)
    most = count_of_a_day(session, topology, as_of, MOST_STEPS_KNOWN)
    workload = read_known(session, topology, as_of, most)
    policy = session.get(PolicyRow, topology.id)
    return GatheredHistory(workload, None if policy is None else policy.policy.get("qos_target"))


def count_of_a_day(
    session: Session, topology: StoredTopology, as_of: datetime | None, needed: int = 0
) -> int:
    """The number of the newest rates that forecasts learn from and are judged on, whatever is stored: those of a day,
    and for the first moment of that day HISTORY or `needed` rates before it.
    """
    window_seconds = find_window(session, topology, as_of)
    day = 0 if window_seconds is None else count_day_steps(window_seconds)
    return min(day + max(needed, HISTORY) + 1, MOST_POINTS)


def read_known(
    session: Session, topology: StoredTopology, as_of: datetime | None, most: int, needed: int | None = None
) -> Workload:
    """Returns the newest `most` external rates that were known at the time `as_of`; raises if none was known then."""
    try:
        return read_workload(session, topology, ended_by=as_of, most=most, needed=needed)
    except NoSnapshot:
        if as_of is None:
            raise
        detail = (
            "No snapshot had ended by then: give a later time, or leave the time out to forecast from now."
        )
        raise InvalidRequest((("#/as_of", detail),)) from None


USUAL_QUANTILE = 0.95
FORECASTS = {"auto": forecast_by_both, "lines": forecast_by_lines, "seasons": forecast_by_seasons}
judge_once = lru_cache(32)(judge_forecasts)
"""Answers are kept: pages ask often before a new rate comes."""


@dataclass(frozen=True)
class WorkloadForecastTerms:
    """The terms of a forecast: steps to forecast, probability of the bounds, steps to fit (None: as many as the model
    takes), known steps to show.
    """

    steps: int
    level: float
    window_steps: int | None
    history_steps: int
    model: str = "auto"

    @property
    def arma_steps(self) -> int | None:
        """The steps to fit an ARMA model to; None where another model is asked for."""
        if self.model == "arma" or (self.model == "auto" and self.window_steps is not None):
            return self.window_steps or ARMA_WINDOW
        return None


@dataclass(frozen=True)
class AccuracyTerms:
    """The terms by which forecasts are judged: steps ahead, how many past moments, the level of bands, and the
    quantile.

    The quantile is that of the highest rates; None: the quantile of the policy.
    """

    leads: tuple[int, ...]
    origins: int
    level: float
    quantile: float | None


def forecast_described(body: WorkloadForecastRequest) -> WorkloadForecastAnswer:
    """Returns the forecast of the workload that the body holds."""
    terms = WorkloadForecastTerms(body.steps, body.level, body.window_steps, body.history_steps, body.model)
    return _forecast(gather_described(body), terms)


def forecast_stored(
    session: Session, name: str, terms: WorkloadForecastTerms, as_of: datetime | None
) -> WorkloadForecastAnswer:
    """Returns the forecast of a stored topology's external rate, made from what was known at the time `as_of`."""
    gathered = gather_stored(session, name, terms, as_of)
    with blaming_what_is_stored(name):
        answer = _forecast(gathered, terms)
    return answer.model_copy(update={"as_of": as_of})


def _forecast(gathered: GatheredWorkload, terms: WorkloadForecastTerms) -> WorkloadForecastAnswer:
    with time_planner("forecast_workload"):
        if terms.arma_steps is not None:
            found = forecast_workload(gathered.workload, terms.steps, terms.level, terms.arma_steps)
        else:
            found = FORECASTS[terms.model](gathered.workload, terms.steps, terms.level)
    answer = to_answer(gathered.workload, found, terms.level, terms.history_steps, gathered.came)
    return answer.model_copy(update={"diagnostics": [*gathered.diagnostics, *answer.diagnostics]})


def judge_stored(
    session: Session, name: str, terms: AccuracyTerms, as_of: datetime | None
) -> ForecastAccuracyAnswer:
    """Returns how accurate forecasts of a stored topology's external rate were."""
    gathered = gather_history(session, name, as_of)
    quantile = terms.quantile or gathered.quantile or USUAL_QUANTILE
    asked = RollingTerms(terms.leads, terms.origins, terms.level, quantile)
    with time_planner("judge_forecasts"), blaming_what_is_stored(name):
        found = judge_once(gathered.workload, asked)
    return to_accuracy_answer(gathered.workload, asked, found, as_of)
