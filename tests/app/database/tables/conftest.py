"""A migrated database, and a transaction that is rolled back after each test."""

from collections.abc import Iterator

import pytest
from sqlalchemy.orm import Session

from app.database.tables import TopologyRevisionRow, TopologyRow
from migrations.runner import migrate
from tests.app.processes import made_database


@pytest.fixture(scope="session")
def database_url(postgres_url: str) -> Iterator[str]:
    """A database with all tables, and no service on it."""
    with made_database(postgres_url) as url:
        migrate(url)
        yield url


@pytest.fixture
def topology(session: Session) -> TopologyRow:
    """A stored topology with one revision."""
    row = TopologyRow(name="t", revision=1)
    session.add(row)
    session.flush()
    session.add(TopologyRevisionRow(topology_id=row.id, revision=1, definition={}))
    session.flush()
    return row
