"""Claims: one worker per job, one holder per slot, and no writes after a cancellation."""

from functools import partial
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, text

from app.jobs.workers.backtest_worker import store_run
from app.jobs.workers.claims import (
    BACKTESTS,
    MOST_ATTEMPTS,
    SIMULATIONS,
    NoLongerWanted,
    claim_job,
    find_next,
    is_wanted,
    queue_again,
    take_slot,
)
from migrations.runner import migrate
from tests.app.processes import wait_until


def is_next(connection: Connection, job_id: UUID) -> bool:
    return find_next(connection, BACKTESTS) == job_id


def test_a_claim_lasts_as_long_as_its_connection(engine: Engine, backtest_id: UUID):
    with engine.connect() as other:
        with engine.connect() as mine:
            assert find_next(other, BACKTESTS) == backtest_id
            claim = claim_job(mine, BACKTESTS, backtest_id)
            assert claim is not None
            assert claim.request["policies"] == ["0", "1", "headgate"]
            assert find_next(other, BACKTESTS) is None
            assert claim_job(other, BACKTESTS, backtest_id) is None
            mine.invalidate()  # as when its process is killed
        wait_until(lambda: find_next(other, BACKTESTS) == backtest_id, "Postgres has seen it go")
        queue_again(other, BACKTESTS, backtest_id)
        assert other.scalar(text("SELECT state FROM backtests")) == "queued"


def test_nothing_more_is_written_to_what_was_cancelled_or_deleted(engine: Engine, backtest_id: UUID):
    with engine.connect() as mine, engine.connect() as other:
        claim = claim_job(mine, BACKTESTS, backtest_id)
        assert claim is not None
        claim.report(0.1)
        assert is_wanted(other, BACKTESTS, backtest_id)
        for change in ("UPDATE backtests SET state = 'cancelled'", "DELETE FROM backtests"):
            with other.begin():
                other.execute(text(change))
            assert not is_wanted(other, BACKTESTS, backtest_id)
            with pytest.raises(NoLongerWanted):
                claim.report(0.2)
            with pytest.raises(NoLongerWanted):
                store_run(claim, {"position": 0}, 0.2)
            with pytest.raises(NoLongerWanted):
                claim.succeed()
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM backtest_runs")) == 0


def test_what_ends_its_process_again_and_again_fails_in_the_end(engine: Engine, backtest_id: UUID):
    for _ in range(MOST_ATTEMPTS):
        with engine.connect() as mine:
            assert claim_job(mine, BACKTESTS, backtest_id) is not None
            mine.invalidate()
        with engine.connect() as other:
            wait_until(partial(is_next, other, backtest_id), "Postgres has seen it go")
    with engine.connect() as mine:
        assert claim_job(mine, BACKTESTS, backtest_id) is None
        with mine.begin():
            failed = mine.execute(text("SELECT state, error ->> 'type', finished_at FROM backtests")).one()
        assert failed[:2] == ("failed", "interrupted")
        assert failed[2] is not None
        assert find_next(mine, BACKTESTS) is None


def test_a_slot_is_one_connections_until_it_ends(empty_database_url: str, engine: Engine):
    migrate(empty_database_url)
    with engine.connect() as second:
        with engine.connect() as first:
            assert take_slot(first, BACKTESTS, 0)
            assert not take_slot(second, BACKTESTS, 0)
            assert take_slot(second, BACKTESTS, 1)
            assert take_slot(second, SIMULATIONS, 0)
            first.invalidate()
        wait_until(lambda: take_slot(second, BACKTESTS, 0), "Postgres has seen it go")
        second.rollback()
        assert claim_job(second, BACKTESTS, uuid4()) is None
