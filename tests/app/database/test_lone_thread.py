"""A lone thread works until it is stopped, tries again after a failure, and leaves the work to who holds the lock."""

import threading
from collections.abc import Iterator
from datetime import datetime

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.database.lone_thread import LoneThread
from app.settings import Settings

LONGEST_WAIT = 60


class _Counting(LoneThread):
    """Fails in its first pass and counts the passes in which it had the lock."""

    title, lock, trouble = "counting", 0x6C6F6E65, "cannot count now"
    first_seconds, pass_seconds = 0.0, 0.01

    def __init__(self, url: str) -> None:
        super().__init__(Settings(database_url=SecretStr(url)))
        self.passes, self.held = 0, 0
        self.has_worked = threading.Event()

    def make_pass(self, now: datetime) -> None:
        assert now.tzinfo is not None
        self.passes += 1
        if self.passes == 1:
            raise OperationalError("SELECT 1", None, Exception("the connection is lost"))
        with self.hold_lock() as connection:
            self.held += connection is not None
        self.has_worked.set()


@pytest.fixture
def counting(empty_database_url: str) -> Iterator[_Counting]:
    thread = _Counting(empty_database_url)
    yield thread
    thread.stop()
    thread.engine.dispose()


def test_a_pass_that_fails_is_tried_again_until_stop(counting: _Counting, caplog: pytest.LogCaptureFixture):
    counting.start()
    assert counting.has_worked.wait(LONGEST_WAIT)
    counting.stop()
    assert not counting.is_alive()
    assert counting.held == counting.passes - 1
    [warning] = [one.getMessage() for one in caplog.records if one.name == "app.database.lone_thread"]
    assert warning.startswith("cannot count now: ")
    assert "connection is lost" in warning


def test_who_does_not_get_the_lock_leaves_the_work_to_the_other(counting: _Counting, empty_database_url: str):
    other = _Counting(empty_database_url)
    with other.hold_lock() as connection:
        assert connection is not None
        with counting.hold_lock() as second:
            assert second is None
    with counting.hold_lock() as free:
        assert free is not None, "the lock ended with the connection of the other"
        assert free.scalar(text("SELECT 1")) == 1


def test_stop_before_start_ends_nothing(counting: _Counting):
    counting.stop()
    assert not counting.is_alive()
