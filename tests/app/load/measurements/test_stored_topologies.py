"""A stored topology is found at its current revision or at the one asked for."""

from collections.abc import Iterator

import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from app.database.tables import TopologyRevisionRow, TopologyRow
from app.load.bodies.topology import FPD
from app.load.measurements.stored_topologies import find_topology
from app.web.problems.stored_data_errors import UnknownRevision, UnknownTopology
from migrations.runner import migrate

SECOND = {"operators": [{"name": "alone"}], "edges": [], "entries": [{"operator": "alone", "share": 1.0}]}


@pytest.fixture
def session(empty_database_url: str) -> Iterator[Session]:
    """Holds a topology with two revisions."""
    migrate(empty_database_url)
    engine = create_engine(empty_database_url)
    with Session(engine) as session:
        row = TopologyRow(name="fpd", revision=2)
        session.add(row)
        session.flush()
        first = {key: FPD[key] for key in ("operators", "edges", "entries") if key in FPD}
        for revision, definition in ((1, first), (2, SECOND)):
            session.add(TopologyRevisionRow(topology_id=row.id, revision=revision, definition=definition))
        session.flush()
        yield session
    engine.dispose()


def test_the_current_revision_is_found_and_an_earlier_one_by_its_number(session: Session):
    current, first = find_topology(session, "fpd"), find_topology(session, "fpd", 1)
    assert (current.revision, first.revision) == (2, 1)
    assert current.etag != first.etag
    assert [operator.name for operator in current.to_values().operators] == ["alone"]
    assert len(first.to_values().operators) == len(FPD["operators"])  # type: ignore[arg-type]  # a list


def test_what_is_not_stored_is_named(session: Session):
    with pytest.raises(UnknownTopology, match=r"'fdp'.*Did you mean 'fpd'"):
        find_topology(session, "fdp")
    with pytest.raises(UnknownRevision, match="no revision 3: it has the revisions 1 to 2"):
        find_topology(session, "fpd", 3)
