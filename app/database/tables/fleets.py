"""Tables of the fleet: its policy, the decisions made under it, and the shares of the newest one."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, Index, Integer, func
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base, CreatedBy, Document, StoredTime, TopologyKey


class FleetPolicyRow(Base):
    """The policy of the fleet: the budget that topologies share. There is one row at most."""

    __tablename__ = "fleet_policies"
    __table_args__ = (CheckConstraint("id = 1", name="only_one"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    policy: Mapped[Document]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class FleetDecisionRow(Base):
    """A decision of the fleet, which names the decisions of its topologies."""

    __tablename__ = "fleet_decisions"
    __table_args__ = (Index("ix_fleet_decisions_created_at_id", "created_at", "id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    answer: Mapped[Document]
    created_at: Mapped[StoredTime]
    created_by: Mapped[CreatedBy]


class FleetShareRow(Base):
    """What the newest decision of the fleet gave a topology: its processors in all, and the ids of the topologies that
    give processors up before it takes them.
    """

    __tablename__ = "fleet_shares"

    topology_id: Mapped[TopologyKey]
    processors: Mapped[int] = mapped_column(BigInteger)
    after: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))
    decided_at: Mapped[StoredTime]
