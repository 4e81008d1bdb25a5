"""Starts a worker process for each queued job, one at a time per slot.

A job in the service's own process would hold the interpreter's lock, and every request would wait.
"""

import logging
import os
import subprocess
import sys
import threading
from uuid import UUID

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.database.connections.watched_connections import make_watched_engine
from app.jobs.workers.claims import (
    KINDS,
    STATEMENT_SECONDS,
    JobKind,
    find_next,
    is_wanted,
    queue_again,
    take_slot,
)
from app.settings import PREFIX, Settings

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
# A worker that reports progress notices a cancellation; any other worker is ended after this number of checks.
LOOKS_AT_THE_UNWANTED = 4
# A worker writes no metrics of the service, and computes on one processor.
NOT_PASSED_ON = {"PROMETHEUS_MULTIPROC_DIR"}
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


def make_dispatchers(settings: Settings) -> "list[Dispatcher]":
    """Makes a dispatcher for every slot of every kind of job."""
    return [Dispatcher(settings, kind, slot) for kind in KINDS for slot in range(kind.count_slots(settings))]


class Dispatcher(threading.Thread):
    """Starts the workers of one slot; only one service process on a database holds the slot at a time."""

    def __init__(self, settings: Settings, kind: JobKind, slot: int) -> None:
        super().__init__(name=f"{kind.name}-{slot}", daemon=True)
        assert settings.database_url is not None, "open_database has checked it"
        self._settings = settings
        self._kind = kind
        self._slot = slot
        # The service's pool is for requests; this connection stays open, because it has the lock of the slot.
        self._engine = make_watched_engine(
            settings.database_url.get_secret_value(), "headgate dispatcher", STATEMENT_SECONDS
        )
        self._ending = threading.Event()

    def stop(self) -> None:
        """Ends the worker of the slot, if one runs, and queues the worker's job again."""
        self._ending.set()
        self.join()
        self._engine.dispose()

    def run(self) -> None:
        """Starts workers until `stop` is called; tries again while the database cannot be reached."""
        while not self._ending.is_set():
            try:
                with self._engine.connect() as connection:
                    self._serve(connection)
            except SQLAlchemyError:
                self._wait()  # /readyz and every failing request report it
            except OSError as error:
                log.warning("the process of a %s cannot be started: %s", self._kind.name, error)
                self._wait()

    def _serve(self, connection: Connection) -> None:
        """Takes the slot, then starts one worker after the other, until `stop` or until the connection ends."""
        holding = False
        while not self._ending.is_set():
            with connection.begin():
                holding = holding or take_slot(connection, self._kind, self._slot)
            job_id = find_next(connection, self._kind) if holding else None
            if job_id is None or not self._have_computed(connection, job_id):
                self._wait()

    def _have_computed(self, connection: Connection, job_id: UUID) -> bool:
        """Starts a worker for the job; returns whether the worker ended by itself without an error."""
        with start_worker(self._settings, self._kind, job_id) as worker:
            unwanted = 0
            while worker.poll() is None and not self._ending.is_set() and unwanted < LOOKS_AT_THE_UNWANTED:
                self._wait()
                unwanted = 0 if is_wanted(connection, self._kind, job_id) else unwanted + 1
            if worker.poll() is None:
                # Finished runs are stored in one transaction each, and the next worker computes the rest.
                worker.kill()
                worker.wait()
                queue_again(connection, self._kind, job_id)
                return False
        level = logging.WARNING if worker.returncode else logging.INFO
        log.log(level, "the process of %s %s ended with %s", self._kind.name, job_id, worker.returncode)
        return worker.returncode == 0

    def _wait(self) -> None:
        self._ending.wait(LOOK_SECONDS)


def start_worker(settings: Settings, kind: JobKind, job_id: UUID) -> "subprocess.Popen[bytes]":
    """Starts the worker process of a job. The worker ends with this process, because its standard input then closes."""
    assert settings.database_url is not None, "open_database has checked it"
    ours = {f"{PREFIX}DATABASE_URL": settings.database_url.get_secret_value()}
    return subprocess.Popen(  # noqa: S603  # the module and the id are ours
        [sys.executable, "-P", "-m", kind.module, str(job_id)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=list_environment() | ours,
        start_new_session=True,  # Ctrl-C reaches only this process, which then ends the worker
    )


def list_environment() -> dict[str, str]:
    """Returns the environment variables of a worker process."""
    return {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON} | ONE_THREAD
