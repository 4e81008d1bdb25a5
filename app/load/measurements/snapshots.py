"""Reads a topology's newest snapshots and their long parts, and the snapshots that calibrate its waits.

A snapshot that ends further ahead of the service's clock than the allowed lead is never the newest: `ended` and
`find_latest_end` are the rule, which every reader of the newest measurements follows.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, func, select, union_all
from sqlalchemy.orm import Session, undefer

from app.database.tables import SnapshotRow, TopologyRow
from app.database.tables.topologies import SHAPES
from app.load.measurements.stored_topologies import StoredTopology
from app.settings import CLOCK_LEAD_SECONDS
from planner.queueing.bursts.counted_bursts import LEAST_WINDOWS, Span
from planner.values import IdcPoint, InstanceLoad, OperatorLoad, ServiceBucket

KEY = (SnapshotRow.observed_at, SnapshotRow.window_seconds)
# A snapshot that covers a smaller share of its window is noisy, and its last tuples are missing.
LEAST_COVERED = 0.95
# Shapes are long: of more snapshots they would be most of the time of an answer, and gigabytes in memory.
MOST_SHAPES = 60
CLOCK_LEAD = "clock_lead_seconds"
"""The name under which a database session knows the allowed lead; a session without it has the default."""
COVERED_SECONDS = func.coalesce(SnapshotRow.covered_seconds, SnapshotRow.window_seconds)
ENDED_AT = (SnapshotRow.observed_at + func.make_interval(0, 0, 0, 0, 0, 0, SnapshotRow.window_seconds)).label(
    "ended_at"
)
"""The same as `find_end`, in SQL."""
IS_WHOLE = LEAST_COVERED * SnapshotRow.window_seconds <= COVERED_SECONDS


def find_latest_end(session: Session, now: datetime | None = None) -> datetime:
    """The latest end of measurements that answers may use: the service's clock (or `now`) plus the allowed lead."""
    return add_lead(now or datetime.now(UTC), session.info.get(CLOCK_LEAD, CLOCK_LEAD_SECONDS))


def add_lead(now: datetime, lead_seconds: float) -> datetime:
    """The time that lies `lead_seconds` after `now`."""
    return now + timedelta(seconds=lead_seconds)


def ended(session: Session, by: datetime | None = None) -> list[ColumnElement[bool]]:
    """The SQL conditions that a snapshot ended by the time `by` (None: any), and not ahead of the service's clock."""
    usable = is_usable(find_latest_end(session))
    if by is None:
        return usable
    return [*usable, SnapshotRow.window_seconds <= func.extract("epoch", by - SnapshotRow.observed_at)]


def is_usable(latest_end: datetime | ColumnElement[datetime]) -> list[ColumnElement[bool]]:
    """The SQL conditions that the measured part of a snapshot ended by `latest_end`; the first condition is
    for the index.
    """
    measured = func.extract("epoch", latest_end - SnapshotRow.observed_at) >= COVERED_SECONDS
    return [SnapshotRow.observed_at <= latest_end, measured]


def select_ahead(latest_end: datetime) -> Select[Any]:
    """A query for the end of the last snapshot of the enclosing query's topology, if it is ahead of the clock."""
    last = (
        select(ENDED_AT, COVERED_SECONDS.label("covered"), SnapshotRow.observed_at)
        .where(SnapshotRow.topology_id == TopologyRow.id)
        .order_by(*(column.desc() for column in KEY))
        .limit(1)
        .correlate(TopologyRow)
        .subquery("last")
    )
    return select(last.c.ended_at).where(
        last.c.covered > func.extract("epoch", latest_end - last.c.observed_at)
    )


def find_ahead(session: Session, topology: StoredTopology) -> datetime | None:
    """The end of the topology's last snapshot, if it is ahead of the clock; else None."""
    ahead = select_ahead(find_latest_end(session)).scalar_subquery()
    found: datetime | None = session.scalar(select(ahead).where(TopologyRow.id == topology.id))
    return found


def find_newest(
    session: Session, topology: StoredTopology, count: int, ended_by: datetime | None = None
) -> Sequence[SnapshotRow]:
    """The newest `count` snapshots of a topology that cover their whole window and ended by `ended_by`, oldest first.

    If there are none, snapshots that cover part of their window. If `count` is 1, the one of the newest two that covers
    more, since the last part of a short log may be only a moment long.
    """
    query = (
        select_snapshots(topology)
        .where(*ended(session, ended_by))
        .order_by(*(column.desc() for column in KEY))
    )
    if whole := read_first(session, query.where(IS_WHOLE), count):
        return whole[::-1]
    partial = read_first(session, query, max(count, 2))
    return [max(partial, key=_find_covered_share)] if partial and count == 1 else partial[::-1]


