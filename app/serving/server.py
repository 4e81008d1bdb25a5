"""Listening sockets, and uvicorn's server with a shutdown that answers every request that reached this machine."""

import asyncio
import ctypes
import gc
import logging
import socket
import struct
import sys
from contextlib import suppress

from starlette.types import ASGIApp
from uvicorn import Config, Server

from app.settings import Settings
from app.web.life_signs import LifeSigns

log = logging.getLogger(__name__)

BACKLOG = 2048  # connections that the kernel holds until the service accepts them
ACCEPTED_AT_ONCE = 64  # in one iteration of the event loop
NOT_ACCEPTING_SECONDS = 0.5  # after a failure
EACH_WORKER_BINDS = sys.platform == "linux"
"""Whether the kernel spreads connections over several sockets that listen at one port."""

# A packet filter (classic BPF) as an array of struct sock_filter: it loads the byte with TCP's flags, drops the packet
# if SYN is set, and otherwise accepts the whole packet.
DROP_NEW_CONNECTIONS = ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
SO_ATTACH_FILTER = 26  # Linux; Python has no name for it


class CannotListen(Exception):
    """The error that the service cannot listen at an address: it is in use, of another machine, or not allowed."""

    def __init__(self, host: str, port: int | None, reason: OSError, change: str) -> None:
        super().__init__(
            f"cannot listen on {host}:{port}: {reason.strerror or reason}. {change}, or end the program that uses "
            "this one."
        )


def bind_listeners(settings: Settings) -> list[socket.socket]:
    """One listener per worker; clients that connect before a worker accepts wait in the listener's queue.

    Only Linux spreads connections over sockets of one port (SO_REUSEPORT); elsewhere the workers share one socket.
    """
    try:
        return bind_each(settings)
    except OSError as error:
        change = "Choose another address with --host and --port"
        raise CannotListen(settings.host, settings.port, error, change) from error


def bind_each(settings: Settings) -> list[socket.socket]:
    first = bind(settings.host, settings.port)
    if settings.workers == 1 or not EACH_WORKER_BINDS:
        return [first] * settings.workers
    # With SO_REUSEPORT, bind() succeeds even where another service of this user already listens on the port. The first
    # socket was bound without it, which fails on a taken port.
    port = first.getsockname()[1]
    first.close()
    return [bind(settings.host, port, shares_port=True) for _ in range(settings.workers)]


def bind(host: str, port: int, *, shares_port: bool = False, listens: bool = True) -> socket.socket:
    """Makes a socket that listens at this host and port; `shares_port` lets several sockets listen at one port.

    A socket that does not listen keeps the port for this user: other programs cannot take it.
    """
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shares_port:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
        if listens:
            listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def describe_address(listener: socket.socket) -> str:
    """The URL at which a listener takes requests."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def refuse_new_connections(listener: socket.socket) -> None:
    """Drops the first packet of each new connection, so that none is made between the last `accept` and `close`.

    The client's kernel sends the packet again after one second; by then the port is closed, or a new service listens.
    """
    if sys.platform != "linux":
        return  # a connection made in the microseconds before `close` is reset
    instructions = b"".join(struct.pack("HBBI", *one) for one in DROP_NEW_CONNECTIONS)
    kept = ctypes.create_string_buffer(instructions)
    program = struct.pack("HP", len(DROP_NEW_CONNECTIONS), ctypes.addressof(kept))
    with suppress(OSError):  # a kernel without packet filters
        listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)


# Idle connections stay open for this time after SIGTERM, so that a request that a client has already sent is read and
# answered.
IDLE_GRACE_SECONDS = 1.0
# Longer than clients keep idle connections in their pools (httpx 5 s, Go 90 s), so that the client closes first: if
# the server closed first, a client could send a request on a connection that is just being closed.
KEEP_ALIVE_SECONDS = 95


def configure(settings: Settings, app: ASGIApp) -> Config:
    """uvicorn's configuration: its fastest parts, and no log of requests, because the service writes its own."""
    return Config(
        app,
        loop="auto",
        http="app.serving.connections:LimitedConnection",  # loaded by the workers only
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # app/web/callers/proxies.py reads them, from trusted proxies only
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=settings.shutdown_grace_seconds,
    )


# By default Python looks for unreachable cycles after 700 new objects, which are those of a few requests, and now and
# then looks through all objects of the process.
OBJECTS_BETWEEN_COLLECTIONS = 20_000


def spare_collector() -> None:
    """Excludes the objects that the process has loaded from garbage collection, and collects less often.

    Collections took half of the processor time of many small requests that came at once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)


class DrainingServer(Server):
    """uvicorn's server; a request that reached this machine before SIGTERM is answered.

    uvicorn's own shutdown closes the listener and idle connections at once: clients whose connection was not accepted
    yet, or whose request was not read yet, are reset.
    """

    def __init__(self, config: Config, life_signs: LifeSigns, worker: int = 0) -> None:
        super().__init__(config)
        self._life_signs = life_signs
        self._worker = worker
        self._connecting: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts the service. uvloop itself would accept one connection in each iteration of its loop: while many
        requests compute, new connections would wait for seconds.
        """
        await super().startup([])
        for listener in sockets or []:
            listener.setblocking(False)  # noqa: FBT003  # positional only
            self._accept_again(listener)
        spare_collector()

    async def on_tick(self, counter: int) -> bool:
        """Runs ten times a second while the server serves."""
        self._life_signs.show(self._worker)
        return await super().on_tick(counter)

    def _accept_again(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:
            asyncio.get_running_loop().add_reader(listener, self._accept_some, listener)

    def _accept_some(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            for _ in range(ACCEPTED_AT_ONCE):
                connection, _ = listener.accept()
                connecting = loop.create_task(self._connect(connection))
                self._connecting.add(connecting)
                connecting.add_done_callback(self._connecting.discard)
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:  # no file descriptor or no memory is left
            log.warning("connections cannot be accepted: %s", error.strerror)
            loop.remove_reader(listener)
            loop.call_later(NOT_ACCEPTING_SECONDS, self._accept_again, listener)

    async def _connect(self, connection: socket.socket) -> None:
        connection.setblocking(False)  # noqa: FBT003  # positional only
        with suppress(OSError):  # the client has left
            await asyncio.get_running_loop().connect_accepted_socket(self._make_protocol, connection)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._life_signs.clear(self._worker)
        # From now on every answer closes its connection, so that a client's next request uses a new one.
        self.server_state.default_headers.append((b"connection", b"close"))
        for listener in sockets or []:
            refuse_new_connections(listener)
            await self._accept_waiting(listener)
        give_up_at = asyncio.get_running_loop().time() + IDLE_GRACE_SECONDS
        while self.server_state.connections and asyncio.get_running_loop().time() < give_up_at:
            await asyncio.sleep(0.01)
        await super().shutdown(sockets)

    async def _accept_waiting(self, listener: socket.socket) -> None:
        """Accepts all waiting connections and closes the listener: the kernel would reset those not accepted."""
        asyncio.get_running_loop().remove_reader(listener)
        with listener, suppress(BlockingIOError):
            while True:
                await self._connect(listener.accept()[0])
        await asyncio.gather(*self._connecting)

    def _make_protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
