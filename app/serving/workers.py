"""Several server processes, each with its own listener, and the supervisor that replaces workers that died.

uvicorn's own supervisor is not used: its workers share one listener, so that connections are spread unevenly, and it
kills a worker that does not answer within seconds, as a worker that is still starting on a slow machine does.
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

from app.main import create_app
from app.serving.draining import DrainingServer, configure
from app.serving.listeners import refuse_new_connections
from app.serving.observability import configure_logging
from app.settings import Settings

log = logging.getLogger(__name__)

CHECK_SECONDS = 0.5  # between two checks that every worker lives
FAILED_START = 3  # the exit code of a worker that never served


class WorkerNeverServed(Exception):
    """A worker ended before it served; a replacement would end in the same way."""


def serve_with_workers(settings: Settings, listeners: Sequence[socket.socket]) -> None:
    """Serves until SIGTERM or Ctrl-C; the workers write their metrics to one temporary folder."""
    ended = threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: ended.set())
    with tempfile.TemporaryDirectory(prefix="headgate-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder  # prometheus_client reads it when a worker loads it
        workers = [start_worker(settings, listener) for listener in listeners]
        try:
            while not ended.wait(CHECK_SECONDS):
                workers = [
                    worker if worker.is_alive() else replace_worker(worker, settings, listener)
                    for worker, listener in zip(workers, listeners, strict=True)
                ]
        finally:
            end_workers(workers, listeners)


def start_worker(settings: Settings, listener: socket.socket) -> SpawnProcess:
    """Starts a process that serves the connections of one listener."""
    worker = multiprocessing.get_context("spawn").Process(target=run_worker, args=(settings, listener))
    worker.start()
    return worker


def replace_worker(dead: SpawnProcess, settings: Settings, listener: socket.socket) -> SpawnProcess:
    """Starts another worker on the same listener; it serves the connections that wait in the listener's queue."""
    if dead.exitcode == FAILED_START:
        raise WorkerNeverServed(
            f"Worker {dead.pid} could not start, and so the service has ended: the log lines above give the reason."
        )
    log.warning("worker %s died with exit code %s: starting another one", dead.pid, dead.exitcode)
    mark_process_dead(dead.pid)  # type: ignore[no-untyped-call]
    return start_worker(settings, listener)


def end_workers(workers: Sequence[SpawnProcess], listeners: Sequence[socket.socket]) -> None:
    """Ends every worker after it has answered the requests that reached it."""
    for listener in listeners:
        refuse_new_connections(listener)
        listener.close()  # while it is open here, clients can connect to it and no worker accepts them
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()


def run_worker(settings: Settings, listener: socket.socket) -> None:
    """The main function of a worker's process."""
    # A terminal that closes sends SIGHUP to all processes: the supervisor alone acts on it, and ends its workers.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    threading.Thread(target=end_with_supervisor, daemon=True).start()
    configure_logging(settings.log_format, settings.log_level)
    if not run_server(settings, listener):
        raise SystemExit(FAILED_START)


def run_server(settings: Settings, listener: socket.socket) -> bool:
    """Serves until SIGTERM; whether the server had started."""
    try:
        server = DrainingServer(configure(settings, create_app(settings)))
    except Exception:
        log.exception("the worker cannot make the application")
        return False
    try:
        server.run(sockets=[listener])
    except Exception:
        log.exception("the worker's server failed")
    return server.started


def end_with_supervisor() -> None:
    """Ends this worker in order after its supervisor was killed; otherwise the worker would keep the port for ever."""
    supervisor = multiprocessing.parent_process()
    assert supervisor is not None, "a worker is started by the supervisor"
    supervisor.join()
    os.kill(os.getpid(), signal.SIGTERM)
