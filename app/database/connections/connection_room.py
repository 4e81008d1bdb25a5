"""Compares the connections that the service may open with those that Postgres takes, and shares what there is."""

import logging

import psycopg
from sqlalchemy.pool import QueuePool
from sqlalchemy.pool.base import ConnectionPoolEntry
from sqlalchemy.util import queue

from app.settings import Settings
from app.web.problems.database_trouble import is_no_connection_left

log = logging.getLogger(__name__)

BESIDE_THE_POOL = 2  # of each worker, and of the health port: for /readyz and for /metrics
OF_RETENTION = 1  # of each worker, for the moment in which it finds whether another one keeps history small
LEAST_POOL = 2

FIND_ROOM = """
SELECT least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
    nullif(rolconnlimit, -1),
    nullif(datconnlimit, -1))
FROM pg_roles, pg_database
WHERE rolname = current_user AND datname = current_database()
"""


class TooFewConnections(Exception):
    """The error that Postgres takes fewer connections than the smallest pools need."""


class PatientPool(QueuePool):
    """A pool whose requests wait for a connection in use if Postgres takes no further one, instead of failing."""

    def _do_get(self) -> ConnectionPoolEntry:
        try:
            return super()._do_get()
        except psycopg.OperationalError as error:
            if not is_no_connection_left(error) or self.checkedout() <= 0:
                raise
            try:
                return self._pool.get(block=True, timeout=self._timeout)
            except queue.Empty:
                raise error from None


def fit_pool(settings: Settings, url: str) -> Settings:
    """The settings with pools that fit into what Postgres takes; a smaller pool is said in the log."""
    jobs = settings.backtest_processes + settings.simulation_processes
    of_health_port = 0 if settings.health_port is None else BESIDE_THE_POOL
    beside = settings.workers * (BESIDE_THE_POOL + OF_RETENTION + jobs) + jobs + of_health_port
    wanted = settings.database_pool_size + settings.database_pool_overflow
    room = find_room(url)
    fitting = (room - beside) // settings.workers
    if fitting >= wanted:
        return settings
    if fitting < LEAST_POOL:
        raise TooFewConnections(
            f"Postgres takes {room} connections, and {settings.workers} workers need at least "
            f"{beside + LEAST_POOL * settings.workers}: raise max_connections of Postgres, or the limit of its user or "
            "database, or lower HEADGATE_WORKERS, HEADGATE_BACKTEST_PROCESSES or HEADGATE_SIMULATION_PROCESSES."
        )
    log.warning(
        "Postgres takes %d connections, and the settings may open %d: each worker opens at most %d for requests "
        "instead of %d; raise max_connections of Postgres, or lower HEADGATE_DATABASE_POOL_SIZE or HEADGATE_WORKERS",
        room,
        beside + wanted * settings.workers,
        fitting,
        wanted,
    )
    size = min(settings.database_pool_size, fitting)
    return settings.model_copy(update={"database_pool_size": size, "database_pool_overflow": fitting - size})


def find_room(url: str) -> int:
    """The number of connections that Postgres takes from this user to this database."""
    with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5) as connection:
        row = connection.execute(FIND_ROOM).fetchone()
    assert row is not None, "the user and the database of this connection exist"
    return int(row[0])
