"""Gauges of topologies on /metrics, read from the database when they are asked for.

Whichever worker is asked reads the same rows, so that the numbers are right however many there are, and a deleted
topology vanishes. A value that is not known, or too old to be trusted, is absent: never 0.
"""

import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from anyio import CapacityLimiter, move_on_after, to_thread
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from app.load.measurements.freshness import DEFAULT_LIMIT_SECONDS
from app.load.measurements.snapshots import LEAST_COVERED

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 4.0
"""Prometheus gives up a scrape after 10 s unless told otherwise; the service's own metrics must not be lost with it."""

NEWEST = text("""
WITH newest AS (
    SELECT t.id, t.name, t.revision, s.*, count(*) OVER () AS measured
    FROM topologies t
    CROSS JOIN LATERAL (
        SELECT observed_at, window_seconds, external_rate, measured_sojourn_seconds, operators
        FROM snapshots
        WHERE topology_id = t.id AND coalesce(covered_seconds, window_seconds) >= :least_covered * window_seconds
        ORDER BY observed_at DESC, window_seconds DESC
        LIMIT 1
    ) s
    ORDER BY s.observed_at DESC, t.name
    LIMIT :topologies
)
SELECT newest.name, newest.observed_at, newest.window_seconds, newest.external_rate, newest.measured,
    newest.measured_sojourn_seconds,
    (SELECT count(*) FROM jsonb_object_keys(newest.operators)) AS operators,
    (SELECT jsonb_object_agg(o.key, o.value->'processors')
     FROM (SELECT * FROM jsonb_each(newest.operators) ORDER BY key LIMIT :operators) o) AS running,
    p.policy->'max_snapshot_age_seconds' AS limit_seconds,
    d.decided_for,
    (SELECT jsonb_object_agg(o.key, o.value)
     FROM (SELECT * FROM jsonb_each(d.recommended || coalesce(c.made, '{}')) ORDER BY key LIMIT :operators) o)
        AS recommended,
    d.answer->'expected_sojourn_seconds' AS expected,
    d.answer->'current'->'expected_sojourn_seconds' AS expected_of_running,
    d.answer->'current'->'stable' AS stable,
    d.answer->'external_rate' AS decided_rate,
    d.answer->'counterfactuals'->'holds_up_to_rate' AS holds_up_to_rate
FROM newest
LEFT JOIN policies p ON p.topology_id = newest.id
LEFT JOIN LATERAL (
    SELECT decided_for, answer, answer->'processors'->'recommended' AS recommended,
        action = 'hold' AND (answer->>'cooldown_left_seconds')::float > 0 AS waits
    FROM decisions
    WHERE topology_id = newest.id AND revision = newest.revision AND answer->'policy' @> coalesce(p.policy, '{}')
    ORDER BY decided_for DESC, created_at DESC
    LIMIT 1
) d ON true
LEFT JOIN LATERAL (
    SELECT answer->'processors'->(CASE outcome->>'state' WHEN 'rolled-back' THEN 'current' ELSE 'recommended' END)
        || CASE jsonb_typeof(outcome->'processors') WHEN 'object' THEN outcome->'processors' ELSE '{}' END AS made
    FROM decisions
    WHERE topology_id = newest.id AND revision = newest.revision AND action <> 'hold'
        AND decided_for < d.decided_for
        AND coalesce(outcome->>'state', '') NOT IN ('refused', 'failed')
    ORDER BY decided_for DESC, created_at DESC, id
    LIMIT 1
) c ON d.waits
""")


class GaugeBounds(NamedTuple):
    """How many topologies, and how many operators of each, have gauges."""

    topologies: int
    operators: int


async def read_gauges(engine: Engine, bounds: GaugeBounds, limiter: CapacityLimiter) -> "TopologyGauges":
    """The gauges; where the database cannot be read within PATIENCE_SECONDS, the one that says so."""
    found = None
    if bounds.topologies:
        with move_on_after(PATIENCE_SECONDS):
            found = await to_thread.run_sync(
                read_rows, engine, bounds, limiter=limiter, abandon_on_cancel=True
            )
    return TopologyGauges(found, bounds, datetime.now(UTC))


def read_rows(engine: Engine, bounds: GaugeBounds) -> list[dict[str, Any]] | None:
    """What is stored of the topologies with the newest snapshots, in one query; None where it cannot be read.

    `recommended` is what KEDA is told (app/deciding/keda): by the newest decision under the stored policy, and while
    that waits for the end of a cooldown, by the change that began it.
    """
    values = {"least_covered": LEAST_COVERED, **bounds._asdict()}
    try:
        with engine.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(NEWEST, values)]  # noqa: SLF001 - SQLAlchemy's API
    except SQLAlchemyError as error:
        log.warning("the gauges of topologies cannot be read: %s", str(error).splitlines()[0])
        return None


