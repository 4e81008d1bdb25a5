"""A topology and what is measured of it are deleted together."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import MstSampleRow, PolicyRow, SnapshotRow, TopologyRevisionRow, TopologyRow

AT = datetime(2026, 11, 18, tzinfo=UTC)


def make_snapshot(topology: TopologyRow, **changed: object) -> SnapshotRow:
    values = {"observed_at": AT, "window_seconds": 60.0, "external_rate": 1.0, "operators": {}} | changed
    return SnapshotRow(topology_id=topology.id, **values)


def test_a_deleted_topology_leaves_nothing(session: Session, topology: TopologyRow):
    owned = [
        make_snapshot(topology),
        MstSampleRow(topology_id=topology.id, observed_at=AT, vms=1, throughput=1.0, saturated=True),
        PolicyRow(topology_id=topology.id, policy={}),
    ]
    session.add_all(owned)
    session.flush()
    session.execute(delete(TopologyRow).where(TopologyRow.id == topology.id))
    for table in (TopologyRevisionRow, SnapshotRow, MstSampleRow, PolicyRow):
        assert session.scalar(select(func.count()).select_from(table)) == 0


def test_a_name_stands_once(session: Session, topology: TopologyRow):
    session.add(TopologyRow(name=topology.name, revision=1))
    with pytest.raises(IntegrityError, match="uq_topologies_name"):
        session.flush()


@pytest.mark.parametrize(
    ("changed", "broken"), [({"window_seconds": 0.0}, "window"), ({"source": "guessed"}, "source")]
)
def test_an_impossible_snapshot_is_refused(
    session: Session, topology: TopologyRow, changed: dict[str, object], broken: str
):
    session.add(make_snapshot(topology, **changed))
    with pytest.raises(IntegrityError, match=f"ck_snapshots_{broken}"):
        session.flush()
