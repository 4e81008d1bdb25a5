"""The newest snapshot, decision and policy of all topologies, in one query."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Row,
    ScalarSelect,
    Select,
    and_,
    case,
    func,
    literal,
    not_,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, array
from sqlalchemy.orm import Session

from app.database.kept_hours import KEPT_DAYS, SOJOURN_TARGET_SECONDS
from app.database.tables import (
    DecisionRow,
    HourlyKeptRow,
    PolicyRow,
    SnapshotRow,
    TopologyRevisionRow,
    TopologyRow,
)
from app.deciding.policies.service import GOAL, TARGET_SECONDS
from app.deciding.standing import is_waiting, select_decided, select_waited_for
from app.load.measurements.freshness import LIMIT_SECONDS, find_age_sql
from app.load.measurements.snapshots import ENDED_AT, ended, find_latest_end, select_ahead, select_newest
from app.pages.overview.schemas import STATUSES, OverviewFilter
from app.web.paging import Page
from app.web.problems.stored_data_errors import AHEAD_OF_CLOCK

SHOWN_RATES = 30
DAY_POINTS, POINT_SECONDS = 24, 3600
HOUR, MINUTE = timedelta(hours=1), 60.0
DRAWN = ("rates", "day", "labels", "kept")
"""The columns of a page's rows that lines do not have."""
NUMBERS = (
    DecisionRow.running,
    DecisionRow.recommended,
    DecisionRow.misses_target,
    DecisionRow.is_stable,
    DecisionRow.current_seconds,
    DecisionRow.recommended_seconds,
    DecisionRow.measured_seconds,
    DecisionRow.holds_up_to_rate,
)
"""The numbers of the standing decision that a line shows, or from which its status follows."""


def find_lines(session: Session, now: datetime, wanted: OverviewFilter) -> CTE:
    """A row for each topology with a name and an operator as wanted; `severity` is its status' place in STATUSES."""
    latest_end = find_latest_end(session, now)
    newest = select_newest(
        latest_end, SnapshotRow.external_rate, SnapshotRow.measured_sojourn_seconds, ENDED_AT
    ).lateral("newest")
    outcome = DecisionRow.outcome["state"].astext.label("outcome")
    decided = select_decided(latest_end, DecisionRow.id, DecisionRow.action, *NUMBERS, outcome)
    waited_for, ahead = select_waited_for(decided), select_ahead(latest_end).lateral("ahead")
    waits = is_waiting(decided, waited_for)
    reach = case((waits, waited_for.c.change_reach), else_=decided.c.holds_up_to_rate)
    severity = rank(find_causes(now, newest.c, decided.c, ahead=ahead.c.ended_at, waits=waits, reach=reach))
    return (
        select(
            TopologyRow.id.label("topology_id"),
            TopologyRow.name,
            TopologyRow.revision,
            newest.c.external_rate,
            newest.c.measured_sojourn_seconds.label("measured"),
            newest.c.ended_at.label("until"),
            *decided.c,
            *waited_for.c,
            ahead.c.ended_at.label("ahead_until"),
            TARGET_SECONDS.label("target"),
            GOAL["target"].label("other_target"),
            SOJOURN_TARGET_SECONDS.label("sojourn_target"),
            PolicyRow.policy["prices"]["processor_hour"].as_float().label("processor_hour_price"),
            LIMIT_SECONDS.label("limit_seconds"),
            PolicyRow.topology_id.is_not(None).label("has_policy"),
            severity.label("severity"),
        )
        .outerjoin(PolicyRow, PolicyRow.topology_id == TopologyRow.id)
        .outerjoin(newest, true())
        .outerjoin(decided, true())
        .outerjoin(waited_for, true())
        .outerjoin(ahead, true())
        .where(*match(wanted))
        .cte("lines")
    )


