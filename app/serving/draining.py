"""uvicorn's server, with a shutdown that answers every request that reached this machine before the shutdown."""

import asyncio
import socket

from starlette.types import ASGIApp
from uvicorn import Config, Server

from app.serving.listeners import BACKLOG, refuse_new_connections
from app.settings import Settings

# Idle connections stay open for so long after SIGTERM: a request that a client has already sent is still read and
# answered.
IDLE_GRACE_SECONDS = 1.0
# Longer than clients keep idle connections in their pools (httpx 5 s, Go 90 s), so that the client closes first: if
# the server closed first, a client could send a request on a connection that is just being closed.
KEEP_ALIVE_SECONDS = 95


def configure(settings: Settings, app: ASGIApp) -> Config:
    """uvicorn's configuration with its fast parts; the service writes its own log lines."""
    return Config(
        app,
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
    """uvicorn's server; a request that reached this machine before SIGTERM is answered.

    uvicorn's own shutdown closes the listener and idle connections at once: clients whose connection was not accepted
    yet, or whose request was not read yet, are reset.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # From now on every answer closes its connection, so that clients open a new one for their next request.
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
