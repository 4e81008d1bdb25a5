"""/v1/backtests starts and reads jobs that replay a workload under each policy."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response

from app.database.connections.transactions import SessionDep
from app.jobs.backtests import gathering, service
from app.jobs.backtests.answers import draw_trace
from app.jobs.backtests.schemas import (
    MOST_SEEDS,
    BacktestAnswer,
    BacktestPage,
    BacktestRequest,
    RunTraceAnswer,
)
from app.jobs.states import StateFilter
from app.load.bodies.series import SERIES_PROBLEMS
from app.web.callers.security import may_read, may_store
from app.web.negotiation import JSON, PNG, SVG, Accept, answer_in_form, choose_form
from app.web.overload.admission import computes
from app.web.paging import PageDep
from app.web.problems.documented_problems import BODY, STORED_CALL
from app.web.routing import StrictJsonRoute, declare, tell_created

router = APIRouter(prefix="/v1/backtests", tags=["backtests"], route_class=StrictJsonRoute)

REFUSED = (
    *SERIES_PROBLEMS,
    "invalid-qos-target",
    "invalid-schedule",
    "unknown-vm-policy",
    *STORED_CALL,
    *BODY,
)
DELETED: dict[int | str, dict[str, Any]] = {204: {"description": "The backtest was finished and is deleted."}}


@router.post("", status_code=202, **declare(may_store, "Start a backtest", *REFUSED))
@computes
def start_backtest(body: BacktestRequest, session: SessionDep, response: Response) -> BacktestAnswer:
    """Queues a backtest, which a process computes, also after restarts of the service. GET its `Location`."""
    backtest = service.start_backtest(session, body)
    tell_created(response, "backtests", backtest.id)
    return backtest


@router.get("", **declare(may_read, "List backtests"))
def list_backtests(
    page: PageDep,
    session: SessionDep,
    state: StateFilter = None,
) -> BacktestPage:
    """Backtests, newest first, without their rows."""
    return gathering.list_backtests(session, page, state)


@router.get("/{backtest_id:uuid}", **declare(may_read, "Read a backtest", "unknown-backtest"))
def get_backtest(backtest_id: UUID, session: SessionDep) -> BacktestAnswer:
    """A backtest's state, its rows so far, and their means and deviations over the seeds."""
    return service.find_backtest(session, backtest_id)


@router.delete(
    "/{backtest_id:uuid}",
    response_model=BacktestAnswer,
    **declare(may_store, "Cancel or delete a backtest", "unknown-backtest", also=DELETED),
)
def cancel_or_delete_backtest(backtest_id: UUID, session: SessionDep) -> BacktestAnswer | Response:
    """Cancels a queued or running backtest (200, with its rows so far); deletes a finished one (204)."""
    return service.end_backtest(session, backtest_id) or Response(status_code=204)


@router.get(
    "/{backtest_id:uuid}/plot",
    response_model=RunTraceAnswer,
    **declare(
        may_read,
        "See one run of a backtest",
        "unknown-backtest",
        "unknown-run",
        "run-not-finished",
        pictures=True,
    ),
)
@computes
def get_backtest_trace(
    backtest_id: UUID,
    session: SessionDep,
    policy: Annotated[
        str | None, Query(max_length=100, description="Left out: `headgate`, or the first policy.")
    ] = None,
    seed: Annotated[int, Query(ge=0, le=MOST_SEEDS)] = 0,
    accept: Accept = None,
) -> Response:
    """A run's workload, capacity, VMs and backlog over time, as JSON, PNG or SVG, by `Accept`."""
    form = choose_form(accept, (PNG, SVG, JSON))
    trace = service.trace_run(session, backtest_id, policy, seed)
    return answer_in_form(trace, form, draw_trace)
