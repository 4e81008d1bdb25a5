"""Finds a stored topology, at its current revision or at another one."""

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import EngineMarksRow, TopologyRevisionRow, TopologyRow
from app.database.versions import suggest_stored
from app.load.bodies.topology import Graph
from app.web.problems.stored_data_errors import UnknownRevision, UnknownTopology
from planner.values import Topology


class StoredTopology:
    """A stored topology with one of its revisions."""

    def __init__(self, row: TopologyRow, revision: TopologyRevisionRow, engine: str | None = None) -> None:
        self.id = row.id
        self.name = row.name
        self.revision = revision.revision
        self.source = revision.source
        self.definition: dict[str, Any] = revision.definition
        self.created_at: datetime = revision.created_at
        self.created_by = revision.created_by
        self.engine = engine or ""
        """The engine whose answers were stored last; "" where none were."""

    @property
    def etag(self) -> str:
        """The ETag of this revision; it contains the id, since a topology may be deleted and made again."""
        return f'"{self.id}-{self.revision}"'

    def to_values(self) -> Topology:
        """The topology as a value of the planner, which was checked when it was stored."""
        return Graph.model_validate(self.definition).to_values()


def find_topology(session: Session, name: str, revision: int | None = None) -> StoredTopology:
    """The topology at its current revision, or at the given one."""
    wanted = TopologyRow.revision if revision is None else revision
    found = session.execute(
        select(TopologyRow, TopologyRevisionRow, EngineMarksRow.engine)
        .join(TopologyRevisionRow, TopologyRevisionRow.topology_id == TopologyRow.id)
        .outerjoin(EngineMarksRow, EngineMarksRow.topology_id == TopologyRow.id)
        .where(TopologyRow.name == name, TopologyRevisionRow.revision == wanted)
    ).one_or_none()
    if found is None:
        newest = session.scalar(select(TopologyRow.revision).where(TopologyRow.name == name))
        if newest is None:
            raise UnknownTopology(name, suggest_stored(session, TopologyRow.name, name))
        raise UnknownRevision(name, revision or 0, newest)
    return StoredTopology(*found)
