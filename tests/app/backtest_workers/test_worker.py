"""The worker: computes the runs that are missing, and stores how the backtest ended."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, text

from app.backtest_workers.claims import Claim, claim_backtest
from app.backtest_workers.worker import compute, list_runs
from tests.app.backtest_examples import SMALL, expect_rows

NUMBERS = ("qos_percent", "cost_to_truth", "cost_to_static", "max_backlog")


def claim(connection: Connection, backtest_id: UUID) -> Claim:
    claimed = claim_backtest(connection, backtest_id)
    assert claimed is not None
    return claimed


def read_state(connection: Connection) -> dict[str, Any]:
    with connection.begin():
        row = connection.execute(text("SELECT state, progress, error FROM backtests")).one()
    return dict(row._mapping)


def test_all_runs_are_stored_as_the_planner_computes_them(engine: Engine, backtest_id: UUID):
    with engine.connect() as connection:
        compute(claim(connection, backtest_id))
        assert read_state(connection) == {"state": "succeeded", "progress": 1.0, "error": None}
        with connection.begin():
            query = text("SELECT policy, seed, schedule, * FROM backtest_runs ORDER BY position")
            runs = connection.execute(query).mappings().all()
    expected = expect_rows(SMALL)
    assert [[run[name] for name in NUMBERS] for run in runs] == [
        [row[name] for name in NUMBERS] for row in expected
    ]
    assert [(run["policy"], run["seed"]) for run in runs] == [
        (row["policy"], row["seed"]) for row in expected
    ]
    for run in runs:
        assert sum(steps for steps, _ in run["schedule"]) == len(SMALL["workload"])


def test_stored_runs_are_not_computed_again(engine: Engine, backtest_id: UUID):
    with engine.connect() as first:
        mine = claim(first, backtest_id)
        run = {"position": 1, "policy": "0", "seed": 1, "schedule": [[105, 1]]} | dict.fromkeys(NUMBERS, 7.0)
        mine.store_run(run, 0.1)
    with engine.connect() as second:
        again = claim(second, backtest_id)
        assert [position for position, _, _ in list_runs(again)] == [0, 2, 3, 4, 5]
        compute(again)
        with second.begin():
            kept = second.scalar(text("SELECT max_backlog FROM backtest_runs WHERE position = 1"))
        assert kept == 7.0


@pytest.mark.parametrize(
    ("change", "kind"),
    [("{qos_target}', '2.0'", "invalid-qos-target"), ("{policies}', '[\"none\"]'", "unknown-vm-policy")],
)
def test_a_job_that_the_planner_refuses_fails_with_its_problem(
    engine: Engine, backtest_id: UUID, change: str, kind: str
):
    with engine.connect() as connection:
        with connection.begin():
            connection.execute(text(f"UPDATE backtests SET request = jsonb_set(request, '{change})"))
        compute(claim(connection, backtest_id))
        found = read_state(connection)
    assert (found["state"], found["error"]["type"]) == ("failed", kind)


def test_another_error_fails_and_names_the_log(
    engine: Engine, backtest_id: UUID, caplog: pytest.LogCaptureFixture
):
    with engine.connect() as connection:
        mine = claim(connection, backtest_id)
        broken = replace(mine, job=mine.job.model_copy(update={"scale_peak": "high"}))
        compute(broken)
        found = read_state(connection)
    assert (found["state"], found["error"]["type"]) == ("failed", "internal-error")
    assert str(backtest_id) in found["error"]["detail"]
    assert f"backtest {backtest_id} failed" in caplog.text


def test_a_cancelled_backtest_ends_without_an_error(engine: Engine, backtest_id: UUID):
    with engine.connect() as connection, engine.connect() as other:
        mine = claim(connection, backtest_id)
        with other.begin():
            other.execute(text("UPDATE backtests SET state = 'cancelled'"))
        compute(mine)
        assert read_state(connection)["state"] == "cancelled"
