"""The newest measurements and the policies of all topologies of a fleet, in one query, and calibrated loads."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select, true
from sqlalchemy.orm import Session

from app.database.tables import PolicyRow, SnapshotRow, TopologyRevisionRow, TopologyRow
from app.database.versions import suggest_stored
from app.deciding.fleet.schemas import LabelFilter
from app.deciding.policies.schemas import PolicyBody
from app.load.bodies.terms import Measured
from app.load.measurements.freshness import LIMIT_SECONDS
from app.load.measurements.load import gather_load
from app.load.measurements.snapshots import ENDED_AT, find_latest_end, has_waits, select_newest
from app.load.measurements.stored_topologies import find_topology
from app.settings import Settings
from app.web.problems.stored_data_errors import UnknownTopology
from planner.errors import PlannerError
from planner.values import DEFAULT_MODEL, Load

MOST_CALIBRATED = 100
"""Each takes some hundredths of a second."""


def gather_fleet(
    session: Session, wanted: Sequence[str] | LabelFilter | None, now: datetime
) -> Sequence[Row[Any]]:
    """A row for each topology by name: its definition, policy and newest snapshot; raises UnknownTopology."""
    newest = select_newest(
        find_latest_end(session, now),
        SnapshotRow.external_rate,
        SnapshotRow.measured_sojourn_seconds,
        SnapshotRow.measured_completion_seconds,
        SnapshotRow.operators,
        SnapshotRow.shapes,
        SnapshotRow.instances,
        ENDED_AT,
    ).lateral("newest")
    limit = LIMIT_SECONDS.label("limit_seconds")
    query = (
        select(TopologyRow.name, TopologyRevisionRow.definition, PolicyRow.policy, limit, *newest.c)
        .join(
            TopologyRevisionRow,
            (TopologyRevisionRow.topology_id == TopologyRow.id)
            & (TopologyRevisionRow.revision == TopologyRow.revision),
        )
        .outerjoin(PolicyRow, PolicyRow.topology_id == TopologyRow.id)
        .outerjoin(newest, true())
        .order_by(TopologyRow.name)
    )
    if isinstance(wanted, LabelFilter):
        query = query.where(TopologyRevisionRow.definition["labels"].contains([wanted.label]))
    elif wanted is not None:
        query = query.where(TopologyRow.name.in_(wanted))
    rows = session.execute(query).all()
    known = {row.name for row in rows}
    for name in () if wanted is None or isinstance(wanted, LabelFilter) else wanted:
        if name not in known:
            raise UnknownTopology(name, suggest_stored(session, TopologyRow.name, name))
    return rows


def gather_calibrated(
    session: Session, rows: Sequence[Row[Any]], policies: Mapping[str, PolicyBody], settings: Settings
) -> dict[str, Load]:
    """The loads of topologies with measured waits, calibrated as for a plan of the topology alone: a few queries each,
    and at most MOST_CALIBRATED.
    """
    loads: dict[str, Load] = {}
    for row in [one for one in rows if is_calibrated(one, policies)][:MOST_CALIBRATED]:
        model = policies[row.name].model if row.name in policies else DEFAULT_MODEL
        with suppress(PlannerError):  # the survey of the topology says why
            found = gather_load(session, find_topology(session, row.name), Measured(model=model), settings)
            loads[row.name] = found.load
    return loads


def is_calibrated(row: Row[Any], policies: Mapping[str, PolicyBody]) -> bool:
    """Whether measured waits calibrate the load of a topology."""
    measured: bool = row.ended_at is not None and has_waits(row)  # type: ignore[arg-type]  # a snapshot's columns
    return measured and (row.name not in policies or policies[row.name].calibrate)
