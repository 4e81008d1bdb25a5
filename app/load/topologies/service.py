"""Stores, finds and draws topologies; every change makes a revision, and all revisions are kept."""

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.tables import TopologyRevisionRow, TopologyRow
from app.database.versions import suggest_stored
from app.load.bodies.topology import check_size
from app.load.measurements.stored_topologies import StoredTopology
from app.load.topologies.schemas import Source, TopologyAnswer, TopologyBody, TopologyChange, TopologyPage
from app.rendering.graph_pictures import draw_graph
from app.rendering.operator_graphs import DrawnOperator, OperatorGraph, find_entries, join_streams
from app.rendering.picture_files import write_picture
from app.settings import Settings
from app.web.negotiation import JSON, may_change
from app.web.paging import Page
from app.web.problems.error_pointers import TOPOLOGY_ALONE, pointing_into_body
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import RevisionConflict, TopologyExists, UnknownTopology
from planner.topology.flow import check_topology
from planner.values import Operator


def create_topology(
    session: Session, body: TopologyBody, settings: Settings, source: Source = "posted"
) -> StoredTopology:
    """Stores a topology as the first revision under a new name."""
    check_size(body, settings)
    with pointing_into_body(TOPOLOGY_ALONE):
        check_topology(body.to_values())
    row = session.scalar(
        insert(TopologyRow)
        .values(name=body.name, revision=1)
        .on_conflict_do_nothing(index_elements=["name"])
        .returning(TopologyRow)
    )
    if row is None:
        raise TopologyExists(body.name)
    return _add_revision(session, row, body, source)


def replace_topology(
    session: Session, name: str, body: TopologyChange, if_match: str | None, settings: Settings
) -> StoredTopology:
    """Stores a new revision of a topology, if the stored revision is still the one that the caller read."""
    if body.name not in {None, name}:
        raise InvalidRequest(
            (("#/name", f"Must be {name!r}, as in the address: a topology cannot be renamed."),)
        )
    check_size(body, settings)
    with pointing_into_body(TOPOLOGY_ALONE):
        check_topology(body.to_values())
    row = lock_topology(session, name)
    refuse_stale(row, if_match)
    if body.revision is not None and body.revision != row.revision:
        raise RevisionConflict(name, f"revision {body.revision}", f"revision {row.revision}")
    row.revision += 1
    return _add_revision(session, row, body)


def delete_topology(session: Session, name: str, if_match: str | None) -> None:
    """Deletes a topology with all its revisions, snapshots and plans."""
    row = lock_topology(session, name)
    refuse_stale(row, if_match)
    session.delete(row)
    session.flush()


def lock_topology(session: Session, name: str) -> TopologyRow:
    """The stored row of a topology, locked until the end of the transaction, so that other changes of the
    topology wait.
    """
    row = session.scalar(select(TopologyRow).where(TopologyRow.name == name).with_for_update())
    if row is None:
        raise UnknownTopology(name, suggest_stored(session, TopologyRow.name, name))
    return row


def tag(stored: StoredTopology, form: str) -> str:
    """The ETag of a revision in one media type: a picture has another ETag than the JSON."""
    return stored.etag if form == JSON else f'{stored.etag[:-1]}-{form.rpartition("/")[2]}"'


def refuse_stale(row: TopologyRow, if_match: str | None) -> None:
    """Refuses a change of a revision that is not the one that the header If-Match names."""
    current = f'"{row.id}-{row.revision}"'
    if if_match is not None and not may_change(current, if_match):
        raise RevisionConflict(row.name, if_match, current)


def list_topologies(session: Session, page: Page) -> TopologyPage:
    """A page of topologies, sorted by name."""
    query = select(
        TopologyRow.name,
        TopologyRow.revision,
        TopologyRow.created_at,
        TopologyRevisionRow.created_at.label("updated_at"),
        TopologyRevisionRow.source,
        func.jsonb_array_length(TopologyRevisionRow.definition["operators"]).label("operators"),
        func.jsonb_array_length(TopologyRevisionRow.definition["edges"]).label("edges"),
    ).join(
        TopologyRevisionRow,
        (TopologyRevisionRow.topology_id == TopologyRow.id)
        & (TopologyRevisionRow.revision == TopologyRow.revision),
    )
    return page.answer(TopologyPage, session.execute, query, TopologyRow.name)


def _add_revision(
    session: Session, row: TopologyRow, body: TopologyChange, source: Source = "posted"
) -> StoredTopology:
    revision = TopologyRevisionRow(
        topology_id=row.id, revision=row.revision, definition=body.definition(), source=source
    )
    session.add(revision)
    session.flush()
    session.refresh(revision, ["created_at"])
    return StoredTopology(row, revision)


def to_topology_answer(stored: StoredTopology) -> TopologyAnswer:
    """A stored topology as JSON, as GET, POST and PUT answer it."""
    return TopologyAnswer.model_validate(
        stored.definition
        | {
            "name": stored.name,
            "revision": stored.revision,
            "source": stored.source,
            "created_at": stored.created_at,
            "created_by": stored.created_by,
        }
    )


def draw_topology(stored: StoredTopology, form: str) -> bytes:
    """A picture of the operators and the streams between them, without measurements."""
    topology = stored.to_values()
    graph = OperatorGraph(
        f"{stored.name}, revision {stored.revision}",
        [f"operators: {len(topology.operators)}, streams: {len(topology.edges)}"],
        [DrawnOperator(one.name, note=describe_operator(one)) for one in topology.operators],
        join_streams(topology),
        find_entries(topology),
    )
    return write_picture(draw_graph(graph), form)


def describe_operator(one: Operator) -> str:
    """The lines of an operator's definition, which stand below its name in the picture."""
    parts = ["stateful"] if one.stateful else []
    if one.queueing is not None:
        parts.append(one.queueing)
    if one.ceiling is not None:
        parts.append(f"{one.min_processors:,} to {one.ceiling:,}")
    elif one.min_processors > 1:
        parts.append(f"from {one.min_processors:,}")
    return ", ".join(parts)
