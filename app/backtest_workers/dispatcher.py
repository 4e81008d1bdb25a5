"""Has the queued backtests computed, one at a time and slot, outside of the service's own process.

In the service itself a backtest would hold the interpreter's lock, and every request would wait for it.
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
# A worker that the service started shares neither its metrics' files nor more than one processor.
NOT_PASSED_ON = {"PROMETHEUS_MULTIPROC_DIR"}
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


class Dispatcher(threading.Thread):
    """Serves one slot: of all service processes on a database, one at a time holds it."""

    def __init__(self, settings: Settings, slot: int) -> None:
        super().__init__(name=f"backtests-{slot}", daemon=True)
        assert settings.database_url is not None, "as for every request"
        self._settings = settings
        self._slot = slot
        # Not the service's pool: its connections are for requests, and this one is kept for its lock.
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
        """Until `stop`; a database that is away is waited for."""
        while not self._ending.is_set():
            try:
                with self._engine.connect() as connection:
                    self._serve(connection)
            except SQLAlchemyError:
                self._wait()  # /readyz says it, and every request that meets it
            except OSError as error:
                log.warning("a backtest's process cannot be started: %s", error)
                self._wait()

    def _serve(self, connection: Connection) -> None:
        """For as long as the connection lasts."""
        holding = False
        while not self._ending.is_set():
            with connection.begin():
                holding = holding or take_slot(connection, self._slot)
            backtest_id = find_next(connection) if holding else None
            if backtest_id is None or not self._have_computed(connection, backtest_id):
                self._wait()

    def _have_computed(self, connection: Connection, backtest_id: UUID) -> bool:
        """Whether its process ended by itself and well."""
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
    """A process that ends when ours does: its standard input is a pipe that nobody else holds."""
    assert settings.database_url is not None, "as for every request"
    passed_on = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
    ours = {f"{PREFIX}DATABASE_URL": settings.database_url.get_secret_value()}
    return subprocess.Popen(  # noqa: S603  # our own module with an id of our own
        [sys.executable, "-P", "-m", "app.backtest_workers.worker", str(backtest_id)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=passed_on | ONE_THREAD | ours,
        start_new_session=True,  # Ctrl-C in the terminal is for us; we end it in order
    )


def end_worker(worker: "subprocess.Popen[bytes]") -> None:
    """At once: a transaction is written whole or not at all, and the run that it was in will be done again."""
    worker.kill()
    worker.wait()
