"""Reads an engine's answers, and stores the topology, the snapshots and the engine's marks in one transaction."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import JsonValue
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.tables import EngineMarksRow, TopologyRow
from app.engines.answers import (
    EngineAnswer,
    EngineName,
    EngineReading,
    UnreadableAnswer,
    list_answers,
    read_answers,
)
from app.engines.diagnostics import say
from app.engines.engine_snapshots.schemas import EngineSnapshots, TopologyMode
from app.engines.topologies import (
    compare_edges,
    compare_names,
    compare_owned,
    join_topologies,
    keep_known,
    keep_splits,
    name_as_stored,
)
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.load.snapshots.schemas import SnapshotAnswer, SnapshotBody, StoredSnapshots
from app.load.snapshots.service import store_snapshots
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology, replace_topology
from app.settings import Settings
from app.web.fields import drop_nul
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import TopologyExists, UnknownTopology
from planner.values import Diagnostic

TopologyWas = Literal["created", "replaced", "kept"]


def store_engine_answers(
    session: Session,
    name: str,
    engine: EngineName,
    sent: JsonValue,
    *,
    mode: TopologyMode,
    settings: Settings,
) -> EngineSnapshots:
    """Stores the topology, snapshots and marks that the answers of an engine hold; stores nothing if any part is
    refused.
    """
    now = datetime.now(UTC)
    reading, said = read_sent(engine, sent, now)
    if reading.assumed:
        with suppress(UnknownTopology):
            reading = keep_splits(Graph.model_validate(find_topology(session, name).definition), reading)
    stored, was, dropped = store_topology(session, name, reading, mode, settings)
    graph = Graph.model_validate(stored.definition)
    known = [operator.name for operator in graph.operators]
    measured = name_as_stored(reading.loads, known)
    loads = [keep_known(load, known) for load in measured]
    refuse_strangers(stored, reading, loads)
    snapshots = [SnapshotBody.model_validate(load.model_dump(exclude_unset=True)) for load in loads]
    counts = store_measured(session, name, snapshots, settings) if snapshots else None
    store_marks(session, stored, engine, reading)
    told = reading.diagnostics + said + compare_names(graph, measured)
    told += compare_edges(graph, reading.topology) + dropped
    return EngineSnapshots(
        topology=name,
        revision=stored.revision,
        topology_was=was,
        stored=counts.stored if counts else 0,
        replaced=counts.replaced if counts else 0,
        snapshots=[to_snapshot(one) for one in snapshots],
        marks=drop_nul(dict(reading.marks)),
        diagnostics=[*map(DiagnosticAnswer.model_validate, told), *((counts and counts.diagnostics) or ())],
    )


def read_sent(
    engine: EngineName, sent: JsonValue, now: datetime
) -> tuple[EngineReading, tuple[Diagnostic, ...]]:
    """Reads the body of a request; answers without a time get the present time, and a diagnostic says so."""
    try:
        answers = list_answers(sent)
        reading = read_answers(engine, [date_answer(one, now) for one in answers])
    except UnreadableAnswer as error:
        raise InvalidRequest(((error.pointer, error.detail),)) from error
    if any(one.at is not None for one in answers) or not any(ends_at(load, now) for load in reading.loads):
        return reading, ()
    detail = (
        "The answers and the request do not give the time at which the engine was asked, so the interval is "
        'assumed to end now. Send {"answers": [{"path", "at", "body"}]} with the time.'
    )
    return reading, (say("time-of-receipt", detail),)


def date_answer(answer: EngineAnswer, now: datetime) -> EngineAnswer:
    """The answer with a time: its own, or the time when the request came if it has none."""
    return answer if answer.at is not None else answer._replace(at=now)


def ends_at(load: LoadBody, now: datetime) -> bool:
    """Whether the measured interval of a load ends at the time `now`."""
    if load.observed_at is None:
        return False
    return abs(load.observed_at.timestamp() + load.window_seconds - now.timestamp()) < 1e-3


def store_topology(
    session: Session, name: str, reading: EngineReading, mode: TopologyMode, settings: Settings
) -> tuple[StoredTopology, TopologyWas, tuple[Diagnostic, ...]]:
    """The stored topology (created if unknown, replaced if that is asked for), and diagnostics on lost settings."""
    is_known = session.scalar(select(TopologyRow.id).where(TopologyRow.name == name)) is not None
    if not is_known and reading.topology is not None:
        # Another request may create it just now: then it is known.
        with suppress(TopologyExists):
            return create_topology(session, name_graph(name, reading.topology), settings), "created", ()
    stored = find_topology(session, name)
    if mode == "keep" or reading.topology is None:
        return stored, "kept", ()
    graph = Graph.model_validate(stored.definition)
    joined = join_topologies(graph, reading.topology)
    if joined == graph.model_copy(update={"name": None}):
        return stored, "kept", ()
    body = name_graph(name, joined)
    replaced = replace_topology(session, name, body, stored.etag, settings)
    return replaced, "replaced", compare_owned(graph, joined)


def name_graph(name: str, graph: Graph) -> TopologyBody:
    """The graph that a reader found, as the body of a topology with the given name."""
    return TopologyBody.model_validate(graph.model_dump() | {"name": name})


def refuse_strangers(stored: StoredTopology, reading: EngineReading, loads: list[LoadBody]) -> None:
    """Refuses loads that have no operator in common with the stored topology: the name in the address must be
    wrong.
    """
    if not reading.loads or any(load.operators for load in loads):
        return
    if not any(load.operators for load in reading.loads):
        return
    measured = sorted({name for load in reading.loads for name in load.operators})
    detail = (
        f"Topology {stored.name!r} has none of the operators that the engine measured ({', '.join(measured[:10])}): "
        "correct the name in the address, or send ?topology=replace to store the topology that the engine shows."
    )
    raise InvalidRequest((("#", detail),))


def store_measured(
    session: Session, name: str, snapshots: list[SnapshotBody], settings: Settings
) -> StoredSnapshots:
    """Stores the measured snapshots; a refusal points to the whole request, which does not contain the snapshots."""
    try:
        return store_snapshots(session, name, snapshots, settings)
    except InvalidRequest as error:
        details = dict.fromkeys(detail for _, detail in error.errors)
        said = [("#", f"The load that the engine measured cannot be stored. {detail}") for detail in details]
        raise InvalidRequest(tuple(said)) from error


def store_marks(session: Session, stored: StoredTopology, engine: EngineName, reading: EngineReading) -> None:
    """Stores the names that the engine gives to the job and its parts; they replace the names stored earlier."""
    if not reading.marks:
        return
    values = {"topology_id": stored.id, "engine": engine, "marks": drop_nul(dict(reading.marks))}
    statement = insert(EngineMarksRow).values(values)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["topology_id"],
            set_={name: statement.excluded[name] for name in ("engine", "marks", "seen_at")},
        )
    )


def to_snapshot(body: SnapshotBody) -> SnapshotAnswer:
    """A stored snapshot as an item of the answer's list."""
    document: dict[str, Any] = body.model_dump(exclude_none=True) | {"source": "posted"}
    empty = {"measured_sojourn_seconds": None, "measured_completion_seconds": None}
    return SnapshotAnswer.model_validate(empty | document)
