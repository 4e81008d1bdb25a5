"""Reads the overview."""

from datetime import UTC, datetime

from sqlalchemy.orm import Session

from app.pages.overview.answers import to_overview
from app.pages.overview.gathering import count_statuses, gather_page
from app.pages.overview.schemas import Overview, OverviewFilter
from app.web.paging import Page


def read_overview(session: Session, page: Page, wanted: OverviewFilter) -> Overview:
    """A page of topologies, the worst first, and the number of topologies of each status."""
    now = datetime.now(UTC)
    rows, following = gather_page(session, now, page, wanted)
    return to_overview(rows, count_statuses(session, now, wanted), following)
