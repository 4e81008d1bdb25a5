"""Stored names that are similar to an unknown one, for the message about it."""

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from planner.errors import LENGTHS_COMPARED, NAMES_COMPARED, suggest_name


def suggest_stored(session: Session, column: InstrumentedAttribute[str], wrong: str) -> str:
    """` Did you mean 'clicks'?` if a stored name is similar, else an empty text."""
    alike = func.length(column).between(len(wrong) - LENGTHS_COMPARED, len(wrong) + LENGTHS_COMPARED)
    return suggest_name(wrong, session.scalars(select(column).where(alike).distinct().limit(NAMES_COMPARED)))
