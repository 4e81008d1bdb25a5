"""Reads the stored intervals of a replay, and those before them that its decisions look back on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, undefer

from app.database.tables import SnapshotRow
from app.deciding.decisions.gathering import check_terms, find_terms
from app.deciding.economic_rule import choose_smoothing
from app.deciding.policies.schemas import PolicyBody
from app.deciding.replays.schemas import ReplayRequest
from app.load.bodies.calibrating import calibrate_load
from app.load.bodies.terms import Measured
from app.load.measurements.load import count_needed, read_loads, smooth, weigh
from app.load.measurements.series import read_external_rates
from app.load.measurements.snapshots import (
    IS_WHOLE,
    MOST_INTERVALS,
    ended,
    find_end,
    find_newest,
    has_waits,
    read_operator,
)
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.settings import Settings
from app.web.fields import find_time
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import NoSnapshot, StoredDataUnusable
from planner.calibration.calibrate import is_measured
from planner.calibration.modelled_waits import Interval
from planner.decisions.policy import Policy
from planner.replays.recording import Recorded, Recording
from planner.replays.replay import MODELLED_FROM
from planner.values import Load, Model, OperatorLoad, Topology
from planner.wording import join_names, write_count, write_counted
from planner.workloads.line_forecasts import HISTORY
from planner.workloads.series import Measurement
from planner.workloads.weighed_forecast import LOOKED_BACK

USUAL = timedelta(days=1)
MOST_DECIDED, MOST_DECIDED_FOR_QUANTILES = 6_000, 100
"""The largest number of intervals times operators: decisions about as many take half a minute."""
MOST_SHAPE_BYTES = 16 * 2**20
"""The largest size of stored bursts, shares of instances and histograms that one replay reads."""


@dataclass(frozen=True)
class GatheredReplay:
    """The intervals to replay, and the policy to replay on them."""

    stored: StoredTopology
    recording: Recording
    policy: Policy


def gather_replay(session: Session, name: str, body: ReplayRequest, settings: Settings) -> GatheredReplay:
    """Reads the intervals of a replay; raises if there are none, or more than one call computes."""
    stored = find_topology(session, name)
    terms = body.policy or find_terms(session, stored)
    check_terms(stored, terms, is_sent=body.policy is not None)
    rows, since = read_rows(session, stored, body, terms)
    measured = Measured(model=terms.model, smoothing=terms.smoothing, calibrate=terms.calibrate)
    if terms.rule == "economic":
        measured = measured.model_copy(update={"smoothing": choose_smoothing(terms, settings)})
    smoothed = count_needed(measured, settings)
    topology = stored.to_values()
    recorded = join_intervals(
        session, stored, topology, rows, since=since, whole=max(smoothed, MODELLED_FROM)
    )
    first = len(recorded) - len(rows)
    if terms.calibrate and any(map(has_waits, rows)):
        recorded = add_factors(recorded, topology, terms.model, first)

    recorded = add_policies(recorded, terms, first)

    def smooth_some(some: Sequence[Load]) -> tuple[Load, tuple[Interval, ...]]:
        return smooth(some, measured)[0], weigh(some, measured)

    policy = terms.to_value()
    recording = Recording(
        topology,
        recorded,
        first,
        rows[-1].window_seconds,
        smooth_some,
        smoothed,
        policy.t_max_seconds or 0.0,
        read_earlier(session, stored, rows[-1].window_seconds, recorded[0]),
    )
    return GatheredReplay(stored, recording, policy)


def read_rows(
    session: Session, stored: StoredTopology, body: ReplayRequest, terms: PolicyBody
) -> tuple[Sequence[SnapshotRow], datetime]:
    """The snapshots to replay, oldest first, all as long as the newest, and the time at which they begin."""
    newest = find_newest(session, stored, 1, body.until)
    if not newest:
        raise NoSnapshot(stored.name)
    until = body.until or find_end(newest[-1])
    since = body.since or until - USUAL
    if since >= until:
        raise InvalidRequest((("#/from", "The time in `from` must be before the time in `to`."),))
    window = newest[-1].window_seconds
    query = pick(stored, window).where(SnapshotRow.observed_at >= since, *ended(session, until))
    sizes = query.with_only_columns(
        func.count(), func.coalesce(func.sum(func.pg_column_size(SnapshotRow.shapes)), 0)
    )
    count, shape_bytes = session.execute(sizes).one()
    refuse_long(count, shape_bytes, len(stored.definition["operators"]), terms)
    if not count:
        detail = f"No snapshot of topology {stored.name!r} lies between `from` and `to`: choose other times."
        raise InvalidRequest((("#/from", detail),))
    rows = session.scalars(query.options(undefer(SnapshotRow.shapes)).order_by(SnapshotRow.observed_at)).all()
    return rows, since


def refuse_long(count: int, shape_bytes: int, operators: int, terms: PolicyBody) -> None:
    """Raises InvalidRequest where more decisions, or more data, are asked for than one call computes."""
    is_drawn = terms.goal.find_drawn_target() is not None
    most = (MOST_DECIDED_FOR_QUANTILES if is_drawn else MOST_DECIDED) // operators
    if count > most:
        why = ", each of which draws tuples for the quantile," if is_drawn else ""
        detail = (
            f"From `from` to `to` there are {write_counted(count, 'snapshot')}, and one call replays at most "
            f"{write_count(most)} decisions{why} about {write_counted(operators, 'operator')}: choose a shorter time."
        )
        raise InvalidRequest((("#/from", detail),))
    if shape_bytes > MOST_SHAPE_BYTES:
        detail = (
            "The bursts, instances and histograms of so many snapshots are too much for one call: choose a shorter "
            "time."
        )
        raise InvalidRequest((("#/from", detail),))


def pick(stored: StoredTopology, window: float) -> Select[SnapshotRow]:
    """A query for the whole snapshots of a topology that are `window` seconds long."""
    own = SnapshotRow.topology_id == stored.id
    return select(SnapshotRow).where(own, IS_WHOLE, SnapshotRow.window_seconds == window)


def join_intervals(
    session: Session,
    stored: StoredTopology,
    topology: Topology,
    rows: Sequence[SnapshotRow],
    *,
    since: datetime,
    whole: int,
) -> list[Recorded]:
    """The intervals to replay and those before, of which the newest `whole` have all that was measured.

    Before `since` only intervals count after the last one that does not give the processors of all operators. From then
    on such an interval has the processors of the one before.
    """
    names = [operator.name for operator in topology.operators]
    recorded: list[Recorded] = []
    loads = read_loads_before(session, stored, rows[-1].window_seconds, names, since=since, whole=whole)
    first = len(loads)
    loads += zip(map(find_end, rows), read_loads(rows, set(names), len(rows))[0], strict=True)
    for place, (end, load) in enumerate(loads):
        known = {name: load.operators.get(name, OperatorLoad()) for name in names}
        missing = [name for name, one in known.items() if one.processors is None]
        if missing and place < first:
            recorded.clear()
            continue
        if missing and not recorded:
            why = f"it does not give the number of running processors of {join_names(missing)}."
            raise StoredDataUnusable(stored.name, why)
        for name in missing:
            known[name] = known[name]._replace(processors=recorded[-1].load.operators[name].processors)
        recorded.append(Recorded(end.timestamp(), replace(load, operators=known)))
    return recorded


def read_loads_before(
    session: Session,
    stored: StoredTopology,
    window: float,
    names: Sequence[str],
    *,
    since: datetime,
    whole: int,
) -> list[tuple[datetime, Load]]:
    """The ends and loads of the intervals before `since`, oldest first; the newest `whole` of them in full."""
    query = pick(stored, window).where(SnapshotRow.observed_at < since, *ended(session, since))
    query = query.order_by(SnapshotRow.observed_at.desc())
    newest = session.scalars(query.options(undefer(SnapshotRow.shapes)).limit(whole)).all()[::-1]
    columns = (SnapshotRow.observed_at, SnapshotRow.external_rate, SnapshotRow.measured_sojourn_seconds)
    light = query.with_only_columns(*columns, SnapshotRow.operators)
    oldest = session.execute(light.offset(whole).limit(max(0, HISTORY - whole))).all()
    length = timedelta(seconds=window)
    found = [(one.observed_at + length, read_light(one, names)) for one in oldest[::-1]]
    return [
        *found,
        *zip(map(find_end, newest), read_loads(newest, set(names), len(newest))[0], strict=True),
    ]


def read_earlier(
    session: Session, stored: StoredTopology, window: float, first: Recorded
) -> Sequence[Measurement]:
    """The external rates before the first interval of a replay, of which its decisions forecast."""
    chosen = [
        SnapshotRow.topology_id == stored.id,
        IS_WHOLE,
        SnapshotRow.window_seconds == window,
        SnapshotRow.observed_at < find_time(first.ended - window),
    ]
    return read_external_rates(session, chosen, LOOKED_BACK)[0]


def read_light(row: Any, names: Sequence[str]) -> Load:
    """The load of an interval that no decision smooths: rates, processors and backlogs."""
    operators = {
        name: read_operator(one)._replace(backlog_tuples=one.get("backlog_tuples"))
        for name, one in row.operators.items()
        if name in names
    }
    return Load(row.external_rate, operators, row.measured_sojourn_seconds)


def add_policies(recorded: Sequence[Recorded], terms: PolicyBody, first: int) -> list[Recorded]:
    """The intervals with the policy of their end, where its schedules or excluded times make it differ."""
    if not terms.schedules and not terms.excluded:
        return list(recorded)
    before = list(recorded[:first])
    return before + [
        replace(one, policy=terms.to_value(datetime.fromtimestamp(one.ended, UTC)))
        for one in recorded[first:]
    ]


def add_factors(recorded: Sequence[Recorded], topology: Topology, model: Model, first: int) -> list[Recorded]:
    """The intervals with the factors of waits that a decision after each of them finds in measured waits."""
    found = list(recorded[:first])
    for place in range(first, len(recorded)):
        newest = recorded[max(0, place + 1 - MOST_INTERVALS) : place + 1]
        intervals = [Interval(one.load) for one in newest if is_measured(one.load)]
        factors: dict[str, float | None] = {}
        if intervals:
            load = calibrate_load(topology, newest[-1].load, intervals, [None] * len(intervals), model).load
            factors = {name: one.wait_factor for name, one in load.operators.items()}
        found.append(replace(recorded[place], factors=factors))
    return found
