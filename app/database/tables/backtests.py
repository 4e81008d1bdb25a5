"""Tables of backtests and of their runs."""

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base
from app.database.tables.jobs import STATES, JobColumns


class BacktestRow(JobColumns, Base):
    """A backtest; `app/jobs/workers/backtest_worker.py` computes it."""

    __tablename__ = "backtests"
    __table_args__ = (
        CheckConstraint(STATES, name="state"),
        Index("ix_backtests_created_at_id", "created_at", "id"),
    )


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
