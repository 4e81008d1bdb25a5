"""Stored answers are read back as they were given, under the id that storing gave them."""

from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy.orm import Session

from app.placements.answers import to_placement_answer
from app.placements.gathering import gather_offline
from app.placements.schemas import PlacementAnswer, PlacementRequest
from app.placements.service import compute_placement
from app.storage.storage_errors import UnknownPlacement
from app.storage.stored_answers import read_answer, store_answer
from app.storage.stored_topologies import find_topology
from app.tables import PlacementRow
from tests.app.placement_examples import REQUEST


def test_an_answer_comes_back_with_its_id_and_time(client: httpx.Client, session: Session, stored: str):
    request = PlacementRequest.model_validate(REQUEST)
    gathered = gather_offline(request.topology, request)
    given = to_placement_answer(compute_placement(gathered, request, 100.0), gathered, request)
    assert (given.id, given.created_at) == (None, None)
    topology = find_topology(session, stored)
    row = PlacementRow(topology_id=topology.id, revision=topology.revision, request=REQUEST)
    kept = store_answer(session, row, given)
    assert isinstance(kept.id, UUID)
    assert kept.created_at is not None
    assert not {"id", "created_at"} & row.answer.keys(), "they have columns of their own"
    session.expire_all()
    assert read_answer(session, PlacementRow, PlacementAnswer, UnknownPlacement, kept.id) == kept
    assert client.get(f"/v1/placements/{kept.id}").status_code == 404, "a service stores and never commits"


def test_an_id_that_is_not_stored_is_refused(session: Session):
    missing = uuid4()
    with pytest.raises(UnknownPlacement, match=str(missing)):
        read_answer(session, PlacementRow, PlacementAnswer, UnknownPlacement, missing)
