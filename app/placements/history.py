"""Reads stored placements."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.http.pages import Page
from app.placements.schemas import PlacementAnswer, PlacementPage, PlacementSummary
from app.storage.storage_errors import UnknownPlacement
from app.storage.stored_answers import list_answers, read_answer
from app.tables import PlacementRow


def find_placement(session: Session, placement_id: UUID) -> PlacementAnswer:
    """A stored placement, as it was answered when it was made."""
    return read_answer(session, PlacementRow, PlacementAnswer, UnknownPlacement, placement_id)


def list_placements(session: Session, name: str, page: Page) -> PlacementPage:
    """A page of the placements of a topology, newest first."""
    answer = PlacementRow.answer
    columns = (
        PlacementRow.revision,
        answer["external_rate"].label("external_rate"),
        answer["mapping", "slots_used"].label("slots_used"),
        answer["hourly_price"].label("hourly_price"),
        answer["prediction", "rate"].label("rate"),
    )
    rows, following = list_answers(session, PlacementRow, name, page, *columns)
    return PlacementPage(items=[PlacementSummary.model_validate(row) for row in rows], next=following)
