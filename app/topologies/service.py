"""Stores and finds topologies; every change makes a revision, and none is lost."""

from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.http.errors import InvalidRequest
from app.http.pages import Page
from app.settings import Settings
from app.storage.similar_names import suggest_stored
from app.storage.storage_errors import RevisionConflict, TopologyExists, UnknownRevision, UnknownTopology
from app.tables import TopologyRevisionRow, TopologyRow
from app.topologies.schemas import Graph, TopologyAnswer, TopologyBody, TopologyPage, TopologySummary
from planner.topology.flow import check_topology
from planner.values import Topology


class StoredTopology:
    """A topology's row with one of its revisions."""

    def __init__(self, row: TopologyRow, revision: TopologyRevisionRow) -> None:
        self.id = row.id
        self.name = row.name
        self.revision = revision.revision
        self.source = revision.source
        self.definition: dict[str, Any] = revision.definition
        self.created_at: datetime = revision.created_at

    @property
    def etag(self) -> str:
        """Names this state of this topology: a topology deleted and made again has another id."""
        return f'"{self.id}-{self.revision}"'

    def to_values(self) -> Topology:
        """What the planner computes with; it was checked when it was stored."""
        return Graph.model_validate(self.definition).to_values()

    def to_answer(self) -> TopologyAnswer:
        """What GET answers."""
        return TopologyAnswer.model_validate(
            self.definition
            | {
                "name": self.name,
                "revision": self.revision,
                "source": self.source,
                "created_at": self.created_at,
            }
        )


def check_size(graph: Graph, settings: Settings, pointer: str = "#") -> None:
    """Refuses a topology beyond what this service is set up to compute."""
    for field, found, limit in (
        ("operators", len(graph.operators), settings.max_operators),
        ("edges", len(graph.edges), settings.max_edges),
        ("entries", len(graph.entries), settings.max_operators),
    ):
        if found > limit:
            setting = "HEADGATE_MAX_EDGES" if field == "edges" else "HEADGATE_MAX_OPERATORS"
            detail = f"{found} {field} are more than the {limit} that this service takes: raise {setting}."
            raise InvalidRequest(((f"{pointer}/{field}", detail),))


def create_topology(session: Session, body: TopologyBody, settings: Settings) -> StoredTopology:
    """Stores the first revision under a name that is free."""
    check_size(body, settings)
    check_topology(body.to_values())
    row = session.scalar(
        insert(TopologyRow)
        .values(name=body.name, revision=1)
        .on_conflict_do_nothing(index_elements=["name"])
        .returning(TopologyRow)
    )
    if row is None:
        raise TopologyExists(body.name)
    return _add_revision(session, row, body)


def replace_topology(
    session: Session, name: str, body: TopologyBody, if_match: str | None, settings: Settings
) -> StoredTopology:
    """Makes a new revision of a topology that is still what the caller read."""
    if body.name != name:
        raise InvalidRequest(
            (("#/name", f"Must be {name!r}, as in the address: a topology cannot be renamed."),)
        )
    check_size(body, settings)
    check_topology(body.to_values())
    row = lock_topology(session, name)
    refuse_stale(row, if_match)
    if body.revision is not None and body.revision != row.revision:
        raise RevisionConflict(name, f"revision {body.revision}", f"revision {row.revision}")
    row.revision += 1
    return _add_revision(session, row, body)


def delete_topology(session: Session, name: str, if_match: str | None) -> None:
    """Deletes a topology with its revisions, snapshots and plans."""
    row = lock_topology(session, name)
    refuse_stale(row, if_match)
    session.delete(row)
    session.flush()


def find_topology(session: Session, name: str, revision: int | None = None) -> StoredTopology:
    """The current revision, or the one asked for."""
    wanted = TopologyRow.revision if revision is None else revision
    found = session.execute(
        select(TopologyRow, TopologyRevisionRow)
        .join(TopologyRevisionRow, TopologyRevisionRow.topology_id == TopologyRow.id)
        .where(TopologyRow.name == name, TopologyRevisionRow.revision == wanted)
    ).one_or_none()
    if found is None:
        newest = session.scalar(select(TopologyRow.revision).where(TopologyRow.name == name))
        if newest is None:
            raise UnknownTopology(name, suggest_stored(session, TopologyRow.name, name))
        raise UnknownRevision(name, revision or 0, newest)
    return StoredTopology(*found)


def lock_topology(session: Session, name: str) -> TopologyRow:
    """The row, locked to the end of the transaction: who changes the same topology waits."""
    row = session.scalar(select(TopologyRow).where(TopologyRow.name == name).with_for_update())
    if row is None:
        raise UnknownTopology(name, suggest_stored(session, TopologyRow.name, name))
    return row


def is_unchanged(stored: StoredTopology, if_none_match: str | None) -> bool:
    """If-None-Match (RFC 9110 §13.1.2), by the weak comparison: a proxy that compresses weakens the tag."""
    if if_none_match is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or stored.etag in tags


def refuse_stale(row: TopologyRow, if_match: str | None) -> None:
    """If-Match (RFC 9110 §13.1.1): any of the listed ETags, or `*`; weak ones never match."""
    if if_match is None or if_match.strip() == "*":
        return
    current = f'"{row.id}-{row.revision}"'
    if current not in [tag.strip() for tag in if_match.split(",")]:
        raise RevisionConflict(row.name, if_match, current)


def list_topologies(session: Session, page: Page) -> TopologyPage:
    """A page of them, by name."""
    query = (
        select(
            TopologyRow.name,
            TopologyRow.revision,
            TopologyRow.created_at,
            TopologyRevisionRow.created_at.label("updated_at"),
            TopologyRevisionRow.source,
            func.jsonb_array_length(TopologyRevisionRow.definition["operators"]).label("operators"),
            func.jsonb_array_length(TopologyRevisionRow.definition["edges"]).label("edges"),
        )
        .join(
            TopologyRevisionRow,
            (TopologyRevisionRow.topology_id == TopologyRow.id)
            & (TopologyRevisionRow.revision == TopologyRow.revision),
        )
        .order_by(TopologyRow.name)
        .limit(page.limit + 1)
    )
    if key := page.after_key(1):
        query = query.where(TopologyRow.name > key[0])
    rows = session.execute(query).all()
    items = [TopologySummary.model_validate(row) for row in rows[: page.limit]]
    return TopologyPage(items=items, next=page.next_url(items[-1].name) if len(rows) > page.limit else None)


def _add_revision(session: Session, row: TopologyRow, body: TopologyBody) -> StoredTopology:
    revision = TopologyRevisionRow(
        topology_id=row.id, revision=row.revision, definition=body.definition(), source="posted"
    )
    session.add(revision)
    session.flush()
    session.refresh(revision, ["created_at"])
    return StoredTopology(row, revision)
