"""The newest measurements and the policies of all topologies of a fleet, in one query."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select, true
from sqlalchemy.orm import Session

from app.database.tables import PolicyRow, SnapshotRow, TopologyRevisionRow, TopologyRow
from app.database.versions import suggest_stored
from app.deciding.fleet.schemas import LabelFilter
from app.load.measurements.freshness import LIMIT_SECONDS
from app.load.measurements.snapshots import ENDED_AT, find_latest_end, select_newest
from app.web.problems.stored_data_errors import UnknownTopology


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
        ENDED_AT,
    ).lateral("newest")
    query = (
        select(
            TopologyRow.name,
            TopologyRevisionRow.definition,
            PolicyRow.policy,
            LIMIT_SECONDS.label("limit_seconds"),
            *newest.c,
        )
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
