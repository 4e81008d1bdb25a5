"""Counts, hour by hour, for how long E[T] was measured and for how long it was within the target of that time.

A pass counts again each hour of the last days for which snapshots were stored since the pass before, late ones too. So
an older hour is judged by the target that the policy had when its snapshots came.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, Double, literal_column, text

KEPT_DAYS = 7
LATE = timedelta(minutes=5)
"""A transaction that began so long before a pass may end after it."""

SOJOURN_TARGET = """coalesce(
    CAST(policies.policy #>> '{goal,t_max_seconds}' AS float8),
    CASE WHEN policies.policy #>> '{goal,target,of}' = 'total' AND policies.policy #>> '{goal,target,quantile}' IS NULL
      THEN CAST(policies.policy #>> '{goal,target,seconds}' AS float8) END
  )"""
"""SQL for the target of E[T] of a stored policy in seconds; null: none, or one of another time."""
SOJOURN_TARGET_SECONDS = literal_column(SOJOURN_TARGET, Double)
"""The same for a query in which the PolicyRow stands."""
LAST_COUNT = "SELECT max(counted_at) FROM hourly_kept"
CHANGED = """
SELECT topology_id, array_agg(DISTINCT date_trunc('hour', observed_at, 'UTC')) AS hours FROM snapshots
WHERE stored_at > :since AND observed_at >= :first AND observed_at < :now GROUP BY 1 ORDER BY 1
"""
EVERY = """
SELECT id AS topology_id, array(SELECT generate_series(CAST(:first AS timestamptz), :now, '1 hour')) AS hours
FROM topologies ORDER BY 1
"""
COUNT = """
WITH counted AS (
  INSERT INTO hourly_kept AS h (topology_id, hour, judged_seconds, kept_seconds)
  SELECT s.topology_id, hours.hour, sum(s.window_seconds),
    coalesce(sum(s.window_seconds) FILTER (WHERE s.measured_sojourn_seconds <= goal.seconds), 0)
  FROM policies CROSS JOIN LATERAL (SELECT SOJOURN_TARGET AS seconds) goal
  CROSS JOIN LATERAL unnest(CAST(:hours AS timestamptz[])) AS hours (hour)
  JOIN snapshots s ON s.topology_id = policies.topology_id AND s.observed_at >= hours.hour
    AND s.observed_at < hours.hour + interval '1 hour'
  WHERE policies.topology_id = :topology AND goal.seconds IS NOT NULL AND s.measured_sojourn_seconds IS NOT NULL
  GROUP BY 1, 2
  ON CONFLICT (topology_id, hour) DO UPDATE SET judged_seconds = excluded.judged_seconds,
    kept_seconds = excluded.kept_seconds, counted_at = now()
  RETURNING 1
)
SELECT count(*) FROM counted
""".replace("SOJOURN_TARGET", SOJOURN_TARGET)
DROP = "DELETE FROM hourly_kept WHERE hour < :first"


def count_hours(connection: Connection, topology: int, hours: Sequence[datetime]) -> int:
    """Counts these hours of a topology anew; returns the number of those that have anything to judge."""
    found: int = connection.execute(text(COUNT), {"topology": topology, "hours": list(hours)}).scalar_one()
    return found


class KeptHours:
    """Remembers when it counted last; a process that begins reads it from what is stored."""

    def __init__(self) -> None:
        self.counted: datetime | None = None

    def count(self, connection: Connection, now: datetime, minutes_days: int) -> int:
        """Counts the hours that changed, and drops old ones; returns the number of counted hours.

        `minutes_days`: snapshots that are older were deleted (0: none were), and their hours stay as they are.
        """
        whole = now.replace(minute=0, second=0, microsecond=0)
        oldest = whole - timedelta(days=KEPT_DAYS)
        first = max(oldest, whole - timedelta(days=minutes_days)) if minutes_days else oldest
        since = self.counted or connection.scalar(text(LAST_COUNT))
        began: datetime = connection.execute(text("SELECT now()")).scalar_one()
        terms = {"first": first, "now": now}
        if since is None:
            rows = connection.execute(text(EVERY), terms).all()
        else:
            rows = connection.execute(text(CHANGED), terms | {"since": since - LATE}).all()
        found = sum(count_hours(connection, topology, hours) for topology, hours in rows)
        connection.execute(text(DROP), {"first": oldest})
        self.counted = began
        return found
