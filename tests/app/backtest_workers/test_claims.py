"""Claims: one worker per backtest, one holder per slot, and no writes after a cancellation."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from app.backtest_workers.claims import (
    MOST_ATTEMPTS,
    NoLongerWanted,
    claim_backtest,
    find_next,
    queue_again,
    take_slot,
)
from migrations.runner import migrate
from tests.app.processes import wait_until


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
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM backtest_runs")) == 0


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
