"""Tables of answers about a topology: plans, placements and decisions."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, false
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base, Document, StoredTime


class AnswerColumns:
    """An answer about one revision of a topology."""

    id: Mapped[UUID] = mapped_column(primary_key=True)
    topology_id: Mapped[int] = mapped_column(ForeignKey("topologies.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    answer: Mapped[Document]
    created_at: Mapped[StoredTime]


class PlanRow(AnswerColumns, Base):
    """A plan: its request, its answer, and the revision of the topology it was computed for."""

    __tablename__ = "plans"
    __table_args__ = (Index("ix_plans_topology_id_created_at_id", "topology_id", "created_at", "id"),)

    objective: Mapped[str]
    request: Mapped[Document]


class PlacementRow(AnswerColumns, Base):
    """A placement: its request, its answer, and the revision of the topology it was computed for."""

    __tablename__ = "placements"
    __table_args__ = (Index("ix_placements_topology_id_created_at_id", "topology_id", "created_at", "id"),)

    request: Mapped[Document]


class DecisionRow(AnswerColumns, Base):
    """A decision; `decided_for` is the end of the newest interval that it used; `outcome` is what became of it.

    `digest` has the few numbers of the answer that lists and metrics show. `policy` is the policy it was made under.
    `is_trial`: another policy than the stored one was sent, or `at` left out newer snapshots (deciding/standing.py).
    """

    __tablename__ = "decisions"
    __table_args__ = (
        CheckConstraint("action IN ('hold', 'scale_up', 'scale_down', 'rebalance')", name="action"),
        CheckConstraint(
            "outcome->>'state' IN ('applied', 'refused', 'failed', 'rolled-back')", name="outcome_state"
        ),
        Index("ix_decisions_topology_id_decided_for", "topology_id", "decided_for"),
        Index("ix_decisions_topology_id_created_at_id", "topology_id", "created_at", "id"),
    )

    decided_for: Mapped[datetime]
    action: Mapped[str]
    external_rate: Mapped[float]
    outcome: Mapped[Document | None]
    digest: Mapped[Document | None]
    policy: Mapped[Document]
    is_trial: Mapped[bool] = mapped_column(server_default=false())
