"""Reads simulations that were queued."""

from typing import Any
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.database.tables import SimulationRow
from app.jobs.answers import State
from app.jobs.simulations.answers import to_job_answer, to_summary
from app.jobs.simulations.schemas import SimulationJobAnswer, SimulationPage
from app.web.paging import Page
from app.web.stored_data_errors import UnknownSimulation


def find_simulation(session: Session, simulation_id: UUID) -> SimulationJobAnswer:
    """A queued simulation, with its answer where it has succeeded."""
    query = _without_input().add_columns(SimulationRow.answer).where(SimulationRow.id == simulation_id)
    row = session.execute(query).one_or_none()
    if row is None:
        raise UnknownSimulation(simulation_id)
    return to_job_answer(row)


def list_simulations(session: Session, page: Page, state: State | None) -> SimulationPage:
    """A page of queued simulations, newest first."""
    query = _without_input()
    if state is not None:
        query = query.where(SimulationRow.state == state)
    rows, following = page.read_rows(
        session.execute, query, SimulationRow.created_at, SimulationRow.id, newest_first=True
    )
    return SimulationPage(items=[to_summary(row) for row in rows], next=following)


def _without_input() -> Select[Any]:
    """Topology and load may be large: only the parameters are read of the request."""
    return select(
        SimulationRow.id,
        SimulationRow.state,
        SimulationRow.progress,
        SimulationRow.error,
        SimulationRow.created_at,
        SimulationRow.started_at,
        SimulationRow.finished_at,
        SimulationRow.request["parameters"].label("parameters"),
    )
