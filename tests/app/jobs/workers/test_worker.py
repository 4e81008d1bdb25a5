"""A worker stores how its job ended, whatever went wrong."""

from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from app.jobs.workers.backtest_worker import compute_backtest
from app.jobs.workers.worker import finish
from tests.app.jobs.workers.test_backtest_worker import claim, read_state


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
        finish(claim(connection, backtest_id), compute_backtest)
        found = read_state(connection)
    assert (found["state"], found["error"]["type"]) == ("failed", kind)


def test_another_error_fails_and_names_the_log(
    engine: Engine, backtest_id: UUID, caplog: pytest.LogCaptureFixture
):
    with engine.connect() as connection:
        mine = claim(connection, backtest_id)
        broken = replace(mine, request=mine.request | {"policies": 7})
        finish(broken, compute_backtest)
        found = read_state(connection)
    assert (found["state"], found["error"]["type"]) == ("failed", "internal-error")
    assert str(backtest_id) in found["error"]["detail"]
    assert f"backtest {backtest_id} failed" in caplog.text


def test_a_cancelled_backtest_ends_without_an_error(engine: Engine, backtest_id: UUID):
    with engine.connect() as connection, engine.connect() as other:
        mine = claim(connection, backtest_id)
        with other.begin():
            other.execute(text("UPDATE backtests SET state = 'cancelled'"))
        finish(mine, compute_backtest)
        assert read_state(connection)["state"] == "cancelled"
