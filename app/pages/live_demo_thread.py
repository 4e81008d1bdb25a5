"""Lets the live demo run on, in one process of the service at a time, until its time is over."""

import logging
import threading
from datetime import UTC, datetime, timedelta

from sqlalchemy import NullPool, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.database.connections.watched_connections import make_watched_engine
from app.load.measurements.snapshots import CLOCK_LEAD
from app.pages.live_demo.service import LivePlatform, find_live, go_on, resume
from app.pages.live_platform.live_job import STEP_SECONDS
from app.settings import Settings
from planner.errors import FieldsError

log = logging.getLogger(__name__)

LIVE_LOCK = 0x6C697665  # "live"
MOST_BEHIND = timedelta(minutes=1)


class LiveDemo(threading.Thread):
    """Measures, decides and applies every STEP_SECONDS while a live demo is stored and its time is not over."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(name="live-demo", daemon=True)
        assert settings.database_url is not None, "open_database has checked it"
        self._settings = settings
        self._stopped = threading.Event()
        self._engine = make_watched_engine(
            settings.database_url.get_secret_value(),
            "headgate-live-demo",
            settings.database_statement_timeout_seconds,
            poolclass=NullPool,
        )

    def stop(self) -> None:
        """Ends the thread after the interval that is stored now."""
        self._stopped.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Runs the demo whenever no other process does, until `stop`."""
        while not self._stopped.wait(STEP_SECONDS):
            try:
                self.run_alone()
            except (SQLAlchemyError, FieldsError) as error:
                log.warning("the live demo cannot run now: %s", str(error).splitlines()[0])

    def run_alone(self) -> None:
        """Holds the lock, and runs interval after interval; returns if another process runs, or nothing is to run."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as lock:
            if not lock.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": LIVE_LOCK}):
                return
            platform = None
            while not self._stopped.is_set():
                platform = self.run_interval(platform, datetime.now(UTC))
                if platform is None:
                    return
                left = platform.until + timedelta(seconds=STEP_SECONDS) - datetime.now(UTC)
                self._stopped.wait(max(left.total_seconds(), 0.0))
                lock.execute(text("SELECT 1"))  # raises if the connection, and with it the lock, is lost

    def run_interval(self, platform: LivePlatform | None, now: datetime) -> LivePlatform | None:
        """Stores the interval that ended at `now`; returns the platform, and None if there is nothing to run."""
        with (
            Session(
                self._engine, expire_on_commit=False, info={CLOCK_LEAD: self._settings.clock_lead_seconds}
            ) as session,
            session.begin(),
        ):
            row = find_live(session)
            if row is None or row.runs_until < now:
                return None
            if platform is None or platform.begun_at != row.begun_at or platform.until < now - MOST_BEHIND:
                platform = resume(session, row, now - timedelta(seconds=STEP_SECONDS))
            if platform.until + timedelta(seconds=STEP_SECONDS) <= now:
                go_on(session, self._settings, platform, row)
        return platform
