"""Several server processes, each with a listener of its own, and the supervisor that replaces those that die.

uvicorn's own supervisor has one listener for all, which leaves it to chance which worker accepts a connection, and
kills a worker that does not answer in some seconds: on a slow machine each one that still starts.
"""

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Sequence
from multiprocessing.context import SpawnProcess

from prometheus_client.multiprocess import mark_process_dead

from app.serving.draining import DrainingServer, configure
from app.serving.listeners import refuse_new_connections
from app.serving.observability import configure_logging
from app.settings import PREFIX, Settings

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # between two looks at whether every worker lives
FAILED_START = 3


class WorkerNeverServed(Exception):
    """A worker ended before it served: another one would end the same way."""


def serve_with_workers(settings: Settings, listeners: Sequence[socket.socket]) -> None:
    """Serves until SIGTERM or Ctrl-C; workers find database and shared metrics in their environment."""
    assert settings.database_url is not None
    ended = threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: ended.set())
    with tempfile.TemporaryDirectory(prefix="headgate-metrics-") as folder:
        os.environ[f"{PREFIX}DATABASE_URL"] = settings.database_url.get_secret_value()
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        workers = [start_worker(settings, listener) for listener in listeners]
        try:
            while not ended.wait(LOOK_SECONDS):
                workers = [
                    worker if worker.is_alive() else replace_worker(worker, settings, listener)
                    for worker, listener in zip(workers, listeners, strict=True)
                ]
        finally:
            end_workers(workers, listeners)


def start_worker(settings: Settings, listener: socket.socket) -> SpawnProcess:
    """A process that serves the connections of one listener."""
    worker = multiprocessing.get_context("spawn").Process(target=run_worker, args=(settings, listener))
    worker.start()
    return worker


def replace_worker(dead: SpawnProcess, settings: Settings, listener: socket.socket) -> SpawnProcess:
    """Another worker for the same listener: connections that wait at it are served."""
    if dead.exitcode == FAILED_START:
        raise WorkerNeverServed("A worker could not start: its log lines say why.")
    log.warning("worker %s died with exit code %s: another one starts", dead.pid, dead.exitcode)
    mark_process_dead(dead.pid)  # type: ignore[no-untyped-call]
    return start_worker(settings, listener)


def end_workers(workers: Sequence[SpawnProcess], listeners: Sequence[socket.socket]) -> None:
    """Each worker answers what reached it, then ends."""
    for listener in listeners:
        refuse_new_connections(listener)
        listener.close()  # else a client could still connect where no worker accepts
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()


def run_worker(settings: Settings, listener: socket.socket) -> None:
    """The process of one worker."""
    threading.Thread(target=end_with_supervisor, daemon=True).start()
    configure_logging(settings.log_format, settings.log_level)
    server = DrainingServer(configure(settings, "app.main:create_app"))
    server.run(sockets=[listener])
    if not server.started:
        raise SystemExit(FAILED_START)


def end_with_supervisor() -> None:
    """Ends this worker in order when its supervisor was killed: it would hold the port for ever."""
    supervisor = multiprocessing.parent_process()
    assert supervisor is not None, "a worker is started by the supervisor"
    supervisor.join()
    os.kill(os.getpid(), signal.SIGTERM)
