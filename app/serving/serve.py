"""`headgate serve`: migrates the database, then serves in one process or several until SIGTERM, and loses no request.

uvicorn's own supervisor is not used: its workers share one listener, which spreads connections unevenly, and it kills
a worker that does not answer within seconds, for example while the worker starts on a slow machine.
"""

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.context import SpawnProcess

from prometheus_client.multiprocess import mark_process_dead
from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError

from app.database.connections.connection_room import fit_pool
from app.database.embedded.database_choice import choose_own_database, registered
from app.database.embedded.embedded_postgres import open_database_url
from app.main import create_app
from app.serving.health_listener import listening_for_health
from app.serving.server import (
    EACH_WORKER_BINDS,
    DrainingServer,
    bind,
    bind_listeners,
    configure,
    describe_address,
    refuse_new_connections,
)
from app.settings import Settings, find_unknown_variables
from app.web.callers.keys import KeyRing, UnusableKeys, read_keys
from app.web.callers.security import is_loopback
from app.web.life_signs import LifeSigns
from app.web.observability import configure_logging
from migrations.runner import NewerSchema, migrate

log = logging.getLogger("headgate")

CHECK_SECONDS = 0.5  # between two checks of the workers
FAILED_START = 3  # the exit code of a worker that never served


class WorkerNeverServed(Exception):
    """The error that a worker ended before it served any request; a replacement would end in the same way."""


def serve_with_workers(
    settings: Settings, listeners: Sequence[socket.socket], keys: KeyRing, life_signs: LifeSigns
) -> None:
    """Runs one worker for each listener until SIGTERM or Ctrl-C; a worker that dies is replaced.

    On Linux only the worker has its listener open, which closes when the worker dies: no connection waits for the
    replacement, which listens as soon as it can serve.
    """
    ended, hung_up = threading.Event(), threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: ended.set())
    if settings.api_keys_file is not None:
        signal.signal(signal.SIGHUP, lambda *_: hung_up.set())
    with tempfile.TemporaryDirectory(prefix="headgate-metrics-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder  # prometheus_client reads it when a worker loads it
        workers = [
            start_worker(settings, listener, life_signs, number) for number, listener in enumerate(listeners)
        ]
        if EACH_WORKER_BINDS:
            host, port = listeners[0].getsockname()[:2]
            settings = settings.model_copy(update={"port": port})
            for listener in listeners:
                listener.close()
            listeners = [bind(host, port, shares_port=True, listens=False)] * len(workers)
        try:
            while not ended.wait(CHECK_SECONDS):
                if hung_up.is_set():
                    hung_up.clear()
                    keys.read_again()
                    tell_to_read_keys(workers)
                for number, (worker, listener) in enumerate(zip(workers, listeners, strict=True)):
                    if not worker.is_alive():
                        life_signs.clear(number)
                        refuse_hopeless_start(worker)
                        own = None if EACH_WORKER_BINDS else listener
                        workers[number] = start_worker(settings, own, life_signs, number)
        finally:
            end_workers(workers, listeners)


def start_worker(
    settings: Settings, listener: socket.socket | None, life_signs: LifeSigns, number: int
) -> SpawnProcess:
    """Starts a worker process, which serves the connections of one listener; without one it makes its own."""
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=run_worker, args=(settings, listener, life_signs, number))
    # The worker inherits the mask: SIGHUP waits until the worker can handle it, and does not kill it before.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    worker.start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
    return worker


def tell_to_read_keys(workers: Sequence[SpawnProcess]) -> None:
    """Makes every worker read the file of the keys again."""
    for worker in workers:
        if worker.pid is not None and worker.is_alive():
            os.kill(worker.pid, signal.SIGHUP)


def refuse_hopeless_start(dead: SpawnProcess) -> None:
    """Raises an error if a worker that died never served: another one would end in the same way."""
    if dead.exitcode == FAILED_START:
        raise WorkerNeverServed(
            f"Worker {dead.pid} could not start, and so the service has ended: the log lines above give the reason."
        )
    log.warning("worker %s died with exit code %s: starting another one", dead.pid, dead.exitcode)
    mark_process_dead(dead.pid)  # type: ignore[no-untyped-call]


def end_workers(workers: Sequence[SpawnProcess], listeners: Sequence[socket.socket]) -> None:
    """Ends every worker after it has answered the requests that it received."""
    for listener in listeners:
        if listener.fileno() >= 0:
            refuse_new_connections(listener)
            listener.close()  # while this process has it open, clients can connect and no worker accepts them
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()


