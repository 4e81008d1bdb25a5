"""Reads past forecasts beside what came."""

from sqlalchemy.orm import Session

from app.database.stored_topologies import find_topology
from app.forecasts.past.answers import to_past_forecasts
from app.forecasts.past.gathering import find_newest_end, gather_forecasts
from app.forecasts.past.schemas import PastForecasts


def read_past_forecasts(session: Session, name: str, most: int) -> PastForecasts:
    """The forecasts of the newest decisions about a topology."""
    stored = find_topology(session, name)
    return to_past_forecasts(gather_forecasts(session, stored, most), find_newest_end(session, stored))
