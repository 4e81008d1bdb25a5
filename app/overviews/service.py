"""Reads the overview."""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from app.http.pages import Page
from app.overviews.answers import to_overview
from app.overviews.gathering import count_statuses, gather_page
from app.overviews.schemas import Overview, OverviewFilter


def read_overview(session: Session, page: Page, wanted: OverviewFilter) -> Overview:
    """A page of topologies, the worst first, and the number of topologies of each status."""
    now = datetime.now(UTC)
    rows, following = gather_page(session, now, page, wanted)
    return to_overview(rows, count_statuses(session, now, wanted), following)
