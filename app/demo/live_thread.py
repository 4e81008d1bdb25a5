"""Lets the live demo run on, in one process of the service at a time, until its time is over."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.database.lone_thread import LoneThread
from app.demo.live.service import LivePlatform, find_live, go_on, resume
from app.demo.platform.live_job import STEP_SECONDS
from app.load.measurements.snapshots import CLOCK_LEAD

MOST_BEHIND = timedelta(minutes=1)


class LiveDemo(LoneThread):
    """Measures, decides and applies every STEP_SECONDS while a live demo is stored and its time is not over."""

    title = "live-demo"
    lock = 0x6C697665  # "live"
    first_seconds = pass_seconds = STEP_SECONDS
    trouble = "the live demo cannot run now"

    def make_pass(self, now: datetime) -> None:
        """Runs interval after interval; returns if another process runs the demo, or nothing is to run."""
        with self.hold_lock() as lock:
            if lock is None:
                return
            platform = None
            while not self.stopped.is_set():
                platform = self.run_interval(platform, now)
                if platform is None:
                    return
                left = platform.until + timedelta(seconds=STEP_SECONDS) - datetime.now(UTC)
                self.stopped.wait(max(left.total_seconds(), 0.0))
                now = datetime.now(UTC)
                lock.execute(text("SELECT 1"))  # raises if the connection, and with it the lock, is lost

    def run_interval(self, platform: LivePlatform | None, now: datetime) -> LivePlatform | None:
        """Stores the interval that ended at `now`; returns the platform, and None if there is nothing to run."""
        with (
            Session(
                self.engine, expire_on_commit=False, info={CLOCK_LEAD: self.settings.clock_lead_seconds}
            ) as session,
            session.begin(),
        ):
            row = find_live(session)
            if row is None or row.runs_until < now:
                return None
            if platform is None or platform.begun_at != row.begun_at or platform.until < now - MOST_BEHIND:
                platform = resume(session, row, now - timedelta(seconds=STEP_SECONDS))
            if platform.until + timedelta(seconds=STEP_SECONDS) <= now:
                go_on(session, self.settings, platform, row)
        return platform
