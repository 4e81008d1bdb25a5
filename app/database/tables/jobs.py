"""Tables of jobs: backtests with their runs, and long simulations."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base, CreatedBy, Document, StoredTime

STATES = "state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')"


class JobColumns:
    """The columns of every job: its request and its progress; a process of `app/jobs/workers` computes the job.

    The worker that computes the job holds an advisory lock, which ends with the worker; no column stores this.
    """

    id: Mapped[UUID] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(server_default="queued")
    request: Mapped[Document]
    progress: Mapped[float] = mapped_column(server_default=text("0"))
    attempts: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    error: Mapped[Document | None] = mapped_column(JSONB(none_as_null=True))
    created_at: Mapped[StoredTime]
    created_by: Mapped[CreatedBy]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class BacktestRow(JobColumns, Base):
    """A stored backtest; `app/jobs/workers/backtest_worker.py` computes it."""

    __tablename__ = "backtests"
    __table_args__ = (
        CheckConstraint(STATES, name="state"),
        Index("ix_backtests_created_at_id", "created_at", "id"),
    )


class BacktestRunRow(Base):
    """One run of a backtest: a policy replayed with a seed, with its scores and its schedule as [steps, vms] pairs.

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
    promise: Mapped[Document | None]


class SimulationRow(JobColumns, Base):
    """A stored simulation; `app/jobs/workers/simulation_worker.py` computes it, and `answer` is its result."""

    __tablename__ = "simulations"
    __table_args__ = (
        CheckConstraint(STATES, name="state"),
        Index("ix_simulations_created_at_id", "created_at", "id"),
    )

    answer: Mapped[Document | None] = mapped_column(JSONB(none_as_null=True))
