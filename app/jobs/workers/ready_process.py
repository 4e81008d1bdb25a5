"""Keeps a process beside the service that computes short simulations, one after the other, for answers at once.

A simulation in the service's own process would hold the interpreter's lock for a second, and every request would wait.
The process starts soon after the service, so that no request waits until machine code is compiled or read.
"""

import logging
import subprocess
import sys
import threading
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from app.jobs.simulations.schemas import SimulationJob
from app.jobs.workers.dispatcher import list_environment
from app.settings import Settings
from app.web.observability import time_planner
from app.web.overload.compute_queue import ENDED
from app.web.problems.errors import Overloaded
from planner.errors import PlannerError

log = logging.getLogger(__name__)

START_AFTER_SECONDS = 5.0
LANE = "simulation"  # in the metrics


class SimulationFailed(Exception):
    """The error if the process ended without an answer; the next simulation starts another process."""


class ReadyProcess:
    """The process beside one service process, with a limit on the requests that wait for it."""

    def __init__(self, settings: Settings) -> None:
        self._most_waiting = settings.computing_queue
        self._is_used = settings.simulation_events_at_once > 0
        self._waiting = 0
        self._counting = threading.Lock()
        self._computing = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection[SimulationJob, bytes | PlannerError] | None = None
        self._ending = threading.Event()
        self._starter = threading.Thread(target=self._start_soon, name="ready-process", daemon=True)

    def start(self) -> None:
        """Starts the process for simulations after a delay."""
        if self._is_used:
            self._starter.start()

    def stop(self) -> None:
        """Ends the process for simulations."""
        self._ending.set()
        if self._is_used:
            self._starter.join()
        self._end()

    def compute(self, job: SimulationJob) -> bytes:
        """Returns a simulation's answer as JSON; raises `Overloaded` if too many requests wait, or a PlannerError."""
        with self._counting:
            if self._waiting > self._most_waiting:
                ENDED.labels(LANE, "refused").inc()
                raise Overloaded(self._waiting, self._waiting)  # each takes a second or less
            self._waiting += 1
        try:
            with self._computing, time_planner("simulate"):
                ENDED.labels(LANE, "begun").inc()
                answer = self._exchange(job)
        finally:
            with self._counting:
                self._waiting -= 1
        if isinstance(answer, PlannerError):
            raise answer
        return answer

    def _start_soon(self) -> None:
        if not self._ending.wait(START_AFTER_SECONDS):
            with self._computing:
                self._connect()

    def _connect(self) -> "Connection[SimulationJob, bytes | PlannerError]":
        """Returns the connection to the process, which is started if it does not run."""
        if self._process is None or self._process.poll() is not None or self._connection is None:
            ours, theirs = Pipe()
            with theirs:
                number = theirs.fileno()
                self._process = subprocess.Popen(  # noqa: S603  # the module and the number are ours
                    [sys.executable, "-P", "-m", "app.jobs.workers.ready_worker", str(number)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[number],
                    env=list_environment(),
                    start_new_session=True,  # Ctrl-C reaches only this process, which then ends the other
                )
            self._connection = ours
        return self._connection

    def _exchange(self, job: SimulationJob) -> bytes | PlannerError:
        connection = self._connect()
        try:
            connection.send(job)
            return connection.recv()
        except (EOFError, OSError) as error:
            code = self._end()
            log.warning("the process of short simulations ended with %s", code)
            raise SimulationFailed(f"the process of short simulations ended with {code}") from error

    def _end(self) -> int | None:
        """Ends the process and returns its exit code; None if no process runs."""
        if self._process is None or self._connection is None:
            return None
        self._connection.close()
        self._process.kill()
        return self._process.wait()
