"""Remembers in the database which tickets of browsers ended by signing out, so that every worker refuses them."""

from datetime import UTC, datetime
from hashlib import sha256

from anyio import to_thread
from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, sessionmaker

from app.database.tables import SignedOutTicketRow


class SignedOutTickets:
    """The tickets that ended before their time; only their digests are stored, until their time is over."""

    def __init__(self, factory: sessionmaker[Session]) -> None:
        self._factory = factory

    async def has(self, ticket: str) -> bool:
        """Whether the browser of this ticket has signed out."""
        return await to_thread.run_sync(self._read, _digest(ticket))

    async def add(self, ticket: str, expires_at: int) -> None:
        """Ends a ticket, and forgets those whose time is over."""
        await to_thread.run_sync(self._write, _digest(ticket), datetime.fromtimestamp(expires_at, UTC))

    def _read(self, digest: bytes) -> bool:
        with self._factory() as session:
            return session.scalar(select(SignedOutTicketRow.digest).filter_by(digest=digest)) is not None

    def _write(self, digest: bytes, expires_at: datetime) -> None:
        with self._factory.begin() as session:
            session.execute(delete(SignedOutTicketRow).where(SignedOutTicketRow.expires_at < func.now()))
            new = insert(SignedOutTicketRow).values(digest=digest, expires_at=expires_at)
            session.execute(new.on_conflict_do_nothing())


def _digest(ticket: str) -> bytes:
    return sha256(ticket.encode()).digest()
