"""Tables of backtests and of their runs."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Base, Document, StoredTime


class BacktestRow(Base):
    """A backtest: its request and its progress; `app/backtest_workers/worker.py` computes it.

    The worker that computes it holds an advisory lock, which ends with the worker; no column says so.
    """

    __tablename__ = "backtests"
    __table_args__ = (
        CheckConstraint("state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name="state"),
        Index("ix_backtests_created_at_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(server_default="queued")
    request: Mapped[Document]
    progress: Mapped[float] = mapped_column(server_default=text("0"))
    attempts: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    error: Mapped[Document | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[StoredTime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class BacktestRunRow(Base):
    """One policy replayed with one seed: its scores, and its schedule as [steps, vms] pairs.

    Each run is a row, so that a finished run is one insert, and a picture of it reads one row.
    """

    __tablename__ = "backtest_runs"

    backtest_id: Mapped[UUID] = mapped_column(
        ForeignKey("backtests.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    policy: Mapped[str]
    seed: Mapped[int] = mapped_column(Integer)
    qos_percent: Mapped[float]
    cost_to_truth: Mapped[float]
    cost_to_static: Mapped[float]
    max_backlog: Mapped[float]
    schedule: Mapped[list[list[int]]] = mapped_column(JSONB)
