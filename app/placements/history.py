"""The placements that were stored, as they were answered."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from app.http.pages import Page, bad_cursor
from app.placements.schemas import PlacementAnswer, PlacementPage, PlacementSummary
from app.storage.storage_errors import UnknownPlacement
from app.storage.stored_topologies import find_topology
from app.tables import PlacementRow


def find_placement(session: Session, placement_id: UUID) -> PlacementAnswer:
    """A stored placement, as it was answered."""
    row = session.get(PlacementRow, placement_id)
    if row is None:
        raise UnknownPlacement(placement_id)
    return PlacementAnswer.model_validate(row.answer | {"id": row.id, "created_at": row.created_at})


def list_placements(session: Session, name: str, page: Page) -> PlacementPage:
    """The placements of a topology, newest first."""
    stored = find_topology(session, name)
    answer = PlacementRow.answer
    columns = (PlacementRow.created_at, PlacementRow.id)
    query = (
        select(
            PlacementRow.id,
            PlacementRow.created_at,
            PlacementRow.revision,
            answer["external_rate"].label("external_rate"),
            answer["mapping", "slots_used"].label("slots_used"),
            answer["hourly_price"].label("hourly_price"),
            answer["prediction", "rate"].label("rate"),
        )
        .where(PlacementRow.topology_id == stored.id)
        .order_by(*(column.desc() for column in columns))
        .limit(page.limit + 1)
    )
    if key := page.after_key(2):
        query = query.where(tuple_(*columns) < tuple_(*_read_key(*key)))
    rows = session.execute(query).all()
    items = [PlacementSummary.model_validate(row) for row in rows[: page.limit]]
    more = len(rows) > page.limit
    following = page.next_url(items[-1].created_at.isoformat(), items[-1].id) if more else None
    return PlacementPage(items=items, next=following)


def _read_key(created_at: str, placement_id: str) -> tuple[datetime, UUID]:
    try:
        return datetime.fromisoformat(created_at), UUID(placement_id)
    except ValueError as error:
        raise bad_cursor() from error
