"""Jobs outlive the service that took them in, only one process computes each, and none goes on after a cancellation."""

import json
import signal
import threading
from dataclasses import replace
from uuid import UUID

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.orm import Session

from app.database.embedded.embedded_postgres import shared_postgres
from app.jobs.backtests.schemas import BacktestRequest
from app.jobs.backtests.service import start_backtest as queue
from app.jobs.workers import dispatcher
from app.jobs.workers.claims import BACKTESTS, KINDS, SIMULATIONS, JobKind
from app.jobs.workers.dispatcher import Dispatcher, make_dispatchers, start_worker
from app.settings import Settings
from migrations.runner import migrate
from tests.app.backtest_examples import LONG, LONG_RUNS, expect_rows, read, start_backtest
from tests.app.processes import PATIENCE_SECONDS, StartService, make_open_folder, stopped, wait_until


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
    first = start_service(database_url=empty_database_url, simulation_events_at_once="0")
    with httpx.Client(base_url=first.url, timeout=60) as client:
        address = start_backtest(client, LONG)
        wait_until(lambda: read(client, address)["rows"], "a run is done")
    first.stop(signal.SIGKILL)
    wait_until(lambda: count_workers(engine) == 0, "its worker has ended with it")
    kept = list_stored_runs(engine)
    assert 0 < len(kept) < LONG_RUNS

    second, third = (
        start_service(database_url=empty_database_url, simulation_events_at_once="0") for _ in range(2)
    )
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
    assert [second.stop(), third.stop()] == [0, 0]
    assert count_workers(engine) == 0
    with engine.connect() as connection:
        states = connection.execute(text("SELECT state FROM backtests ORDER BY created_at"))
        assert states.scalars().all() == ["succeeded", "queued"]


def test_a_worker_that_does_not_look_is_ended_after_a_cancellation(
    empty_database_url: str, engine: Engine, backtest_id: UUID, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(dispatcher, "LOOK_SECONDS", 0.01)
    # The module waits for its standard input, which stays open: by itself it would never end.
    deaf = replace(BACKTESTS, module="code")
    serving = Dispatcher(Settings(database_url=empty_database_url), deaf, 0)
    with engine.connect() as connection:
        with connection.begin():
            connection.execute(text("UPDATE backtests SET state = 'cancelled'"))
        assert not serving._have_computed(connection, backtest_id)
        assert connection.scalar(text("SELECT state FROM backtests")) == "cancelled"


def test_every_kind_has_its_own_slots():
    settings = Settings(database_url="postgresql://nowhere", backtest_processes=2, simulation_processes=3)
    made = [(one._kind, one._slot) for one in make_dispatchers(settings)]
    assert made == [(KINDS[0], 0), (KINDS[0], 1), (KINDS[1], 0), (KINDS[1], 1), (KINDS[1], 2)]


def is_slot_taken(engine: Engine, kind: JobKind) -> bool:
    with engine.connect() as connection:
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = :key"
        return bool(connection.scalar(text(query), {"key": kind.slots_key}))


def test_neither_a_slot_nor_a_worker_waits_for_a_database_that_is_stopped():
    with make_open_folder() as folder, shared_postgres(folder) as url:
        migrate(url)
        engine = create_engine(url)
        with Session(engine) as session, session.begin():
            job_id = queue(session, BacktestRequest.model_validate_json(json.dumps(LONG))).id
        settings = Settings(database_url=SecretStr(url))
        idle = Dispatcher(settings, SIMULATIONS, 0)
        idle.start()
        with start_worker(settings, BACKTESTS, job_id) as worker:
            wait_until(lambda: list_stored_runs(engine), "the worker stores runs")
            wait_until(lambda: is_slot_taken(engine, SIMULATIONS), "the slot is taken")
            with stopped(folder):
                wait_until(lambda: worker.poll() is not None, "the worker ends by itself")
                ending = threading.Thread(target=idle.stop, daemon=True)
                ending.start()
                ending.join(PATIENCE_SECONDS)
                assert not ending.is_alive(), "the slot still waits"
        assert worker.returncode != 0
        engine.dispose()
