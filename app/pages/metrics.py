"""/metrics: the metrics of the process, and gauges of topologies read from the database at each request.

Every worker reads the same rows, so the numbers are right with any number of workers, and a deleted topology
disappears. A value that is unknown, or older than the policy allows, is absent: never 0.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from anyio import CapacityLimiter, move_on_after, to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import (
    ColumnElement,
    DateTime,
    Engine,
    FromClause,
    ScalarSelect,
    Select,
    Subquery,
    bindparam,
    column,
    func,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import SQLAlchemyError

from app.database.tables import DecisionRow, PolicyRow, SnapshotRow, TopologyRow
from app.deciding.advised import read_waited_for, read_wanted
from app.deciding.documents import take_part
from app.deciding.standing import select_decided, select_waited_for
from app.load.measurements.freshness import LIMIT_SECONDS, find_age
from app.load.measurements.snapshots import ENDED_AT, add_lead, select_newest
from app.settings import CLOCK_LEAD_SECONDS
from app.web.callers.security import may_read
from app.web.observability import render_metrics
from app.web.problems.documented_problems import document_problems
from app.web.routing import SettingsDep

log = logging.getLogger(__name__)
router = APIRouter(tags=["health"])

LATEST_END = bindparam("latest_end", type_=DateTime(timezone=True))
"""A snapshot that ends later is ahead of the clock."""
PATIENCE_SECONDS = 4.0
"""By default Prometheus ends a scrape after 10 s; the service's own metrics must arrive before."""


OF_SNAPSHOT = (
    SnapshotRow.observed_at,
    ENDED_AT,
    SnapshotRow.external_rate,
    SnapshotRow.measured_sojourn_seconds,
)


OF_DECISION = (
    take_part("processors", "recommended").label("recommended_by_operator"),
    DecisionRow.expected_seconds.label("expected"),
    DecisionRow.current_seconds.label("expected_of_running"),
    DecisionRow.is_stable.label("stable"),
    DecisionRow.external_rate.label("decided_rate"),
    DecisionRow.holds_up_to_rate,
)


class GaugeBounds(NamedTuple):
    """The largest number of topologies with gauges, of operators in each, and the lead allowed to snapshots."""

    topologies: int
    operators: int
    lead_seconds: float = CLOCK_LEAD_SECONDS


@router.get(
    "/metrics",
    summary="Prometheus metrics",
    dependencies=[Depends(may_read)],
    response_class=PlainTextResponse,
    responses={key: value for key, value in document_problems().items() if key in {401, 403}},
)
async def get_metrics(request: Request, settings: SettingsDep) -> Response:
    """Requests, latencies, planner seconds, computing, database connections; processors and E[T] of topologies."""
    bounds = GaugeBounds(settings.metrics_topologies, settings.metrics_operators, settings.clock_lead_seconds)
    gauges = await read_gauges(request.app.state.metrics_engine, bounds, request.app.state.gauges_limiter)
    return await to_thread.run_sync(render_metrics, gauges, limiter=request.app.state.metrics_limiter)


async def read_gauges(engine: Engine, bounds: GaugeBounds, limiter: CapacityLimiter) -> "TopologyGauges":
    """The gauges of topologies; if the database does not answer within PATIENCE_SECONDS, only the gauge for that."""
    found = None
    if bounds.topologies:
        with move_on_after(PATIENCE_SECONDS):
            found = await to_thread.run_sync(
                read_rows, engine, bounds, limiter=limiter, abandon_on_cancel=True
            )
    return TopologyGauges(found, bounds, datetime.now(UTC))


def read_rows(engine: Engine, bounds: GaugeBounds) -> Sequence[Any] | None:
    """The stored data of the topologies with the newest snapshots, in one query; None if it cannot be read."""
    try:
        latest_end = add_lead(datetime.now(UTC), bounds.lead_seconds)
        with engine.connect() as connection:
            return connection.execute(select_rows(bounds), {LATEST_END.key: latest_end}).all()
    except SQLAlchemyError as error:
        log.warning("the gauges of topologies cannot be read: %s", str(error).splitlines()[0])
        return None


def select_measured(bounds: GaugeBounds) -> Subquery:
    """The topologies with the newest snapshots; `measured` counts all topologies with snapshots."""
    newest = select_newest(LATEST_END, *OF_SNAPSHOT, SnapshotRow.operators).lateral("newest")
    return (
        select(TopologyRow.id, TopologyRow.name, newest, func.count().over().label("measured"))
        .join(newest, true())
        .order_by(newest.c.observed_at.desc(), TopologyRow.name)
        .limit(bounds.topologies)
        .subquery("measured")
    )


@cache
def select_rows(bounds: GaugeBounds) -> Select[Any]:
    """The newest snapshot, the policy and the standing decision of each topology within the bounds.

    `change` is the change that began the cooldown in which the standing decision waits. The query is made once: while
    other threads compute, making it took most of the time of a scrape.
    """
    measured, most = select_measured(bounds), bounds.operators
    decided = select_decided(LATEST_END, *OF_DECISION)
    waited_for = select_waited_for(decided)
    operators = func.jsonb_object_keys(measured.c.operators).table_valued("key")
    values = {
        "operators": select(func.count()).select_from(operators).correlate(measured).scalar_subquery(),
        "running": take_first(measured, measured.c.operators, most, "processors"),
        "limit_seconds": LIMIT_SECONDS,
        "recommended": take_first(decided, decided.c.recommended_by_operator, most),
    }
    named = [value.label(name) for name, value in values.items()]
    of_snapshot = [one for one in measured.c if one.name not in {"id", "operators"}]
    of_decision = [one for one in decided.c if one.name != "recommended_by_operator"]
    of_change = [one for one in waited_for.c if one.name != "id"]
    return (
        select(*of_snapshot, *of_decision, *of_change, *named)
        .select_from(measured)
        .join(TopologyRow, TopologyRow.id == measured.c.id)
        .outerjoin(PolicyRow, PolicyRow.topology_id == measured.c.id)
        .outerjoin(decided, true())
        .outerjoin(waited_for, true())
        .order_by(measured.c.observed_at.desc(), measured.c.name)
    )


