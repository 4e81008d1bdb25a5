"""The columns of every table of jobs."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Integer, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Document, StoredTime

STATES = "state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')"


class JobColumns:
    """A job: its request and its progress; a process of `app/jobs/workers` computes it.

    The worker that computes it holds an advisory lock, which ends with the worker; no column says so.
    """

    id: Mapped[UUID] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(server_default="queued")
    request: Mapped[Document]
    progress: Mapped[float] = mapped_column(server_default=text("0"))
    attempts: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    error: Mapped[Document | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[StoredTime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