def select_newest(latest_end: datetime | ColumnElement[datetime], *columns: Any) -> Select[Any]:
    """Columns of the snapshot that `find_newest` finds, for the TopologyRow of the enclosing query (as a lateral)."""
    covered = COVERED_SECONDS / SnapshotRow.window_seconds
    newest_first = (
        select(*columns, IS_WHOLE.label("is_whole"), covered.label("covered_share"))
        .where(SnapshotRow.topology_id == TopologyRow.id, *is_usable(latest_end))
        .order_by(*(column.desc() for column in KEY))
        .correlate(TopologyRow)
    )
    # Two queries that end at their first rows: the index has no order by covered share.
    either = union_all(newest_first.where(IS_WHOLE).limit(1), newest_first.limit(2)).subquery()
    return select(either).order_by(either.c.is_whole.desc(), either.c.covered_share.desc()).limit(1)


def read_first(
    session: Session, query: Select[SnapshotRow], count: int, shaped: int = MOST_SHAPES
) -> Sequence[SnapshotRow]:
    """The first `count` snapshots of a query, of which the first `shaped` have bursts, shares and histograms."""
    first = session.scalars(query.options(undefer(SnapshotRow.shapes)).limit(min(count, shaped))).all()
    if count <= shaped or len(first) < shaped:
        return first
    return [*first, *session.scalars(query.offset(shaped).limit(count - shaped)).all()]


Documents = Mapping[str, Mapping[str, Any]]
NewestCounts = tuple[float, float, float | None, Documents]


def find_newest_counts(
    session: Session, topology: StoredTopology, count: int, ended_by: datetime
) -> list[NewestCounts]:
    """Length, external rate, measured E[T] and operators of the newest `count` whole snapshots, oldest first."""
    columns = select(
        SnapshotRow.window_seconds,
        SnapshotRow.external_rate,
        SnapshotRow.measured_sojourn_seconds,
        SnapshotRow.operators,
    )
    query = columns.where(SnapshotRow.topology_id == topology.id, IS_WHOLE, *ended(session, ended_by))
    rows = session.execute(query.order_by(*(column.desc() for column in KEY)).limit(count)).all()
    return [(row[0], row[1], row[2], row[3]) for row in rows[::-1]]


# Hours of minutes show bursts of up to ten minutes; the spans within snapshots are for shorter bursts.
MOST_COUNTED, MOST_LOOKED_INTO = 300, 120


class Counted(NamedTuple):
    """What one snapshot counted: its beginning in seconds since 1970, itself as a span, and the spans within it."""

    begins: float
    span: Span
    spans: Sequence[Span] = ()


def find_counted(session: Session, topology: StoredTopology, ended_by: datetime | None) -> list[Counted]:
    """What the newest whole snapshots counted, oldest first."""
    bounds = (SnapshotRow.topology_id == topology.id, IS_WHOLE, *ended(session, ended_by))
    newest = [column.desc() for column in KEY]
    columns = select(SnapshotRow.observed_at, COVERED_SECONDS, SnapshotRow.external_rate)
    rows = session.execute(columns.where(*bounds).order_by(*newest).limit(MOST_COUNTED)).all()
    within = select(SnapshotRow.observed_at, SnapshotRow.external_counts).where(*bounds).order_by(*newest)
    spans = {
        at: [Span(one["seconds"], one["tuples"]) for one in counts or ()]
        for at, counts in session.execute(within.limit(MOST_LOOKED_INTO))
    }
    return [
        Counted(at.timestamp(), Span(seconds, rate * seconds), spans.get(at, ()))
        for at, seconds, rate in rows[::-1]
    ]


def shows_bursts(counted: Sequence[Counted]) -> bool:
    """Whether so many spans were counted that they could show bursts."""
    return len(counted) >= LEAST_WINDOWS or sum([len(one.spans) for one in counted]) >= LEAST_WINDOWS


def count_partial_since(
    session: Session, topology: StoredTopology, since: datetime, ended_by: datetime | None = None
) -> int:
    """The number of snapshots that begin at `since` or later, ended by `ended_by`, and cover only part of their
    window.
    """
    query = select(func.count()).where(
        SnapshotRow.topology_id == topology.id,
        SnapshotRow.observed_at >= since,
        ~IS_WHOLE,
        *ended(session, ended_by),
    )
    return session.scalars(query).one()