def match(wanted: OverviewFilter) -> list[ColumnElement[bool]]:
    """Whether the name of a topology, and that of one of its operators, contain the texts."""
    found = []
    if wanted.contains:
        found.append(func.strpos(func.lower(TopologyRow.name), func.lower(wanted.contains)) > 0)
    if wanted.operator:
        operators = TopologyRevisionRow.definition["operators"]
        operator = func.jsonb_array_elements(operators).table_valued("value")
        named = func.lower(operator.c.value.op("->>")("name"))
        found.append(
            select(literal(1))
            .select_from(TopologyRevisionRow)
            .join(operator, true())
            .where(
                TopologyRevisionRow.topology_id == TopologyRow.id,
                TopologyRevisionRow.revision == TopologyRow.revision,
                func.strpos(named, func.lower(wanted.operator)) > 0,
            )
            .correlate(TopologyRow)
            .exists()
        )
    return found


def find_causes(
    now: datetime, newest: Any, decided: Any, *, ahead: Any, waits: Any, reach: Any
) -> dict[str, ColumnElement[bool]]:
    """The condition of each status but `fine`; a decision counts only on measurements that are not too old.

    `waits`: the decision holds because measurements do not show the last change yet. `reach`: the rate up to which the
    processors that should run are enough.
    """
    is_measured, has_policy = newest.ended_at.is_not(None), PolicyRow.topology_id.is_not(None)
    is_fresh = find_age_sql(now, newest.ended_at) <= LIMIT_SECONDS
    counts = and_(is_fresh, find_age_sql(now, decided.decided_for) <= LIMIT_SECONDS)
    measured = newest.measured_sojourn_seconds
    misses = or_(decided.misses_target, decided.current_seconds > SOJOURN_TARGET_SECONDS)
    is_estimated = and_(measured.is_(None), decided.measured_seconds.is_(None))
    return {
        "overloaded": and_(counts, decided.is_stable.is_(False)),
        "target-missed": and_(is_fresh, measured > SOJOURN_TARGET_SECONDS),
        "target-missed-estimated": and_(counts, is_estimated, misses),
        AHEAD_OF_CLOCK: ahead.is_not(None),
        "stale": and_(is_measured, not_(is_fresh)),
        "change-wanted": and_(counts, or_(decided.action != "hold", waits)),
        "rate-above-reach": and_(counts, newest.external_rate > reach),
        "undecided": and_(is_measured, has_policy, not_(func.coalesce(counts, False))),
        "no-policy": and_(is_measured, not_(has_policy)),
        "no-measurements": not_(is_measured),
    }


def rank(causes: Mapping[str, ColumnElement[bool]]) -> ColumnElement[int]:
    """The place in STATUSES of the first status whose condition holds; the last status needs none."""
    return case(*((causes[status], place) for place, status in enumerate(STATUSES[:-1])), else_=len(causes))


def gather_page(
    session: Session, now: datetime, page: Page, wanted: OverviewFilter
) -> tuple[Sequence[Row[Any]], str | None, Mapping[str, int]]:
    """The rows of a page, the most urgent first, each with its newest rates, oldest first; and the number of topologies
    in each status, among those whose name contains the text.
    """
    lines = find_lines(session, now, wanted)
    newest = (
        select(SnapshotRow.external_rate.label("rate"), SnapshotRow.observed_at.label("at"))
        .where(SnapshotRow.topology_id == lines.c.topology_id, *ended(session))
        .order_by(SnapshotRow.observed_at.desc(), SnapshotRow.window_seconds.desc())
        .limit(SHOWN_RATES)
        .correlate(lines)
        .subquery("rates")
    )
    rates = select(func.array_agg(aggregate_order_by(newest.c.rate, newest.c.at))).scalar_subquery()
    counts = select_counts(lines)
    day, labels = select_day(lines, session, now), select_labels(lines)
    kept = select_kept(lines, session, now)
    query = select(lines, rates.label("rates"), day, labels, kept, counts.scalar_subquery().label("counts"))
    if wanted.statuses:
        query = query.where(lines.c.severity.in_([STATUSES.index(one) for one in wanted.statuses]))
    rows, following = page.read_rows(session.execute, query, lines.c.severity, lines.c.name)
    counted: dict[str, int] = (rows[0].counts if rows else session.scalar(counts)) or {}
    placed = {int(place): number for place, number in counted.items()}
    return rows, following, {STATUSES[place]: placed[place] for place in sorted(placed)}