def take_first(
    table: FromClause, document: ColumnElement[Any], count: int, field: str | None = None
) -> ScalarSelect[Any]:
    """The first entries of a table's JSON object by name, or the given field of each."""
    each = func.jsonb_each(document).table_valued("key", column("value", JSONB))
    first = select(each).order_by(each.c.key).limit(count).correlate(table).subquery()
    value = first.c.value if field is None else first.c.value[field]
    return select(func.jsonb_object_agg(first.c.key, value)).scalar_subquery()


class TopologyGauges(Collector):
    """The rows as metrics; `rows` is None if they could not be read."""

    def __init__(self, rows: Sequence[Any] | None, bounds: GaugeBounds, now: datetime) -> None:
        self.rows, self.bounds, self.now = rows, bounds, now

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """One family for each gauge."""
        if not self.bounds.topologies:
            return []
        up = make_gauge("topology_gauges_up", "1: the gauges of topologies could be read from the database")
        up.add_metric([], float(self.rows is not None))
        return [up] if self.rows is None else [up, self.count_omitted(), *self.make_families()]

    def count_omitted(self) -> GaugeMetricFamily:
        """The topologies and operators that the bounds leave out."""
        rows = self.rows or []
        family = make_gauge("topology_gauges_omitted", "Topologies and operators beyond the bounds", "kind")
        measured = rows[0].measured if rows else 0
        family.add_metric(["topologies"], measured - len(rows))
        left_out = sum(max(0, row.operators - self.bounds.operators) for row in rows)
        family.add_metric(["operators"], left_out)
        return family

    def make_families(self) -> list[GaugeMetricFamily]:
        """The gauges of all topologies."""
        processors = make_gauge(
            "processors",
            "Processors of an operator: measured, and recommended by the standing decision",
            "topology",
            "operator",
            "kind",
        )
        families = {name: make_gauge(name, said, "topology") for name, said in OF_TOPOLOGY.items()}
        for row in self.rows or []:
            for kind, operator, count in list_processors(row, self.now):
                processors.add_metric([row.name, operator, kind], count)
            for name, value in find_values(row, self.now).items():
                if value is not None:
                    families[name].add_metric([row.name], value)
        return [processors, *families.values()]


OF_TOPOLOGY = {
    "snapshot_age_seconds": "Time since the newest snapshot ended",
    "external_rate": "Measured external tuples per second",
    "measured_sojourn_seconds": "Measured E[T]",
    "running_sojourn_seconds": "Modelled E[T] with the running processors; absent: unbounded",
    "running_stable": "1: every operator keeps up with its running processors",
    "expected_sojourn_seconds": "Modelled E[T] with the recommended processors; absent: unbounded",
    "headroom_rate": "Additional tuples per second at which the recommended processors still meet the goal",
}


def make_gauge(name: str, said: str, *labels: str) -> GaugeMetricFamily:
    """An empty gauge."""
    return GaugeMetricFamily(f"headgate_{name}", said, labels=labels)


def is_measured(row: Any, now: datetime) -> bool:
    """Whether the newest snapshot is recent enough for the policy."""
    age = find_age(row.ended_at, now)
    return age <= float(row.limit_seconds)


def has_decided(row: Any, now: datetime) -> bool:
    """Whether the newest snapshot and the measurements of the standing decision are recent enough for the policy."""
    at = row.decided_for
    return is_measured(row, now) and at is not None and find_age(at, now) <= row.limit_seconds


def list_processors(row: Any, now: datetime) -> list[tuple[str, str, int]]:
    """Tuples of kind (measured or recommended), operator and processors."""
    running = row.running if is_measured(row, now) else None
    recommended = read_wanted(row, row.recommended or {}) if has_decided(row, now) else None
    return [
        (kind, operator, count)
        for kind, counts in (("running", running), ("recommended", recommended))
        for operator, count in (counts or {}).items()
        if count is not None
    ]


def find_values(row: Any, now: datetime) -> dict[str, float | None]:
    """The values of OF_TOPOLOGY; None for an unknown value."""
    values: dict[str, float | None] = {"snapshot_age_seconds": find_age(row.ended_at, now)}
    if is_measured(row, now):
        values |= {name: getattr(row, name) for name in ("external_rate", "measured_sojourn_seconds")}
    if has_decided(row, now):
        rate, change = row.decided_rate, read_waited_for(row)
        # While it waits for a change, the recommended processors are those of the change.
        seconds, holds = row.expected, row.holds_up_to_rate
        if change is not None:
            seconds = None if change.seconds is None else row.change_expected
            holds = change.holds_up_to_rate
        values |= {
            "running_sojourn_seconds": row.expected_of_running,
            "running_stable": row.stable,
            "expected_sojourn_seconds": seconds,
            "headroom_rate": None if holds is None or rate is None else holds - rate,
        }
    return values
