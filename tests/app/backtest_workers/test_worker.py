"""Backtests outlive the service that took them in, and nobody computes the same one twice."""

import json
import signal
from collections.abc import Iterator
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.orm import Session

from app.backtest_workers.claims import (
    MOST_ATTEMPTS,
    NoLongerWanted,
    claim_backtest,
    find_next,
    queue_again,
    take_slot,
)
from app.backtests.schemas import BacktestRequest
from app.backtests.service import start_backtest as queue_backtest
from migrations.runner import migrate
from tests.app.backtest_examples import LONG, SMALL, expect_rows, read, start_backtest
from tests.app.processes import StartService, wait_until


@pytest.fixture
def engine(empty_database_url: str) -> Iterator[Engine]:
    engine = create_engine(empty_database_url)
    yield engine
    engine.dispose()


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


@pytest.fixture
def backtest_id(empty_database_url: str, engine: Engine) -> UUID:
    """A queued backtest, and no service that would take it."""
    migrate(empty_database_url)
    with Session(engine) as session, session.begin():
        body = BacktestRequest.model_validate_json(json.dumps(SMALL))
        return queue_backtest(session, body).id


def test_a_claim_lasts_as_long_as_its_connection(engine: Engine, backtest_id: UUID):
    with engine.connect() as other:
        with engine.connect() as mine:
            assert find_next(other) == backtest_id
            claim = claim_backtest(mine, backtest_id)
            assert claim is not None
            assert claim.job.policies == ["0", "1", "headgate"]
            assert find_next(other) is None
            assert claim_backtest(other, backtest_id) is None
            mine.invalidate()  # as when its process is killed
        wait_until(lambda: find_next(other) == backtest_id, "Postgres has seen it go")
        queue_again(other, backtest_id)
        assert other.scalar(text("SELECT state FROM backtests")) == "queued"


def test_nothing_more_is_written_to_what_was_cancelled_or_deleted(engine: Engine, backtest_id: UUID):
    with engine.connect() as mine, engine.connect() as other:
        claim = claim_backtest(mine, backtest_id)
        assert claim is not None
        claim.report(0.1)
        for change in ("UPDATE backtests SET state = 'cancelled'", "DELETE FROM backtests"):
            with other.begin():
                other.execute(text(change))
            with pytest.raises(NoLongerWanted):
                claim.report(0.2)
            with pytest.raises(NoLongerWanted):
                claim.store_run({"position": 0}, 0.2)
            with pytest.raises(NoLongerWanted):
                claim.finish("succeeded")
    assert list_stored_runs(engine) == {}


def test_what_ends_its_process_again_and_again_fails_in_the_end(engine: Engine, backtest_id: UUID):
    for _ in range(MOST_ATTEMPTS):
        with engine.connect() as mine:
            assert claim_backtest(mine, backtest_id) is not None
            mine.invalidate()
        with engine.connect() as other:
            wait_until(lambda other=other: find_next(other) == backtest_id, "Postgres has seen it go")  # type: ignore[misc]
    with engine.connect() as mine:
        assert claim_backtest(mine, backtest_id) is None
        with mine.begin():
            failed = mine.execute(text("SELECT state, error ->> 'type', finished_at FROM backtests")).one()
        assert failed[:2] == ("failed", "interrupted")
        assert failed[2] is not None
        assert find_next(mine) is None


def test_a_slot_is_one_connections_until_it_ends(empty_database_url: str, engine: Engine):
    migrate(empty_database_url)
    with engine.connect() as second:
        with engine.connect() as first:
            assert take_slot(first, 0)
            assert not take_slot(second, 0)
            assert take_slot(second, 1)
            first.invalidate()
        wait_until(lambda: take_slot(second, 0), "Postgres has seen it go")
        second.rollback()
        assert claim_backtest(second, uuid4()) is None
