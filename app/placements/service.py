"""Placements: of what the body describes, or of what is stored."""

from uuid import uuid4

from sqlalchemy.orm import Session

from app.described.topology import Graph, check_size
from app.http.error_pointers import STORED, pointing_into_body
from app.measured.snapshots import find_newest
from app.placements.computing import compute_placement, compute_prediction
from app.placements.gathering import Library
from app.placements.schemas import (
    PlacementAnswer,
    PlacementChoices,
    PlacementRequest,
    PredictionAnswer,
    PredictionRequest,
    StoredPlacementRequest,
)
from app.profiles.schemas import Point
from app.profiles.service import to_answer as to_profile_answer
from app.serving.observability import time_planner
from app.settings import Settings
from app.storage.storage_errors import NoSnapshot, StoredDataUnusable
from app.storage.stored_topologies import StoredTopology, find_topology
from app.storage.versions import find_version
from app.tables import PlacementRow, ProfileRow, VmCatalogueRow
from app.vm_catalogues.schemas import VmSizeBody
from app.vm_catalogues.service import to_answer as to_catalogue_answer


def open_library(session: Session) -> Library:
    """Profiles and catalogues as stored; the database is asked only for what a request names."""

    def find_profile(name: str) -> tuple[list[Point], int] | None:
        row = find_version(session, ProfileRow, name)
        return (to_profile_answer(row).points, row.version) if row else None

    def find_sizes(name: str) -> list[VmSizeBody] | None:
        row = find_version(session, VmCatalogueRow, name)
        return to_catalogue_answer(row).sizes if row else None

    return Library(find_profile, find_sizes)


def locate_sizes(body: PlacementChoices) -> dict[str, str | None]:
    """Where the body has the VM sizes: in a list, or by the name of a catalogue."""
    return {"vm_sizes": "/vm_catalogue" if body.vm_sizes is None and body.vm_catalogue else "/vm_sizes"}


def place_described(session: Session, body: PlacementRequest, settings: Settings) -> PlacementAnswer:
    """Of the body's topology at its rate; nothing is stored."""
    check_size(body.topology, settings, "#/topology")
    with time_planner("place"), pointing_into_body(locate_sizes(body)):
        return compute_placement(body, body.topology, body.external_rate, open_library(session))


def predict_described(session: Session, body: PredictionRequest, settings: Settings) -> PredictionAnswer:
    """Of the body's mapping."""
    check_size(body.topology, settings, "#/topology")
    with time_planner("predict"), pointing_into_body():
        return compute_prediction(body, open_library(session))


def place_stored(session: Session, name: str, body: StoredPlacementRequest) -> PlacementAnswer:
    """Of a stored topology, at the rate asked for or the newest one measured; and stores the placement."""
    stored = find_topology(session, name)
    external_rate = body.external_rate
    if external_rate is None:
        external_rate = _find_newest_rate(session, stored)
    with time_planner("place"), pointing_into_body(STORED | locate_sizes(body)):
        answer = compute_placement(
            body, Graph.model_validate(stored.definition), external_rate, open_library(session)
        )
    return _store(session, stored, body, answer)


def _find_newest_rate(session: Session, stored: StoredTopology) -> float:
    newest = find_newest(session, stored, 1)
    if not newest:
        raise NoSnapshot(stored.name)
    rate = newest[0].external_rate
    if not rate > 0.0:
        detail = "the external_rate of the newest snapshot is 0, and nothing needs no slots: send a rate."
        raise StoredDataUnusable(stored.name, detail)
    return rate


def _store(
    session: Session, stored: StoredTopology, body: StoredPlacementRequest, answer: PlacementAnswer
) -> PlacementAnswer:
    answer.id = uuid4()
    row = PlacementRow(
        id=answer.id,
        topology_id=stored.id,
        revision=stored.revision,
        request=body.model_dump(mode="json"),
        answer=answer.model_dump(mode="json", exclude={"id", "created_at"}),
    )
    session.add(row)
    session.flush()
    session.refresh(row, ["created_at"])
    answer.created_at = row.created_at
    return answer