def run_worker(
    settings: Settings, listener: socket.socket | None, life_signs: LifeSigns, number: int
) -> None:
    """Runs in a worker's process: serves the connections of one listener until the worker is told to end."""
    # A terminal that closes sends SIGHUP to all processes: only the supervisor reacts, and ends its workers. With a
    # file of keys SIGHUP stays blocked until the worker serves, and makes it read the file again.
    if settings.api_keys_file is None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
    threading.Thread(target=end_with_supervisor, daemon=True).start()
    configure_logging(settings.log_format, settings.log_level)
    if not run_server(settings, listener, life_signs, number):
        raise SystemExit(FAILED_START)


def run_server(
    settings: Settings, listener: socket.socket | None, life_signs: LifeSigns, number: int
) -> bool:
    """Serves until SIGTERM; returns whether the server had begun to serve."""
    try:
        config = configure(settings, create_app(settings))
        config.load()
        server = DrainingServer(config, life_signs, number)
        listener = listener or bind(settings.host, settings.port, shares_port=True)
    except Exception:
        log.exception("the worker cannot make the application")
        return False
    try:
        server.run(sockets=[listener])
    except Exception:
        log.exception("the worker's server failed")
    return server.started


def end_with_supervisor() -> None:
    """Ends this worker in order after its supervisor was killed; otherwise the worker would keep the port."""
    supervisor = multiprocessing.parent_process()
    assert supervisor is not None, "a worker is started by the supervisor"
    supervisor.join()
    os.kill(os.getpid(), signal.SIGTERM)


class UnsafeStart(Exception):
    """The error that other machines could reach the service without a key."""


class DatabaseUnusable(Exception):
    """The error that the database cannot be reached or cannot be migrated."""


def serve(settings: Settings) -> None:
    """Migrates the database, then serves requests until SIGTERM or Ctrl-C."""
    configure_logging(settings.log_format, settings.log_level)
    refuse_unsafe_start(settings)
    for name in find_unknown_variables():
        log.warning("no setting is called %s: `headgate settings` lists them", name)
    handle_signals(settings)
    choice = choose_own_database(settings)
    log.info("the database is %s", choice.describe())
    with suppress(KeyboardInterrupt), open_database_url(choice.settings) as url:
        migrate_or_refuse(url, choice.where)
        ready = fit_pool(settings.model_copy(update={"database_url": SecretStr(url)}), url)
        listeners = bind_listeners(settings)
        address = describe_address(listeners[0])
        data_dir = None if settings.database_url else choice.settings.data_dir
        with registered(address, choice.where, data_dir):
            keys, life_signs = KeyRing(ready), LifeSigns(settings.workers)
            with listening_for_health(ready, keys, life_signs):
                log.info("serving on %s, documentation at /docs", address)
                if settings.workers == 1:
                    config = configure(ready, create_app(ready, keys))
                    DrainingServer(config, life_signs).run(sockets=listeners)
                else:
                    serve_with_workers(ready, listeners, keys, life_signs)


def handle_signals(settings: Settings) -> None:
    """Makes SIGTERM and SIGHUP end the service in order, so that the embedded Postgres is stopped too.

    SIGHUP comes when a terminal is closed, and by default kills the process. It does not reload the settings, which
    are read once. With a file of keys it makes the service read this file again; until the service serves, it does
    nothing. Under `nohup` SIGHUP stays ignored without such a file.
    """
    # uvicorn raises the signal that ended it once more after its own shutdown, with the handler from before.
    signal.signal(signal.SIGTERM, end_in_order)
    if settings.api_keys_file is not None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    elif signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def end_in_order(*_: object) -> None:
    """Raises SystemExit, which ends the process and closes every open context."""
    raise SystemExit(0)


def migrate_or_refuse(url: str, where: str) -> None:
    """Migrates the database called `where`; a failure becomes one sentence that says what to check."""
    try:
        migrate(url)
    except NewerSchema as error:
        raise DatabaseUnusable(f"cannot use {where}: {error}") from error
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).strip()
        raise DatabaseUnusable(
            f"cannot use {where}: {reason}. Check HEADGATE_DATABASE_URL and that Postgres runs there."
        ) from error


def refuse_unsafe_start(settings: Settings) -> None:
    """Refuses keys that cannot be used, and addresses that other machines can reach while there is no API key."""
    try:
        keys = read_keys(settings)
    except UnusableKeys as error:
        raise UnsafeStart(str(error)) from error
    if not is_loopback(settings.host) and not keys:
        raise UnsafeStart(
            f"Will not listen on {settings.host} without API keys, because other machines could reach it: set "
            "HEADGATE_API_KEYS to one or more `name=secret` (comma-separated), or listen on 127.0.0.1."
        )
