"""`headgate serve`: opens and migrates the database, then serves until SIGTERM without dropping a request."""

import logging
import signal
from contextlib import suppress

from pydantic import SecretStr
from sqlalchemy.exc import SQLAlchemyError

from app.database.database_choice import choose_own_database
from app.database.embedded_keeper import open_database_url
from app.main import create_app
from app.serving.draining import DrainingServer, configure
from app.serving.listeners import bind_listeners, describe_address
from app.serving.observability import configure_logging
from app.serving.running_services import registered
from app.serving.workers import serve_with_workers
from app.settings import Settings, find_unknown_variables
from app.web.security import is_loopback, parse_api_keys
from migrations.runner import migrate

log = logging.getLogger("headgate")


class UnsafeStart(Exception):
    """Other machines could reach the service without a key."""


class DatabaseUnusable(Exception):
    """The database cannot be reached or cannot be migrated."""


def serve(settings: Settings) -> None:
    """Migrates, then serves until SIGTERM or Ctrl-C."""
    configure_logging(settings.log_format, settings.log_level)
    refuse_unsafe_start(settings)
    for name in find_unknown_variables():
        log.warning("no setting is called %s: `headgate settings` lists them", name)
    handle_signals()
    choice = choose_own_database(settings)
    log.info("the database is %s", choice.describe())
    if choice.note:
        log.warning("%s", choice.note)
    with suppress(KeyboardInterrupt), open_database_url(choice.settings) as url:
        migrate_or_refuse(url, choice.where)
        ready = settings.model_copy(update={"database_url": SecretStr(url)})
        listeners = bind_listeners(settings)
        address = describe_address(listeners[0])
        data_dir = None if settings.database_url else choice.settings.data_dir
        with registered(address, choice.where, data_dir):
            log.info("serving on %s, documentation at /docs", address)
            if settings.workers == 1:
                DrainingServer(configure(ready, create_app(ready))).run(sockets=listeners)
            else:
                serve_with_workers(ready, listeners)


def handle_signals() -> None:
    """SIGTERM leaves every context on the way out, so that the embedded Postgres is stopped too; SIGHUP does the same.

    SIGHUP comes when a terminal is closed, and by default kills the process. It reloads nothing here, since settings
    are read once. Under `nohup` SIGHUP is ignored, and stays so.
    """
    # uvicorn raises the signal that ended it once more after its own shutdown, with the handler from before.
    signal.signal(signal.SIGTERM, end_in_order)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def end_in_order(*_: object) -> None:
    """Raises SystemExit, which leaves every context on its way out."""
    raise SystemExit(0)


def migrate_or_refuse(url: str, where: str) -> None:
    """Migrates the database; a failure becomes one sentence that says what to check."""
    try:
        migrate(url)
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).strip()
        raise DatabaseUnusable(
            f"cannot use {where}: {reason}. Check HEADGATE_DATABASE_URL and that Postgres runs there."
        ) from error


def refuse_unsafe_start(settings: Settings) -> None:
    """Refuses addresses that other machines can reach while there is no API key."""
    if not is_loopback(settings.host) and not parse_api_keys(settings.api_keys.get_secret_value()):
        raise UnsafeStart(
            f"Will not listen on {settings.host} without API keys, since others could reach it: set "
            "HEADGATE_API_KEYS to one or more secrets (comma-separated), or listen on 127.0.0.1."
        )
