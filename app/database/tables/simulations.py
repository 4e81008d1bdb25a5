"""The table of simulations that were too long for an answer at once."""

from sqlalchemy import CheckConstraint, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base, Document
from app.database.tables.jobs import STATES, JobColumns


class SimulationRow(JobColumns, Base):
    """A simulation; `app/jobs/workers/simulation_worker.py` computes it, and `answer` is what it found."""

    __tablename__ = "simulations"
    __table_args__ = (
        CheckConstraint(STATES, name="state"),
        Index("ix_simulations_created_at_id", "created_at", "id"),
    )

    answer: Mapped[Document | None] = mapped_column(JSONB(none_as_null=True))
