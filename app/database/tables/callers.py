"""Tables of callers: the tickets of browsers that signed out."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base


class SignedOutTicketRow(Base):
    """The digest of a ticket that is not accepted any more although its time is not over."""

    __tablename__ = "signed_out_tickets"

    digest: Mapped[bytes] = mapped_column(primary_key=True)
    expires_at: Mapped[datetime]
