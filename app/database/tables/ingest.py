"""Tables of the ingest: its runs, the lines they rejected, and the summaries they wrote."""

from datetime import date, datetime

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Date,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database.tables.base import Base, Document


class IngestRunRow(Base):
    """One run of the nightly ingest: with its paths, counts, state, and the time span of its windows."""

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
    """A record that a run could not use: its file and line, the reason, and the beginning of its text."""

    __tablename__ = "rejected_lines"

    run_id: Mapped[int] = mapped_column(ForeignKey("ingest_runs.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    file: Mapped[str]
    line: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str]
    text: Mapped[str]


def name_day(day: date) -> str:
    """The name of the partition of OperatorSummaryRow that holds this day; names ascend with the days."""
    return f"operator_summaries_{day:%Y_%m_%d}"


class OperatorSummaryRow(Base):
    """Measurements of one operator in one window; partitioned by day (docs/ingest.md has the reason).

    It has no foreign key, which would be checked for each of a day's million rows. `headgate prune` deletes the
    summaries of deleted topologies.
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
    waits_beside_idle: Mapped[float | None]
    arrival_idc: Mapped[list[Document] | None] = mapped_column(JSONB)
    service_histogram: Mapped[list[Document] | None] = mapped_column(JSONB)
    instance_shares: Mapped[list[Document] | None] = mapped_column(JSONB)


class TopologySummaryRow(Base):
    """Measurements of one topology in one window: external rate, and sojourns of the roots that arrived in it."""

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
    total_p50_seconds: Mapped[float | None]
    total_p95_seconds: Mapped[float | None]
    total_p99_seconds: Mapped[float | None]
    completion_p50_seconds: Mapped[float | None]
    completion_p95_seconds: Mapped[float | None]
    completion_p99_seconds: Mapped[float | None]
