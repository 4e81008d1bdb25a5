"""Names that are stored and resemble one that is not, for the problem that says so."""

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from planner.errors import LENGTHS_COMPARED, NAMES_COMPARED, suggest_name


def suggest_stored(session: Session, column: InstrumentedAttribute[str], wrong: str) -> str:
    """` Did you mean 'clicks'?` where a stored name is similar, else nothing."""
    alike = func.length(column).between(len(wrong) - LENGTHS_COMPARED, len(wrong) + LENGTHS_COMPARED)
    return suggest_name(wrong, session.scalars(select(column).where(alike).distinct().limit(NAMES_COMPARED)))