class TopologyGauges(Collector):
    """The rows as metrics; `rows` is None where they could not be read."""

    def __init__(self, rows: list[dict[str, Any]] | None, bounds: GaugeBounds, now: datetime) -> None:
        self.rows, self.bounds, self.now = rows, bounds, now

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """One family for each gauge."""
        if not self.bounds.topologies:
            return []
        up = make_gauge("topology_gauges_up", "1: the gauges of topologies could be read from the database")
        up.add_metric([], float(self.rows is not None))
        return [up] if self.rows is None else [up, self.count_omitted(), *self.make_families()]

    def count_omitted(self) -> GaugeMetricFamily:
        """What the bounds leave out."""
        rows = self.rows or []
        family = make_gauge("topology_gauges_omitted", "Topologies and operators beyond the bounds", "kind")
        measured = rows[0]["measured"] if rows else 0
        family.add_metric(["topologies"], measured - len(rows))
        left_out = sum(max(0, row["operators"] - self.bounds.operators) for row in rows)
        family.add_metric(["operators"], left_out)
        return family

    def make_families(self) -> list[GaugeMetricFamily]:
        """The gauges of all topologies."""
        processors = make_gauge(
            "processors",
            "Processors of an operator: as measured, and as the newest decision recommends",
            "topology",
            "operator",
            "kind",
        )
        families = {name: make_gauge(name, said, "topology") for name, said in OF_TOPOLOGY.items()}
        for row in self.rows or []:
            for kind, operator, count in list_processors(row, self.now):
                processors.add_metric([row["name"], operator, kind], count)
            for name, value in find_values(row, self.now).items():
                if value is not None:
                    families[name].add_metric([row["name"]], value)
        return [processors, *families.values()]


OF_TOPOLOGY = {
    "snapshot_age_seconds": "Time since the newest snapshot ended",
    "external_rate": "Tuples per second from outside, as measured",
    "measured_sojourn_seconds": "E[T] as measured",
    "running_sojourn_seconds": "E[T] that the model expects with the processors that run; absent: infinite",
    "running_stable": "1: every operator keeps up with the processors that run",
    "expected_sojourn_seconds": "E[T] that the model expects with the recommended processors; absent: infinite",
    "headroom_rate": "Tuples per second more at which the recommended processors still meet the goal",
}


def make_gauge(name: str, said: str, *labels: str) -> GaugeMetricFamily:
    """An empty gauge."""
    return GaugeMetricFamily(f"headgate_{name}", said, labels=labels)


def find_age(row: Mapping[str, Any], now: datetime) -> float:
    """Seconds since the newest snapshot ended."""
    began: datetime = row["observed_at"]
    return now.timestamp() - began.timestamp() - float(row["window_seconds"])


def find_limit(row: Mapping[str, Any]) -> float:
    """The age up to which measurements are trusted."""
    limit = row["limit_seconds"]
    return DEFAULT_LIMIT_SECONDS if limit is None else float(limit)


def has_decided(row: Mapping[str, Any], now: datetime) -> bool:
    """Whether the newest decision rests on measurements that are still trusted."""
    at = row["decided_for"]
    return at is not None and (now - at).total_seconds() <= find_limit(row)


def list_processors(row: Mapping[str, Any], now: datetime) -> list[tuple[str, str, int]]:
    """Kind, operator and processors."""
    running = row["running"] if find_age(row, now) <= find_limit(row) else None
    recommended = row["recommended"] if has_decided(row, now) else None
    return [
        (kind, operator, count)
        for kind, counts in (("running", running), ("recommended", recommended))
        for operator, count in (counts or {}).items()
        if count is not None
    ]


def find_values(row: Mapping[str, Any], now: datetime) -> dict[str, float | None]:
    """The values of OF_TOPOLOGY; None where one is not known."""
    age = find_age(row, now)
    values: dict[str, float | None] = {"snapshot_age_seconds": age}
    if age <= find_limit(row):
        values |= {name: row[name] for name in ("external_rate", "measured_sojourn_seconds")}
    if has_decided(row, now):
        holds, rate = row["holds_up_to_rate"], row["decided_rate"]
        values |= {
            "running_sojourn_seconds": row["expected_of_running"],
            "running_stable": row["stable"],
            "expected_sojourn_seconds": row["expected"],
            "headroom_rate": None if holds is None or rate is None else holds - rate,
        }
    return values
