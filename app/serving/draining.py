"""The server: uvicorn's, with a shutdown that answers every request that reached this machine before it."""

import asyncio
import socket

from uvicorn import Config, Server

from app.serving.listeners import BACKLOG, refuse_new_connections
from app.settings import Settings

# How long idle connections stay open after the service was told to end: a request that a client had already sent
# is read and answered in this time.
IDLE_GRACE_SECONDS = 1.0
# Longer than the pools of clients keep their connections (httpx 5 s, Go 90 s): the side that closes first decides
# whether a request can meet a connection that is just being closed.
KEEP_ALIVE_SECONDS = 95


def configure(settings: Settings, app: object) -> Config:
    """uvicorn with its fast parts; the service writes its own log lines."""
    return Config(
        app,  # type: ignore[arg-type]  # an application, or the address of its factory
        factory=isinstance(app, str),
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
    """uvicorn's server; a request that reached this machine before the end is answered before the end.

    uvicorn closes the listener and idle connections at once: it resets clients that had connected, and clients whose
    request was not read yet.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Every answer now ends its connection, so that clients use a new connection for their next request.
        self.server_state.default_headers.append((b"connection", b"close"))
        for listener in sockets or []:
            refuse_new_connections(listener)
            await self._accept_waiting(listener)
        give_up_at = asyncio.get_running_loop().time() + IDLE_GRACE_SECONDS
        while self.server_state.connections and asyncio.get_running_loop().time() < give_up_at:
            await asyncio.sleep(0.01)
        await super().shutdown(sockets)

    async def _accept_waiting(self, listener: socket.socket) -> None:
        """Closes the listener after accepting all waiting connections: the kernel would reset them."""
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
