"""Tables of callers: signed-out browsers, the audit of changes, repeated requests, and who is told of changes."""

from datetime import datetime

from sqlalchemy import BigInteger, Identity, Index, Integer, SmallInteger, false, text
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base, Document, StoredTime, TopologyKey


class SignedOutTicketRow(Base):
    """The digest of a ticket that is not accepted any more although its time is not over."""

    __tablename__ = "signed_out_tickets"

    digest: Mapped[bytes] = mapped_column(primary_key=True)
    expires_at: Mapped[datetime]


class AuditRow(Base):
    """A change: when, with which key, from where, and what; or all changes of one kind in the hour from `at`."""

    __tablename__ = "audit"
    __table_args__ = (
        Index("ix_audit_at_id", "at", "id"),
        Index("ix_audit_name_at_id", "name", "at", "id"),
        Index("ix_audit_key_at_id", "key", "at", "id"),
        Index(
            "uq_audit_counted",
            *("at", "address", "key", "client", "status"),
            unique=True,
            postgresql_where=text("is_counted"),
            postgresql_nulls_not_distinct=True,
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[datetime]
    key: Mapped[str | None]
    client: Mapped[str | None]
    method: Mapped[str]
    address: Mapped[str]
    name: Mapped[str | None]
    status: Mapped[int] = mapped_column(SmallInteger)
    is_counted: Mapped[bool] = mapped_column(server_default=false())
    count: Mapped[int] = mapped_column(Integer, server_default=text("1"))


class RepeatedRequestRow(Base):
    """The answer to a request with an Idempotency-Key; `caller` is the name of the API key, empty without keys."""

    __tablename__ = "repeated_requests"
    __table_args__ = (Index("ix_repeated_requests_created_at", "created_at"),)

    caller: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[bytes]
    status: Mapped[int] = mapped_column(SmallInteger)
    headers: Mapped[Document]
    body: Mapped[bytes]
    created_at: Mapped[StoredTime]


class WebhookRow(Base):
    """Who is told of a topology's changes, what was told last (`told`), and the event that is still to be sent.

    `attempts` of sending the event have failed, and the next one is due at `next_at`.
    """

    __tablename__ = "webhooks"

    topology_id: Mapped[TopologyKey]
    url: Mapped[str]
    form: Mapped[str]
    told: Mapped[str] = mapped_column(server_default="hold")
    event: Mapped[Document | None]
    attempts: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    next_at: Mapped[datetime | None]
