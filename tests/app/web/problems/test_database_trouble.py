"""Ways in which a database fails are told apart, and each has at most one line in the log in a while."""

import logging
import re

import psycopg
import pytest
from psycopg import errors as postgres
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.web.problems.database_trouble import LimitedLog, PoolFilter, find_trouble
from tests.app.processes import wait_until


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (postgres.DiskFull("could not extend file"), "disk full"),
        (postgres.TooManyConnections("too many"), "no connection left"),
        (psycopg.OperationalError("FATAL:  sorry, too many clients already"), "no connection left"),
        (psycopg.OperationalError("FATAL: remaining connection slots are reserved"), "no connection left"),
        (postgres.QueryCanceled("canceling statement due to statement timeout"), "statement too slow"),
        (postgres.LockNotAvailable("canceling statement due to lock timeout"), "locked"),
        (postgres.AdminShutdown("terminating connection"), "gone"),
        (psycopg.OperationalError("the database server does not answer"), "gone"),
    ],
)
def test_each_failure_has_its_own_text(error: Exception, name: str):
    found = find_trouble(OperationalError(None, None, error))
    assert found.name == name
    assert find_trouble(PoolTimeoutError()).name == "all connections busy"
    assert found.detail.endswith(".")


def test_every_failure_is_counted_in_few_lines(caplog: pytest.LogCaptureFixture):
    lines = LimitedLog(seconds=0.05)
    for _ in range(100):
        lines.write("gone", "connection refused")
    lines.write("disk full", "no space")
    wait_until(lambda: "more in a second" in caplog.text, "the rest is counted")
    said = [record.getMessage() for record in caplog.records]
    assert sum("disk full" in line for line in said) == 1
    gone = [line for line in said if "gone: connection refused" in line]
    assert len(gone) < 10
    assert (
        len(gone[:1]) + sum(int(found[1]) for line in gone if (found := re.search(r"\((\d+) more", line)))
        == 100
    )


def test_what_the_pool_logs_about_a_broken_connection_has_no_traceback(caplog: pytest.LogCaptureFixture):
    error = postgres.AdminShutdown("terminating connection")
    record = logging.LogRecord(
        "sqlalchemy.pool.impl.QueuePool", logging.ERROR, "", 1, "reset", None, (type(error), error, None)
    )
    assert not PoolFilter().filter(record)
    other = logging.LogRecord("headgate", logging.ERROR, "", 1, "x", None, (type(error), error, None))
    assert PoolFilter().filter(other)
    assert all(one.exc_info is None for one in caplog.records)
