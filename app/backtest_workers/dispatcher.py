"""Starts a worker process for each queued backtest, one at a time per slot.

In the service's own process a backtest would hold the interpreter's lock, and every request would wait for it.
"""

import logging
import os
import subprocess
import sys
import threading
from uuid import UUID

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import SQLAlchemyError

from app.backtest_workers.claims import find_next, queue_again, take_slot
from app.settings import PREFIX, Settings

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
# A worker writes no metrics of the service, and computes on one processor.
NOT_PASSED_ON = {"PROMETHEUS_MULTIPROC_DIR"}
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


class Dispatcher(threading.Thread):
    """Serves one slot; of all service processes on a database, only one holds the slot at a time."""

    def __init__(self, settings: Settings, slot: int) -> None:
        super().__init__(name=f"backtests-{slot}", daemon=True)
        assert settings.database_url is not None, "open_database has checked it"
        self._settings = settings
        self._slot = slot
        # The service's pool is for requests; this connection stays open, for it holds the lock of the slot.
        self._engine = create_engine(
            settings.database_url.get_secret_value(),
            connect_args={"connect_timeout": 5, "application_name": "headgate dispatcher"},
        )
        self._ending = threading.Event()

    def stop(self) -> None:
        """Ends the worker, if there is one, and queues its backtest again."""
        self._ending.set()
        self.join()
        self._engine.dispose()

    def run(self) -> None:
        """Runs until `stop`; while the database is away it tries again."""
        while not self._ending.is_set():
            try:
                with self._engine.connect() as connection:
                    self._serve(connection)
            except SQLAlchemyError:
                self._wait()  # /readyz and every failing request report it
            except OSError as error:
                log.warning("a backtest's process cannot be started: %s", error)
                self._wait()

    def _serve(self, connection: Connection) -> None:
        """Takes the slot, then starts one worker after the other, until `stop` or the end of the connection."""
        holding = False
        while not self._ending.is_set():
            with connection.begin():
                holding = holding or take_slot(connection, self._slot)
            backtest_id = find_next(connection) if holding else None
            if backtest_id is None or not self._have_computed(connection, backtest_id):
                self._wait()

    def _have_computed(self, connection: Connection, backtest_id: UUID) -> bool:
        """Whether the worker of this backtest ended by itself without an error."""
        worker = start_worker(self._settings, backtest_id)
        while worker.poll() is None and not self._ending.is_set():
            self._wait()
        if worker.poll() is None:
            end_worker(worker)
            queue_again(connection, backtest_id)
            return False
        level = logging.WARNING if worker.returncode else logging.INFO
        log.log(level, "the process of backtest %s ended with %s", backtest_id, worker.returncode)
        return worker.returncode == 0

    def _wait(self) -> None:
        self._ending.wait(LOOK_SECONDS)


def start_worker(settings: Settings, backtest_id: UUID) -> "subprocess.Popen[bytes]":
    """A process that ends with this one: its standard input is a pipe that closes then."""
    assert settings.database_url is not None, "open_database has checked it"
    passed_on = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
    ours = {f"{PREFIX}DATABASE_URL": settings.database_url.get_secret_value()}
    return subprocess.Popen(  # noqa: S603  # the module and the id are ours
        [sys.executable, "-P", "-m", "app.backtest_workers.worker", str(backtest_id)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=passed_on | ONE_THREAD | ours,
        start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the worker
    )


def end_worker(worker: "subprocess.Popen[bytes]") -> None:
    """Kills the worker: each run is stored in one transaction, and an unfinished run will be computed again."""
    worker.kill()
    worker.wait()