def find_end(row: SnapshotRow) -> datetime:
    """The time at which the interval of a snapshot ends."""
    return row.observed_at + timedelta(seconds=row.window_seconds)


def is_partial(row: SnapshotRow) -> bool:
    """Whether the snapshot covers less than LEAST_COVERED of its window."""
    return _find_covered_share(row) < LEAST_COVERED


def _find_covered_share(row: SnapshotRow) -> float:
    return 1.0 if row.covered_seconds is None else row.covered_seconds / row.window_seconds


def select_snapshots(topology: StoredTopology) -> Select[SnapshotRow]:
    return select(SnapshotRow).where(SnapshotRow.topology_id == topology.id)


# As many intervals leave little noise, and are read quickly; those of an older day may be of other code.
MOST_INTERVALS = 24
LONGEST_SPAN = timedelta(days=1)
# Operators times snapshots whose bursts and instances are read, for some hundredths of a second.
MOST_SHAPED = 120


def has_waits(row: SnapshotRow) -> bool:
    """Whether the snapshot has the measured wait of any operator."""
    return any(one.get("measured_wait_seconds") is not None for one in row.operators.values())


def count_shaped(operators: int) -> int:
    """The number of newest snapshots whose bursts and instances are read; older snapshots get those of the load."""
    return max(1, MOST_SHAPED // max(1, operators))


def find_calibrating(
    session: Session, stored: StoredTopology, used: Sequence[SnapshotRow], ended_by: datetime | None
) -> list[SnapshotRow]:
    """The newest snapshots with measured waits that cover their whole window, oldest first: at most
    MOST_INTERVALS.

    Besides the snapshots of the load, only snapshots of the day before the newest and of this revision count. Empty
    if the load itself has no measured wait.
    """
    if not any(map(has_waits, used)):
        return []
    bounds = (IS_WHOLE, *ended(session, ended_by), SnapshotRow.stored_at >= stored.created_at)
    query = select_snapshots(stored).where(*bounds).order_by(*(column.desc() for column in KEY))
    newest = read_first(session, query, MOST_INTERVALS, count_shaped(len(stored.definition["operators"])))
    recent = [row for row in newest if used[-1].observed_at - row.observed_at <= LONGEST_SPAN]
    rows = {(row.observed_at, row.window_seconds): row for row in (*used, *recent)}
    usable = [rows[key] for key in sorted(rows) if not is_partial(rows[key]) and has_waits(rows[key])]
    return usable[-MOST_INTERVALS:]


MEASURED = ("service_rate", "arrival_rate", "arrival_scv", "service_scv")


def split_operators(operators: Documents) -> dict[str, Any]:
    """The columns in which a snapshot is stored: its operators, and the long parts of the operators apart."""
    short = {
        name: {key: value for key, value in one.items() if key not in SHAPES}
        for name, one in operators.items()
    }
    shapes = {name: {key: one[key] for key in SHAPES if one.get(key)} for name, one in operators.items()}
    return {"operators": short, "shapes": {name: one for name, one in shapes.items() if one} or None}


def join_operators(operators: Documents, shapes: Documents | None) -> dict[str, dict[str, Any]]:
    """The operators of a snapshot as they were sent, with their long parts."""
    return {name: {**one, **(shapes or {}).get(name, {})} for name, one in operators.items()}


def read_operator(document: Mapping[str, Any]) -> OperatorLoad:
    """The rates, SCVs and processors of an operator of a stored snapshot, which were checked when they were stored."""
    rate, arrivals, arrival_scv, service_scv = (
        None if one is None else float(one) for one in map(document.get, MEASURED)
    )
    return OperatorLoad(rate, arrivals, arrival_scv, service_scv, document.get("processors"))


def add_shapes(load: OperatorLoad, document: Mapping[str, Any]) -> OperatorLoad:
    """The load with its stored shapes, which were checked when they were stored."""
    instances = [
        InstanceLoad(one["instance"], one["share"], one.get("arrival_scv"), read_points(one))
        for one in document.get("instances", ())
    ]
    histogram = [
        ServiceBucket(one["upper_seconds"], one["count"]) for one in document.get("service_histogram", ())
    ]
    return load._replace(
        arrival_idc=read_points(document),
        instances=tuple(sorted(instances, key=lambda one: (-one.share, one.instance))),
        service_histogram=tuple(histogram),
    )


def read_points(document: Mapping[str, Any]) -> tuple[IdcPoint, ...]:
    return tuple([IdcPoint(one["window_seconds"], one["idc"]) for one in document.get("arrival_idc", ())])
