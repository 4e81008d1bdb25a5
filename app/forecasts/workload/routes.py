"""/v1/forecasts/workload forecasts the coming rates of a workload."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.database.connections.transactions import SessionDep
from app.forecasts.workload import service
from app.forecasts.workload.answers import draw_answer
from app.forecasts.workload.schemas import (
    USUAL_LEADS,
    AsOf,
    ForecastAccuracyAnswer,
    HistorySteps,
    Leads,
    Level,
    ModelName,
    Origins,
    Quantile,
    StepsAhead,
    WindowSteps,
    WorkloadForecastAnswer,
    WorkloadForecastRequest,
)
from app.web.callers.security import may_read
from app.web.fields import TopologyName
from app.web.negotiation import JSON, PNG, SVG, Accept, answer_in_form, choose_form
from app.web.overload.admission import computes
from app.web.problems.documented_problems import BODY, STORED_CALL
from app.web.routing import StrictJsonRoute, declare

router = APIRouter(prefix="/v1", tags=["forecasts"], route_class=StrictJsonRoute)

FORMS = (JSON, PNG, SVG)


@router.post(
    "/forecasts/workload",
    response_model=WorkloadForecastAnswer,
    **declare(
        may_read,
        "Forecast a workload",
        "invalid-workload",
        "workload-too-short",
        "workload-too-sparse",
        "constant-workload",
        *BODY,
        pictures=True,
    ),
)
@computes
def forecast_workload(body: WorkloadForecastRequest, accept: Accept = None) -> Response:
    """Forecasts by lines and seasons, or as `model` says; JSON, PNG or SVG, by `Accept`."""
    form = choose_form(accept, FORMS)
    return answer_in_form(service.forecast_described(body), form, partial(draw_answer, name="workload"))


@router.get(
    "/topologies/{name}/forecasts/workload",
    response_model=WorkloadForecastAnswer,
    **declare(may_read, "Forecast a topology's workload", *STORED_CALL, pictures=True),
)
@computes
def forecast_stored_workload(
    name: TopologyName,
    session: SessionDep,
    steps: Annotated[StepsAhead, Query()] = 30,
    level: Annotated[Level, Query()] = 0.95,
    window_steps: Annotated[WindowSteps, Query()] = None,
    history_steps: Annotated[HistorySteps, Query()] = 200,
    as_of: Annotated[AsOf, Query()] = None,
    model: Annotated[ModelName, Query()] = "auto",
    accept: Accept = None,
) -> Response:
    """Forecasts the external rate of a topology, from now or from a past time beside the rates measured since.

    JSON, PNG or SVG, by `Accept`.
    """
    form = choose_form(accept, FORMS)
    terms = service.WorkloadForecastTerms(steps, level, window_steps, history_steps, model)
    answer = service.forecast_stored(session, name, terms, as_of)
    return answer_in_form(answer, form, partial(draw_answer, name=name))


@router.get(
    "/topologies/{name}/forecasts/accuracy",
    **declare(may_read, "Read how accurate a topology's forecasts were", *STORED_CALL),
)
@computes
def judge_stored_forecasts(
    name: TopologyName,
    session: SessionDep,
    leads: Annotated[Leads, Query()] = None,
    origins: Annotated[Origins, Query()] = 24,
    level: Annotated[Level, Query()] = 0.95,
    quantile: Annotated[Quantile, Query()] = None,
    as_of: Annotated[AsOf, Query()] = None,
) -> ForecastAccuracyAnswer:
    """Repeats forecasts (`auto`) for past moments with the data known then, and compares them with what came."""
    terms = service.AccuracyTerms(tuple(dict.fromkeys(leads or USUAL_LEADS)), origins, level, quantile)
    return service.judge_stored(session, name, terms, as_of)
