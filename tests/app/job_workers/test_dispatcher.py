"""Backtests outlive the service that took them in, and only one process computes each."""

import signal

import httpx
from sqlalchemy import Engine, text

from tests.app.backtest_examples import LONG, expect_rows, read, start_backtest
from tests.app.processes import StartService, wait_until


def list_stored_runs(engine: Engine) -> dict[int, str]:
    """By position the transaction that wrote it: what is written again has another."""
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT position, xmin::text FROM backtest_runs")).all()
    return {row.position: row.xmin for row in rows}


def count_workers(engine: Engine) -> int:
    with engine.connect() as connection:
        query = (
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE application_name = 'headgate backtest' AND datname = current_database()"
        )
        return int(connection.scalar(text(query)) or 0)


def test_it_goes_on_where_it_was_after_a_kill_and_waits_after_an_end_in_order(
    start_service: StartService, empty_database_url: str, engine: Engine
):
    first = start_service(database_url=empty_database_url)
    with httpx.Client(base_url=first.url, timeout=60) as client:
        address = start_backtest(client, LONG)
        wait_until(lambda: read(client, address)["rows"], "a run is done")
    first.stop(signal.SIGKILL)
    wait_until(lambda: count_workers(engine) == 0, "its worker has ended with it")
    kept = list_stored_runs(engine)
    assert 0 < len(kept) < 200

    second = start_service("--workers", "2", database_url=empty_database_url)
    with httpx.Client(base_url=second.url, timeout=60) as client:

        def is_finished() -> object:
            assert count_workers(engine) <= 1, "only one of two service processes has it"
            return read(client, address)["finished_at"]

        wait_until(is_finished, "it is finished")
        done = read(client, address)
        assert done["state"] == "succeeded"
        assert done["rows"] == expect_rows(LONG)
        assert kept.items() <= list_stored_runs(engine).items(), "what was done is not done again"

        another = start_backtest(client, LONG)
        wait_until(lambda: read(client, another)["rows"], "a run is done")
    assert second.stop() == 0
    assert count_workers(engine) == 0
    with engine.connect() as connection:
        states = connection.execute(text("SELECT state FROM backtests ORDER BY created_at"))
        assert states.scalars().all() == ["succeeded", "queued"]
