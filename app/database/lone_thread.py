"""A thread of the service whose work one process on a database does at a time.

Who works holds an advisory lock, which ends with its connection: a process that dies leaves nothing locked.
"""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import Connection, NullPool, text
from sqlalchemy.exc import SQLAlchemyError

from app.database.connections.watched_connections import make_watched_engine
from app.settings import Settings
from planner.errors import FieldsError

log = logging.getLogger(__name__)


class LoneThread(threading.Thread, ABC):
    """Works from time to time until `stop`, on connections of its own: the service's pool is for requests."""

    title: str
    """Its name, also among the connections of the database."""
    lock: int
    """The number of the advisory lock; no other lock of the database uses it."""
    first_seconds: float
    pass_seconds: float
    """The time from the start of the service until it works first, and from then on between two passes."""
    trouble: str
    """The beginning of the warning that a pass failed."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(name=self.title, daemon=True)
        assert settings.database_url is not None, "open_database has checked it"
        self.settings = settings
        self.stopped = threading.Event()
        self.engine = make_watched_engine(
            settings.database_url.get_secret_value(),
            f"headgate-{self.title}",
            settings.database_statement_timeout_seconds,
            poolclass=NullPool,
        )

    def stop(self) -> None:
        """Ends the thread after the step that runs."""
        self.stopped.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Works until `stop`; a pass that fails is tried again."""
        wait = self.first_seconds
        while not self.stopped.wait(wait):
            wait = self.pass_seconds
            try:
                self.make_pass(datetime.now(UTC))
            except (SQLAlchemyError, FieldsError) as error:
                log.warning("%s: %s", self.trouble, str(error).splitlines()[0])

    @abstractmethod
    def make_pass(self, now: datetime) -> object:
        """Works once, on what there is to do at `now`."""

    @contextmanager
    def hold_lock(self) -> Iterator[Connection | None]:
        """A connection that holds the lock; None: another process holds it."""
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            is_held = connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": self.lock})
            yield connection if is_held else None
