"""The worker of backtests computes the runs that are missing."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine, text

from app.jobs.backtests.schemas import BacktestJob
from app.jobs.workers.backtest_worker import compute_backtest, find_done, list_runs, store_run
from app.jobs.workers.claims import BACKTESTS, Claim, claim_job
from tests.app.backtest_examples import SMALL, expect_rows

NUMBERS = ("qos_percent", "cost_to_truth", "cost_to_static", "max_backlog")


def claim(connection: Connection, backtest_id: UUID) -> Claim:
    claimed = claim_job(connection, BACKTESTS, backtest_id)
    assert claimed is not None
    return claimed


def read_state(connection: Connection) -> dict[str, Any]:
    with connection.begin():
        row = connection.execute(text("SELECT state, progress, error FROM backtests")).one()
    return dict(row._mapping)


def test_all_runs_are_stored_as_the_planner_computes_them(engine: Engine, backtest_id: UUID):
    with engine.connect() as connection:
        compute_backtest(claim(connection, backtest_id))
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
        store_run(mine, run, 0.1)
    with engine.connect() as second:
        again = claim(second, backtest_id)
        job = BacktestJob.model_validate(again.request)
        assert [position for position, _, _ in list_runs(job, find_done(again))] == [0, 2, 3, 4, 5]
        compute_backtest(again)
        with second.begin():
            kept = second.scalar(text("SELECT max_backlog FROM backtest_runs WHERE position = 1"))
        assert kept == 7.0
