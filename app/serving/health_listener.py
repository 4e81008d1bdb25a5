"""A second listener with a thread of its own for /healthz, /readyz and /metrics, which answers while workers compute.

With several workers the thread belongs to the supervisor, which computes nothing.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread, current_thread

from uvicorn import Server

from app.main import create_health_app
from app.serving.server import CannotListen, bind, configure, describe_address
from app.settings import Settings
from app.web.callers.keys import KeyRing
from app.web.life_signs import LifeSigns

log = logging.getLogger("headgate")

THREAD = "health"


@contextmanager
def listening_for_health(settings: Settings, keys: KeyRing, life_signs: LifeSigns) -> Iterator[str | None]:
    """Serves on the health port during the block; yields its address, None if the settings name no such port."""
    if settings.health_port is None:
        yield None
        return
    try:
        listener = bind(settings.host, settings.health_port)
    except OSError as error:
        change = "Set HEADGATE_HEALTH_PORT to another port"
        raise CannotListen(settings.host, settings.health_port, error, change) from error
    logging.getLogger("uvicorn.error").addFilter(is_news)
    server = Server(configure(settings, create_health_app(settings, keys, life_signs)))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]}, name=THREAD, daemon=True)
    thread.start()
    address = describe_address(listener)
    log.info("health, readiness and metrics alone: %s", address)
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()


def is_news(record: logging.LogRecord) -> bool:
    """Drops what uvicorn says about start and end of this server: the main one says the same."""
    return record.levelno >= logging.WARNING or current_thread().name != THREAD
