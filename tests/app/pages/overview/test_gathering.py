"""One query finds the lines of a page and counts all topologies by their status, also where the page has none."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from sqlalchemy.orm import Session
from starlette.requests import Request

from app.load.bodies.topology import FPD
from app.load.topologies.schemas import TopologyBody
from app.load.topologies.service import create_topology
from app.pages.overview.gathering import gather_page
from app.pages.overview.schemas import OverviewFilter, Status
from app.settings import Settings
from app.web.paging import Page
from tests.app.planner_watch import watching

REQUEST: Request = SimpleNamespace(query_params={}, scope={"path": "/v1/overview"})  # type: ignore[assignment]


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize(("statuses", "shown"), [((), 2), (("stale",), 0)])
def test_lines_and_counts_are_read_together(
    session: Session, name: str, monkeypatch: pytest.MonkeyPatch, statuses: tuple[Status, ...], shown: int
):
    for one in ("a", "b"):
        create_topology(session, TopologyBody.model_validate(FPD | {"name": f"{name}-{one}"}), Settings())
    wanted = OverviewFilter(statuses, name)
    with watching(session, monkeypatch) as watch:
        rows, _, counts = gather_page(session, datetime.now(UTC), Page(REQUEST, 10, None), wanted)
    assert (len(rows), counts) == (shown, {"no-measurements": 2})
    assert len(watch.statements) == (1 if shown else 2)