def select_day(lines: CTE, session: Session, now: datetime) -> ColumnElement[list[float | None]]:
    """The E[T] that the newest snapshot of each hour measured, of the day that ends now, oldest first."""
    begun = datetime.fromtimestamp(now.timestamp() // POINT_SECONDS * POINT_SECONDS, now.tzinfo)
    first = begun - timedelta(seconds=(DAY_POINTS - 1) * POINT_SECONDS)
    places = select(func.generate_series(0, DAY_POINTS - 1).label("place")).subquery("places")
    at = literal(first) + func.make_interval(0, 0, 0, 0, 0, 0, places.c.place * POINT_SECONDS)
    newest = (
        select(SnapshotRow.measured_sojourn_seconds.label("seconds"))
        .where(
            SnapshotRow.topology_id == lines.c.topology_id,
            SnapshotRow.observed_at >= at,
            SnapshotRow.observed_at < at + timedelta(seconds=POINT_SECONDS),
            *ended(session),
        )
        .order_by(SnapshotRow.observed_at.desc())
        .limit(1)
        .correlate(lines, places)
        .lateral()
    )
    in_order = func.array_agg(aggregate_order_by(newest.c.seconds, places.c.place))
    day: ScalarSelect[Any] = (
        select(in_order).select_from(places.outerjoin(newest, true())).correlate(lines).scalar_subquery()
    )
    return day.label("day")


def select_kept(lines: CTE, session: Session, now: datetime) -> ColumnElement[list[float]]:
    """The measured minutes of the last days that can be judged, and those within the target: of hours as they were
    counted, and of the snapshots since the last whole hour's beginning.
    """
    newest = now.replace(minute=0, second=0, microsecond=0) - HOUR
    row, window = HourlyKeptRow, SnapshotRow.window_seconds
    counted = select(row.judged_seconds.label("judged"), row.kept_seconds.label("kept")).where(
        row.topology_id == lines.c.topology_id,
        row.hour > now - timedelta(days=KEPT_DAYS),
        row.hour < newest,
    )
    is_kept = SnapshotRow.measured_sojourn_seconds <= lines.c.sojourn_target
    live = select(window, case((is_kept, window), else_=0.0)).where(
        SnapshotRow.topology_id == lines.c.topology_id,
        SnapshotRow.observed_at >= newest,
        SnapshotRow.measured_sojourn_seconds.is_not(None),
        lines.c.sojourn_target.is_not(None),
        *ended(session),
    )
    every = union_all(counted.correlate(lines), live.correlate(lines)).subquery("judged")
    minutes = [func.coalesce(func.sum(one), 0.0) / MINUTE for one in (every.c.judged, every.c.kept)]
    kept: ScalarSelect[Any] = select(array(minutes)).select_from(every).correlate(lines).scalar_subquery()
    return kept.label("kept")


def select_labels(lines: CTE) -> ColumnElement[list[str] | None]:
    """The labels of a topology's revision."""
    of_revision = (
        TopologyRevisionRow.topology_id == lines.c.topology_id,
        TopologyRevisionRow.revision == lines.c.revision,
    )
    labels = select(TopologyRevisionRow.definition["labels"]).where(*of_revision).correlate(lines)
    return labels.scalar_subquery().label("labels")


def select_counts(lines: CTE) -> Select[Any]:
    """A JSON object with the number of lines at each place in STATUSES."""
    every = lines.alias("every")
    counted = select(every.c.severity, func.count().label("number")).group_by(every.c.severity).subquery()
    return select(func.jsonb_object_agg(counted.c.severity, counted.c.number))
