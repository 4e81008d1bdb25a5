"""Runs the service: a database under it, closed to the outside unless it has keys, drained at its end."""

import asyncio
import ctypes
import logging
import os
import signal
import socket
import struct
import sys
import tempfile
import threading
from contextlib import suppress
from multiprocessing import parent_process

from prometheus_client.multiprocess import mark_process_dead
from pydantic import SecretStr
from uvicorn import Config, Server
from uvicorn.supervisors import multiprocess

from app.http.security import is_loopback, parse_api_keys
from app.main import create_app
from app.serving.observability import configure_logging
from app.serving.running_services import registered
from app.settings import PREFIX, Settings, find_unknown_variables
from app.storage.database_choice import choose_own_database
from app.storage.embedded_keeper import open_database_url
from migrations.runner import migrate

log = logging.getLogger("headgate")

# How long idle connections stay open once the service is going: a request that its client had sent already
# is read and answered in this time.
IDLE_GRACE_SECONDS = 1.0
# Longer than the clients' pools keep theirs (httpx 5 s, Go 90 s): who closes first decides
# whether a request can meet a connection that is just being closed.
KEEP_ALIVE_SECONDS = 95
BACKLOG = 2048  # connections that the kernel holds for us until we take them


class UnsafeStart(Exception):
    """The service would be open to others with no key to it."""


def serve(settings: Settings) -> None:
    """Migrates, then serves until SIGTERM or Ctrl-C."""
    configure_logging(settings.log_format, settings.log_level)
    refuse_unsafe_start(settings)
    for name in find_unknown_variables():
        log.warning("no setting is called %s: `headgate settings` lists them", name)
    # uvicorn raises the signal that ended it once more when it is done: what we hold must still be let go.
    signal.signal(signal.SIGTERM, end_in_order)
    choice = choose_own_database(settings)
    log.info("the database is %s", choice.describe())
    if choice.note:
        log.warning("%s", choice.note)
    with suppress(KeyboardInterrupt), open_database_url(choice.settings) as url:
        migrate(url)
        ready = settings.model_copy(update={"database_url": SecretStr(url)})
        listener = bind(settings)
        address = describe_address(listener)
        data_dir = None if settings.database_url else choice.settings.data_dir
        with registered(address, choice.where, data_dir):
            log.info("serving on %s, documentation at /docs", address)
            if settings.workers == 1:
                OnlyServer(configure(ready, create_app(ready))).run(sockets=[listener])
            else:
                serve_with_workers(ready, listener)


def end_in_order(*_: object) -> None:
    """On SIGTERM: leave every context on the way out, the embedded Postgres among them."""
    raise SystemExit(0)


def refuse_unsafe_start(settings: Settings) -> None:
    """Closed by default: whoever can reach the service can spend its processors and read what is stored."""
    if not is_loopback(settings.host) and not parse_api_keys(settings.api_keys.get_secret_value()):
        raise UnsafeStart(
            f"Will not listen on {settings.host} without API keys, since others could reach it: set "
            "HEADGATE_API_KEYS to one or more secrets (comma-separated), or listen on 127.0.0.1."
        )


def bind(settings: Settings) -> socket.socket:
    """A listening socket: a taken port is said before anything starts, and early callers wait, not fail."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def describe_address(listener: socket.socket) -> str:
    """As a browser wants it."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def configure(settings: Settings, app: object) -> Config:
    """uvicorn with its fast parts; our own log lines instead of its."""
    return Config(
        app,  # type: ignore[arg-type]  # an application, or the address of its factory
        factory=isinstance(app, str),
        workers=settings.workers,
        loop="auto",
        http="httptools",
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=settings.shutdown_grace_seconds,
    )


