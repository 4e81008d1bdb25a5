"""Every table, defined once; `migrations/` brings a database to this shape, and a test compares the two.

A topology's definition and a snapshot's loads are JSONB documents: they are written whole and read whole, and
the planner needs all of one or nothing (docs/decisions/documents-in-postgres.md).
"""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Date,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# What a JSONB column holds is checked by the Pydantic types on its way in and out, not here.
Document = dict[str, Any]


class Base(DeclarativeBase):
    """Names every constraint, so that migrations can speak of them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 -- SQLAlchemy reads it from the class
        datetime: DateTime(timezone=True),
        str: Text,
        float: Double,
        Document: JSONB,
        UUID: Uuid,
    }


class TopologyRow(Base):
    """A name and which revision is current."""

    __tablename__ = "topologies"
    __table_args__ = (UniqueConstraint("name"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    name: Mapped[str]
    revision: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class TopologyRevisionRow(Base):
    """One revision of a topology: operators, edges and entries as posted, or as discovered in logs."""

    __tablename__ = "topology_revisions"
    __table_args__ = (CheckConstraint("source IN ('posted', 'discovered')", name="source"),)

    topology_id: Mapped[int] = mapped_column(
        ForeignKey("topologies.id", ondelete="CASCADE"), primary_key=True
    )
    revision: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    definition: Mapped[Document]
    source: Mapped[str] = mapped_column(server_default="posted")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SnapshotRow(Base):
    """The measured load of one interval; `observed_at` is where the interval begins."""

    __tablename__ = "snapshots"
    __table_args__ = (
        CheckConstraint("source IN ('posted', 'ingest')", name="source"),
        CheckConstraint("window_seconds > 0", name="window"),
    )

    topology_id: Mapped[int] = mapped_column(
        ForeignKey("topologies.id", ondelete="CASCADE"), primary_key=True
    )
    observed_at: Mapped[datetime] = mapped_column(primary_key=True)
    window_seconds: Mapped[float] = mapped_column(primary_key=True)
    covered_seconds: Mapped[float | None]
    external_rate: Mapped[float]
    measured_sojourn_seconds: Mapped[float | None]
    operators: Mapped[Document]
    nodes: Mapped[Document | None]
    instances: Mapped[Document | None]
    source: Mapped[str] = mapped_column(server_default="posted")
    stored_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PlanRow(Base):
    """A plan as it was answered, with what it was asked and what it stood on."""

    __tablename__ = "plans"
    __table_args__ = (Index("ix_plans_topology_id_created_at_id", "topology_id", "created_at", "id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    topology_id: Mapped[int] = mapped_column(ForeignKey("topologies.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    objective: Mapped[str]
    request: Mapped[Document]
    answer: Mapped[Document]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class MstSampleRow(Base):
    """A throughput that some VMs sustained, or (not `saturated`) served with room left."""

    __tablename__ = "mst_samples"
    __table_args__ = (
        CheckConstraint("vms > 0", name="vms"),
        CheckConstraint("throughput > 0", name="throughput"),
    )

    topology_id: Mapped[int] = mapped_column(
        ForeignKey("topologies.id", ondelete="CASCADE"), primary_key=True
    )
    observed_at: Mapped[datetime] = mapped_column(primary_key=True)
    vms: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    throughput: Mapped[float]
    saturated: Mapped[bool]
    stored_at: Mapped[datetime] = mapped_column(server_default=func.now())


class IngestRunRow(Base):
    """One run of the nightly ingest: what it read, what became of it, and the stretch of time it wrote."""

    __tablename__ = "ingest_runs"
    __table_args__ = (
        CheckConstraint("state IN ('running', 'succeeded', 'failed', 'abandoned')", name="state"),
        CheckConstraint("state <> 'succeeded' OR read = accepted + rejected + duplicates", name="adds_up"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    state: Mapped[str]
    paths: Mapped[list[str]] = mapped_column(ARRAY(Text))
    day: Mapped[date | None] = mapped_column(Date)
    window_seconds: Mapped[int] = mapped_column(Integer)
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
    seconds: Mapped[float | None]
    read: Mapped[int | None] = mapped_column(BigInteger)
    accepted: Mapped[int | None] = mapped_column(BigInteger)
    rejected: Mapped[int | None] = mapped_column(BigInteger)
    duplicates: Mapped[int | None] = mapped_column(BigInteger)
    windows: Mapped[int | None] = mapped_column(BigInteger)
    first_window_at: Mapped[datetime | None]
    last_window_at: Mapped[datetime | None]
    reject_reasons: Mapped[Document] = mapped_column(server_default=text("'{}'"))
    diagnostics: Mapped[list[Document]] = mapped_column(JSONB, server_default=text("'[]'"))
    error: Mapped[str | None]


class RejectedLineRow(Base):
    """A record that a run could not use: where it stands, why, and its beginning."""

    __tablename__ = "rejected_lines"

    run_id: Mapped[int] = mapped_column(ForeignKey("ingest_runs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    file: Mapped[str]
    line: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str]
    text: Mapped[str]


class OperatorSummaryRow(Base):
    """One operator in one window, as measured; partitioned by day (docs/ingest.md says why, and what it costs).

    No foreign key: it would be looked up for each of a day's million rows. `headgate prune` drops what a deleted
    topology leaves behind.
    """

    __tablename__ = "operator_summaries"
    __table_args__ = (
        Index("ix_operator_summaries_operator", "topology_id", "operator", "window_start"),
        {"postgresql_partition_by": "RANGE (window_start)"},
    )

    topology_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    window_start: Mapped[datetime] = mapped_column(primary_key=True)
    operator: Mapped[str] = mapped_column(primary_key=True)
    window_seconds: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    run_id: Mapped[int] = mapped_column(BigInteger)
    covered_seconds: Mapped[float | None]
    tuples: Mapped[int] = mapped_column(BigInteger)
    arrival_rate: Mapped[float]
    arrival_scv: Mapped[float | None]
    service_rate: Mapped[float | None]
    service_scv: Mapped[float | None]
    mean_wait_seconds: Mapped[float]
    mean_sojourn_seconds: Mapped[float]
    wait_p50_seconds: Mapped[float]
    wait_p95_seconds: Mapped[float]
    wait_p99_seconds: Mapped[float]
    sojourn_p50_seconds: Mapped[float]
    sojourn_p95_seconds: Mapped[float]
    sojourn_p99_seconds: Mapped[float]
    instances: Mapped[int] = mapped_column(Integer)
    instances_present: Mapped[float | None]
    most_busy: Mapped[int | None] = mapped_column(Integer)
    mean_busy: Mapped[float | None]
    processors: Mapped[int | None] = mapped_column(Integer)
    processors_basis: Mapped[str | None]
    busy_fractions: Mapped[list[Document]] = mapped_column(JSONB)
    busy_spread: Mapped[float]
    busy_skew: Mapped[float | None]
    upstream: Mapped[list[Document]] = mapped_column(JSONB)


class TopologySummaryRow(Base):
    """One topology in one window: what entered, and what became of the root tuples that entered then."""

    __tablename__ = "topology_summaries"

    topology_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    window_start: Mapped[datetime] = mapped_column(primary_key=True)
    window_seconds: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    run_id: Mapped[int] = mapped_column(BigInteger)
    covered_seconds: Mapped[float | None]
    external_rate: Mapped[float]
    root_tuples: Mapped[int] = mapped_column(BigInteger)
    mean_total_sojourn_seconds: Mapped[float | None]
    mean_completion_seconds: Mapped[float | None]


class ProfileRow(Base):
    """One version of a task's profile; versions are added, never changed."""

    __tablename__ = "profiles"

    name: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    definition: Mapped[Document]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class VmCatalogueRow(Base):
    """One version of a catalogue of VM sizes and prices."""

    __tablename__ = "vm_catalogues"

    name: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    definition: Mapped[Document]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PlacementRow(Base):
    """A placement as it was answered, with what it was asked and what it stood on."""

    __tablename__ = "placements"
    __table_args__ = (Index("ix_placements_topology_id_created_at_id", "topology_id", "created_at", "id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    topology_id: Mapped[int] = mapped_column(ForeignKey("topologies.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    request: Mapped[Document]
    answer: Mapped[Document]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PolicyRow(Base):
    """Under which terms decisions about a topology are made; its owner replaces it as a whole."""

    __tablename__ = "policies"

    topology_id: Mapped[int] = mapped_column(
        ForeignKey("topologies.id", ondelete="CASCADE"), primary_key=True
    )
    policy: Mapped[Document]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class DecisionRow(Base):
    """A decision as it was answered; `decided_for` is where the newest interval it looked at ends."""

    __tablename__ = "decisions"
    __table_args__ = (
        CheckConstraint("action IN ('hold', 'scale_up', 'scale_down', 'rebalance')", name="action"),
        Index("ix_decisions_topology_id_decided_for", "topology_id", "decided_for"),
        Index("ix_decisions_topology_id_created_at_id", "topology_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    topology_id: Mapped[int] = mapped_column(ForeignKey("topologies.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    decided_for: Mapped[datetime]
    action: Mapped[str]
    external_rate: Mapped[float]
    answer: Mapped[Document]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class BacktestRow(Base):
    """A backtest asked for: what of, and how far it is; `app/backtest_workers/worker.py` computes it.

    Whether anybody is at work on it is not written here: its worker holds an advisory lock, which ends with it.
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
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class BacktestRunRow(Base):
    """One policy lived through with one seed: its scores, and its schedule as [steps, vms] pairs.

    Rows of their own, so that a run that is done costs one insert and a picture of it reads one row.
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
