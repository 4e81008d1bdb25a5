"""Reads stored placements."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.database.storage_errors import UnknownPlacement
from app.database.stored_answers import list_answers, read_answer
from app.database.tables import PlacementRow
from app.machines.placements.schemas import PlacementAnswer, PlacementPage, PlacementSummary
from app.web.pages import Page


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
