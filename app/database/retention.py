"""Keeps history small, in the background: rolls old snapshots up to hours, and deletes old decisions to hold.

Before that it counts, hour by hour, for how long each topology was within its target (kept_hours.py). Where a setting
says so, it also deletes old summaries of the ingest: whole days as partitions.

Every step is one short statement, which moves at most MOST_ROWS rows and is done whole or not at all: a crash at any
point leaves nothing to clean up.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection, MetaData, Table, text
from sqlalchemy.schema import DropTable

from app.database.kept_hours import KeptHours
from app.database.lone_thread import LoneThread
from app.database.tables import name_day
from app.settings import Settings

PAUSE_SECONDS = 0.05
MOST_ROWS = 1000

ROLL_UP = """
WITH gone AS (
  DELETE FROM snapshots s USING (
    SELECT topology_id, observed_at, window_seconds FROM snapshots
    WHERE topology_id = :topology AND observed_at < :before ORDER BY observed_at LIMIT :most
  ) old
  WHERE s.topology_id = old.topology_id AND s.observed_at = old.observed_at
    AND s.window_seconds = old.window_seconds
  RETURNING s.*
), hours AS (
  SELECT topology_id, date_trunc('hour', observed_at, 'UTC') AS hour, count(*) AS snapshots,
    count(measured_sojourn_seconds) AS sojourns, sum(external_rate) AS rate_sum, max(external_rate) AS highest_rate,
    coalesce(sum(external_rate * window_seconds) FILTER (WHERE measured_sojourn_seconds IS NOT NULL), 0)
      AS measured_tuples,
    coalesce(sum(measured_sojourn_seconds * external_rate * window_seconds), 0) AS sojourn_tuples,
    coalesce(sum(measured_sojourn_seconds), 0) AS sojourn_sum, max(observed_at) AS newest_at,
    (array_agg(external_rate ORDER BY observed_at DESC, window_seconds))[1] AS newest_rate,
    (array_agg(operators ORDER BY observed_at DESC, window_seconds))[1] AS operators
  FROM gone GROUP BY 1, 2
), kept AS (
  INSERT INTO hourly_loads AS h (topology_id, hour, snapshots, sojourns, rate_sum, highest_rate, measured_tuples,
    sojourn_tuples, sojourn_sum, newest_at, newest_rate, operators)
  SELECT * FROM hours
  ON CONFLICT (topology_id, hour) DO UPDATE SET
    snapshots = h.snapshots + excluded.snapshots, sojourns = h.sojourns + excluded.sojourns,
    rate_sum = h.rate_sum + excluded.rate_sum, highest_rate = greatest(h.highest_rate, excluded.highest_rate),
    measured_tuples = h.measured_tuples + excluded.measured_tuples,
    sojourn_tuples = h.sojourn_tuples + excluded.sojourn_tuples, sojourn_sum = h.sojourn_sum + excluded.sojourn_sum,
    newest_at = greatest(h.newest_at, excluded.newest_at),
    newest_rate = CASE WHEN excluded.newest_at >= h.newest_at THEN excluded.newest_rate ELSE h.newest_rate END,
    operators = CASE WHEN excluded.newest_at >= h.newest_at THEN excluded.operators ELSE h.operators END
)
SELECT count(*) FROM gone
"""
# Decisions of a week may be stored as what differs from one of the same week, so whole weeks are deleted.
DROP_HOLDS = """
WITH gone AS (
  DELETE FROM decisions WHERE id IN (
    SELECT id FROM decisions
    WHERE topology_id = :topology AND decided_for < date_trunc('week', CAST(:before AS timestamptz), 'UTC')
      AND action = 'hold' AND outcome IS NULL
    ORDER BY changed IS NULL, decided_for LIMIT :most
  ) RETURNING 1
)
SELECT count(*) FROM gone
"""
DROP_HOURS = """
WITH gone AS (DELETE FROM hourly_loads WHERE topology_id = :topology AND hour < :before RETURNING 1)
SELECT count(*) FROM gone
"""
DROP_WINDOWS = """
WITH gone AS (
  DELETE FROM topology_summaries s USING (
    SELECT topology_id, window_start, window_seconds FROM topology_summaries
    WHERE topology_id = :topology AND window_start < :before LIMIT :most
  ) old
  WHERE s.topology_id = old.topology_id AND s.window_start = old.window_start
    AND s.window_seconds = old.window_seconds
  RETURNING 1
)
SELECT count(*) FROM gone
"""
LIST_DAYS = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'operator_summaries'::regclass AND c.relname < :day
"""
LOCK_TIMEOUT = "SET lock_timeout = '1s'"
"""What waits for the lock of a drop waits no longer; the next pass tries again."""


class Retention(LoneThread):
    """Makes a pass through all topologies from time to time."""

    title = "retention"
    lock = 0x6B656570  # "keep"
    first_seconds, pass_seconds = 60.0, 600.0
    trouble = "old data cannot be rolled up now"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.kept_hours = KeptHours()

    def make_pass(self, now: datetime) -> dict[str, int]:
        """Rolls up and deletes what is too old at `now`; returns the numbers of rows. {}: another process does it."""
        with self.hold_lock() as connection:
            if connection is None:
                return {}
            moved = {"kept": self.kept_hours.count(connection, now, self.settings.keep_minutes_days)}
            moved |= {name: self._repeat(connection, sql, now - age) for name, sql, age in self._list_steps()}
            if days := self.settings.keep_summaries_days:
                moved["days"] = self._drop_days(connection, now - timedelta(days=days))
            return moved

    def _list_steps(self) -> list[tuple[str, str, timedelta]]:
        minutes, hours = self.settings.keep_minutes_days, self.settings.keep_hours_days
        steps = [
            ("snapshots", ROLL_UP, minutes),
            ("holds", DROP_HOLDS, minutes),
            ("hours", DROP_HOURS, hours),
            ("windows", DROP_WINDOWS, self.settings.keep_summaries_days),
        ]
        return [(name, sql, timedelta(days=days)) for name, sql, days in steps if days]

    def _repeat(self, connection: Connection, sql: str, before: datetime) -> int:
        """Runs a step for each topology until nothing is left to do; returns the number of rows."""
        moved = 0
        whole = before.replace(minute=0, second=0, microsecond=0)
        for topology in connection.scalars(text("SELECT id FROM topologies ORDER BY id")).all():
            bounds = {"topology": topology, "before": whole, "most": MOST_ROWS}
            known = {name: value for name, value in bounds.items() if f":{name}" in sql}
            while not self.stopped.is_set():
                count: int = connection.execute(text(sql), known).scalar_one()
                moved += count
                if count < MOST_ROWS:
                    break
                self.stopped.wait(PAUSE_SECONDS)
        return moved

    def _drop_days(self, connection: Connection, before: datetime) -> int:
        """Drops each day of summaries of operators that ended before; returns the number of days."""
        days = connection.scalars(text(LIST_DAYS), {"day": name_day(before.date())}).all()
        connection.execute(text(LOCK_TIMEOUT))
        for day in days:
            connection.execute(DropTable(Table(day, MetaData())))
        return len(days)
