"""Tells the ways apart in which a database fails, and logs each with at most one line a second."""

import logging
import threading
from dataclasses import dataclass
from typing import Any

from psycopg import errors as postgres
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.web.problems.problem_kinds import KINDS, RETRY, Kind

log = logging.getLogger("headgate.database")

SECONDS_A_LINE = 1.0
NO_CONNECTION_LEFT = ("too many clients", "remaining connection slots", "too many connections")


@dataclass(frozen=True)
class Trouble:
    """One way in which a database fails: its name in the log, and what the caller is told."""

    name: str
    detail: str


STORED_OR_NOT = "A request is stored completely or not at all: check before you send it again."
POOL_BUSY = Trouble(
    "all connections busy",
    "All database connections are busy: try again in a moment, or raise HEADGATE_DATABASE_POOL_SIZE.",
)
NO_CONNECTION = Trouble(
    "no connection left",
    "The database takes no more connections: try again in a moment, raise max_connections of Postgres, or lower "
    "HEADGATE_DATABASE_POOL_SIZE or HEADGATE_WORKERS.",
)
DISK_FULL = Trouble(
    "disk full",
    "The disk of the database is full: free space there. Nothing of this request is stored; reading goes on.",
)
TOO_SLOW = Trouble(
    "statement too slow",
    "A statement took longer than HEADGATE_DATABASE_STATEMENT_TIMEOUT_SECONDS and was cancelled: ask for less, or "
    "raise the limit. Nothing of this request is stored.",
)
LOCKED = Trouble(
    "locked",
    "Another change holds a lock on these data for longer than HEADGATE_DATABASE_LOCK_TIMEOUT_SECONDS, or than an "
    "eighth of it while most database connections are in use: try again. Nothing of this request is stored.",
)
GONE = Trouble(
    "gone",
    f"The database does not answer or closed the connection: try again in a moment. {STORED_OR_NOT}",
)


def find_trouble(error: Exception) -> Trouble:
    """The way in which the database failed, by the error of a statement, a connection or the pool."""
    if isinstance(error, PoolTimeoutError):
        return POOL_BUSY
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, postgres.DiskFull):
        return DISK_FULL
    if is_no_connection_left(cause):
        return NO_CONNECTION
    if isinstance(cause, postgres.LockNotAvailable):
        return LOCKED
    if isinstance(cause, postgres.QueryCanceled):
        return TOO_SLOW
    return GONE


def say_trouble(error: Exception) -> str:
    """The sentence with the remedy; the database's own messages go to the log."""
    return find_trouble(error).detail


KINDS[PoolTimeoutError] = Kind("overloaded", 503, "Overloaded", headers=RETRY, say=say_trouble)
KINDS[OperationalError] = Kind(
    "database-unavailable", 503, "Database unavailable", headers=RETRY, say=say_trouble
)


def is_no_connection_left(error: BaseException | None) -> bool:
    """Whether the server refused a connection because it has as many as it takes; psycopg gives no code for this."""
    if isinstance(error, postgres.TooManyConnections):
        return True
    return isinstance(error, postgres.OperationalError) and any(
        part in str(error) for part in NO_CONNECTION_LEFT
    )


class LimitedLog:
    """Writes at most one line a second of each kind; the next line counts those that were left out."""

    def __init__(self, seconds: float = SECONDS_A_LINE) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._left_out: dict[str, int] = {}

    def write(self, kind: str, message: str) -> None:
        """Logs the message, or counts it if a line of this kind was written less than a second ago."""
        with self._lock:
            if kind in self._left_out:
                self._left_out[kind] += 1
                return
            self._left_out[kind] = 0
        log.warning("database: %s: %s", kind, message)
        self._wait(kind, message)

    def _wait(self, kind: str, message: str) -> None:
        timer = threading.Timer(self._seconds, self._sum_up, (kind, message))
        timer.daemon = True
        timer.start()

    def _sum_up(self, kind: str, message: str) -> None:
        with self._lock:
            left_out = self._left_out.pop(kind)
            if left_out:
                self._left_out[kind] = 0
        if left_out:
            log.warning("database: %s: %s (%d more in a second)", kind, message, left_out)
            self._wait(kind, message)


LINES = LimitedLog()


def log_trouble(error: Exception) -> None:
    """Logs a failure of the database in one line without a traceback."""
    cause: Any = error.orig if isinstance(error, DBAPIError) else error
    LINES.write(find_trouble(error).name, " ".join(str(cause).split())[:500])


class PoolFilter(logging.Filter):
    """Turns what SQLAlchemy's pool logs about broken connections, each with a traceback, into limited lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        is_of_pool = record.name.startswith("sqlalchemy.pool")
        if not is_of_pool or not isinstance(error, postgres.OperationalError | DBAPIError):
            return True
        log_trouble(error)
        return False
