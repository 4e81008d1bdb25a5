"""Stored answers are read back as they were given, under the id that storing gave them."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy.orm import Session
from starlette.requests import Request

from app.database.stored_answers import list_answers, read_answer, store_answer
from app.database.tables import PlacementRow, TopologyRevisionRow, TopologyRow
from app.load.bodies.topology import FPD
from app.load.measurements.stored_topologies import find_topology
from app.machines.placements.answers import to_placement_answer
from app.machines.placements.gathering import gather_offline
from app.machines.placements.schemas import PlacementAnswer, PlacementRequest
from app.machines.placements.service import compute_placement
from app.web.paging import Page
from app.web.problems.stored_data_errors import UnknownPlacement
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


def test_a_topology_lists_its_own_answers_newest_first(session: Session):
    rows = [TopologyRow(name=f"listed-{uuid4()}", revision=1) for _ in range(2)]
    session.add_all(rows)
    session.flush()
    session.add_all(TopologyRevisionRow(topology_id=row.id, revision=1, definition=FPD) for row in rows)
    mine, other = (row.id for row in rows)
    times = [datetime(2026, 1, day, tzinfo=UTC) for day in (2, 3, 1)]
    for topology_id, time in [*((mine, time) for time in times), (other, datetime(2026, 1, 4, tzinfo=UTC))]:
        answered = PlacementRow(id=uuid4(), topology_id=topology_id, revision=1, request={}, answer={})
        answered.created_at = time
        session.add(answered)
    session.flush()
    page = Page(Request({"type": "http", "path": "/", "query_string": b"", "headers": []}), 2, None)
    listed, following = list_answers(session, PlacementRow, rows[0].id, page, PlacementRow.revision)
    assert [(row.created_at, row.revision) for row in listed] == [(times[1], 1), (times[0], 1)]
    assert following is not None, "a third one is on the next page"


def test_an_id_that_is_not_stored_is_refused(session: Session):
    missing = uuid4()
    with pytest.raises(UnknownPlacement, match=str(missing)):
        read_answer(session, PlacementRow, PlacementAnswer, UnknownPlacement, missing)
