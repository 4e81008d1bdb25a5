"""The URL of the configured database, or of an embedded Postgres that is started again when it dies."""

import logging
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from app.database.embedded_postgres import EmbeddedPostgresError, shared_postgres
from app.settings import Settings

log = logging.getLogger(__name__)


@contextmanager
def open_database_url(settings: Settings) -> Iterator[str]:
    """The URL of the configured database, or of an embedded Postgres that runs while the context lasts."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    with kept_postgres(settings.data_dir) as url:
        yield url


@contextmanager
def kept_postgres(data_dir: Path) -> Iterator[str]:
    """The shared Postgres of the folder; a thread starts it again if it dies while the context lasts."""
    with shared_postgres(data_dir) as url:
        ending, ended = socket.socketpair()
        keeper = threading.Thread(target=_keep, args=[data_dir, url, ended], daemon=True)
        keeper.start()
        try:
            yield url
        finally:
            ending.close()
            keeper.join()
            ended.close()


def _keep(data_dir: Path, url: str, ended: socket.socket) -> None:
    while _wait_for_death(url, ended):
        log.warning("Postgres on %s has died: starting it again", data_dir)
        try:
            # Entering starts a server that does not run. Leaving does not stop it, since the service still uses it.
            with shared_postgres(data_dir) as found:
                pass
        except EmbeddedPostgresError:
            log.exception("Postgres on %s cannot be started again yet", data_dir)
            continue
        if found != url:
            log.error("Postgres on %s has lost its port to another program: restart the service", data_dir)
            return


def _wait_for_death(url: str, ended: socket.socket) -> bool:
    """Waits until the server dies (True) or the context ends (False); a connection ends at once with its server."""
    try:
        with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5) as connection:
            readable, _, _ = select.select([connection.fileno(), ended.fileno()], [], [])
    except psycopg.OperationalError:
        readable, _, _ = select.select([ended.fileno()], [], [], 0)
    return ended.fileno() not in readable
