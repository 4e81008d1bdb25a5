"""A ticket is stored once as signed out."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import SignedOutTicketRow


def test_a_ticket_signs_out_once(session: Session):
    for _ in range(2):
        session.add(SignedOutTicketRow(digest=b"1", expires_at=datetime.now(UTC)))
    with pytest.raises(IntegrityError):
        session.flush()