class DrainingServer(Server):
    """uvicorn's server, but a request that reached this machine before the end is answered before the end.

    uvicorn closes listener and idle connections at once, and so resets whoever had connected, or sent a
    request that was not read yet.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Every answer now ends its connection, so that clients on lasting ones go elsewhere with the next.
        self.server_state.default_headers.append((b"connection", b"close"))
        for listener in sockets or []:
            await self._accept_the_rest(listener)
        give_up_at = asyncio.get_running_loop().time() + IDLE_GRACE_SECONDS
        while self.server_state.connections and asyncio.get_running_loop().time() < give_up_at:
            await asyncio.sleep(0.01)
        await super().shutdown(sockets)

    async def _accept_the_rest(self, listener: socket.socket) -> None:
        """Closes the listener only after taking in who waits at it: the kernel would reset them."""
        spare = listener.dup()
        spare.setblocking(False)  # noqa: FBT003  # positional only
        for server in self.servers:
            server.close()
        listener.close()
        loop = asyncio.get_running_loop()
        while True:
            try:
                waiting, _ = spare.accept()
            except BlockingIOError:
                spare.close()
                return
            await loop.connect_accepted_socket(self._make_protocol, waiting)

    def _make_protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


class OnlyServer(DrainingServer):
    """The server where there are no workers: with it, the whole service ends."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in sockets or []:
            take_no_more(listener)
        await super().shutdown(sockets)


# A packet filter (classic BPF) in the form of struct sock_filter: load the byte of TCP's flags, drop the packet
# if SYN is among them, else pass it whole.
DROP_NEW_CONNECTIONS = ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
SO_ATTACH_FILTER = 26  # Linux; Python does not name it


def take_no_more(listener: socket.socket) -> None:
    """Lets nobody else connect, so that between the last `accept` and `close` no connection can slip in.

    Whoever tries waits for the second of its first retry, and is then refused, or served by our successor.
    """
    if sys.platform != "linux":
        return  # some microseconds stay in which a new connection would be reset
    instructions = b"".join(struct.pack("HBBI", *one) for one in DROP_NEW_CONNECTIONS)
    kept = ctypes.create_string_buffer(instructions)
    program = struct.pack("HP", len(DROP_NEW_CONNECTIONS), ctypes.addressof(kept))
    with suppress(OSError):  # a kernel without filters: as on other systems
        listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)


class Worker(multiprocess.Process):
    """One server process."""

    @property
    def server(self) -> Server:
        if self._server is None:
            self._server = DrainingServer(self.config)
        return self._server

    def is_alive(self, timeout: float = 0) -> bool:  # noqa: ARG002  # the supervisor's signature
        """Whether the process is there: uvicorn kills who does not answer in 5 s, also who only starts slowly."""
        return self.process.is_alive()

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        threading.Thread(target=end_with_parent, daemon=True).start()
        super().target(sockets)


def end_with_parent() -> None:
    """A worker whose supervisor was killed ends in order, else it would hold the port for ever."""
    parent = parent_process()
    assert parent is not None, "workers are started by the supervisor"
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


class Workers(multiprocess.Multiprocess):
    """uvicorn's supervisor: starts the workers, and another for each that dies."""

    def terminate_all(self) -> None:
        for listener in self.sockets:
            take_no_more(listener)
            listener.close()  # else clients would go on connecting to a socket that nobody serves
        super().terminate_all()

    def keep_subprocess_alive(self) -> None:
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        for dead in before - {process.pid for process in self.processes}:
            mark_process_dead(dead)  # type: ignore[no-untyped-call]


def serve_with_workers(settings: Settings, listener: socket.socket) -> None:
    """Several processes on one socket; they find the database and the shared metrics in their environment."""
    assert settings.database_url is not None
    multiprocess.Process = Worker  # type: ignore[misc]  # the supervisor has no other place to say which it starts
    with tempfile.TemporaryDirectory(prefix="headgate-metrics-") as folder:
        os.environ[f"{PREFIX}DATABASE_URL"] = settings.database_url.get_secret_value()
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        Workers(configure(settings, "app.main:create_app"), sockets=[listener]).run()
