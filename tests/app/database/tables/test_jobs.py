"""Every table of jobs has the same columns, and knows the same states."""

from typing import get_args

import pytest

from app.database.tables import BacktestRow, JobColumns, SimulationRow
from app.database.tables.jobs import STATES
from app.jobs.states import State

SHARED = {
    "id",
    "state",
    "request",
    "progress",
    "attempts",
    "error",
    "created_at",
    "started_at",
    "finished_at",
}


@pytest.mark.parametrize("row", [BacktestRow, SimulationRow])
def test_a_table_of_jobs_has_the_shared_columns(row: type[JobColumns]):
    assert set(row.metadata.tables[row.__tablename__].columns.keys()) >= SHARED  # type: ignore[attr-defined]


def test_the_states_are_those_of_the_answers():
    assert f"state IN {get_args(State)}" == STATES
