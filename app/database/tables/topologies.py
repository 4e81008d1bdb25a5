"""Tables of a topology: revisions, measurements, policy; plans, placements and decisions about it; versioned inputs."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Computed,
    ForeignKey,
    Identity,
    Index,
    Integer,
    UniqueConstraint,
    false,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, MappedColumn, mapped_column

from app.database.tables.base import Base, CreatedBy, Document, StoredTime, TopologyKey

SHAPES = ("arrival_idc", "instances", "service_histogram")
"""The fields of an operator's load that are lists."""


class TopologyRow(Base):
    """A topology: its name and the number of its current revision."""

    __tablename__ = "topologies"
    __table_args__ = (UniqueConstraint("name"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    name: Mapped[str]
    revision: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[StoredTime]


class TopologyRevisionRow(Base):
    """One revision of a topology: operators, edges and entries as posted, as discovered in logs, or of the demo."""

    __tablename__ = "topology_revisions"
    __table_args__ = (CheckConstraint("source IN ('posted', 'discovered', 'demo')", name="source"),)

    topology_id: Mapped[TopologyKey]
    revision: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    definition: Mapped[Document]
    source: Mapped[str] = mapped_column(server_default="posted")
    created_at: Mapped[StoredTime]
    created_by: Mapped[CreatedBy]


class SnapshotRow(Base):
    """The measured load of one interval, which begins at `observed_at`.

    `shapes` has the fields of SHAPES per operator, and `external_counts` the tuples that entered in spans within the
    interval. They are long, so only queries that need them read them.
    """

    __tablename__ = "snapshots"
    __table_args__ = (
        CheckConstraint("source IN ('posted', 'ingest')", name="source"),
        CheckConstraint("window_seconds > 0", name="window"),
        # Rows are stored in the order of their time, so that an index of some pages finds the newest ones.
        Index("ix_snapshots_stored_at", "stored_at", postgresql_using="brin"),
    )

    topology_id: Mapped[TopologyKey]
    observed_at: Mapped[datetime] = mapped_column(primary_key=True)
    window_seconds: Mapped[float] = mapped_column(primary_key=True)
    covered_seconds: Mapped[float | None]
    external_rate: Mapped[float]
    measured_sojourn_seconds: Mapped[float | None]
    measured_completion_seconds: Mapped[float | None]
    operators: Mapped[Document]
    shapes: Mapped[Document | None] = mapped_column(deferred=True)
    nodes: Mapped[Document | None]
    instances: Mapped[Document | None]
    external_counts: Mapped[list[dict[str, float]] | None] = mapped_column(JSONB, deferred=True)
    source: Mapped[str] = mapped_column(server_default="posted")
    stored_at: Mapped[StoredTime]


class HourlyLoadRow(Base):
    """What is left of the snapshots that began in an hour, after they were deleted (app/database/retention.py).

    The sums are over snapshots: of their rates, and, of those with a measured E[T], of their external tuples, of tuples
    times E[T], and of E[T]. `operators` and `newest_rate` are those of the newest snapshot, which began at `newest_at`.
    """

    __tablename__ = "hourly_loads"

    topology_id: Mapped[TopologyKey]
    hour: Mapped[datetime] = mapped_column(primary_key=True)
    snapshots: Mapped[int] = mapped_column(Integer)
    sojourns: Mapped[int] = mapped_column(Integer)
    rate_sum: Mapped[float]
    highest_rate: Mapped[float]
    measured_tuples: Mapped[float]
    sojourn_tuples: Mapped[float]
    sojourn_sum: Mapped[float]
    newest_at: Mapped[datetime]
    newest_rate: Mapped[float]
    operators: Mapped[Document]


class HourlyKeptRow(Base):
    """For how long an hour was measured against a target of E[T], and was within it (app/database/kept_hours.py)."""

    __tablename__ = "hourly_kept"

    topology_id: Mapped[TopologyKey]
    hour: Mapped[datetime] = mapped_column(primary_key=True)
    judged_seconds: Mapped[float]
    kept_seconds: Mapped[float]
    counted_at: Mapped[StoredTime]


class MstSampleRow(Base):
    """A measured throughput of a number of VMs: the maximum if `saturated`, else a lower rate that they could serve."""

    __tablename__ = "mst_samples"
    __table_args__ = (
        CheckConstraint("vms > 0", name="vms"),
        CheckConstraint("throughput > 0", name="throughput"),
    )

    topology_id: Mapped[TopologyKey]
    observed_at: Mapped[datetime] = mapped_column(primary_key=True)
    vms: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    throughput: Mapped[float]
    saturated: Mapped[bool]
    stored_at: Mapped[StoredTime]


class PolicyRow(Base):
    """The policy for decisions about a topology; PUT replaces it as a whole."""

    __tablename__ = "policies"

    topology_id: Mapped[TopologyKey]
    policy: Mapped[Document]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())


class EngineMarksRow(Base):
    """The engine's names for a topology's parts, such as job and vertices; the newest marks replace older ones."""

    __tablename__ = "engine_marks"

    topology_id: Mapped[TopologyKey]
    engine: Mapped[str]
    marks: Mapped[Document]
    seen_at: Mapped[StoredTime]


class LiveDemoRow(Base):
    """The demo that runs on inside the service: since when, until when, and with which multiple of its day's rate."""

    __tablename__ = "live_demos"

    topology_id: Mapped[TopologyKey]
    load_factor: Mapped[float]
    begun_at: Mapped[datetime]
    runs_until: Mapped[datetime]


class AnswerColumns:
    """The columns of every answer that was computed for one revision of a topology."""

    id: Mapped[UUID] = mapped_column(primary_key=True)
    topology_id: Mapped[int] = mapped_column(ForeignKey("topologies.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    answer: Mapped[Document]
    created_at: Mapped[StoredTime]
    created_by: Mapped[CreatedBy]


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


def copied_from_answer(part: str) -> MappedColumn[Document | None]:
    """A column that Postgres fills from the row's answer; queries read it by name."""
    return mapped_column(Computed(f"answer -> '{part}'", persisted=True))


class DecisionRow(Base):
    """A decision; `decided_for` is the end of the newest interval that it used; `outcome` is its result.

    Its answer is the document `answer`, or, of a decision to hold, `changed`: what differs from the answer of the
    decision `base_id`, which has the same processors and policy (app/deciding/documents.py). Postgres copies the parts
    `processors` and `policy` out of `answer`, so that they are read without the rest; they are null where `answer` is.
    Other columns are numbers of the answer that lists, pages and metrics show, and those of its forecast (`ahead_`).
    `policy_key` stands for the policy that was used, and `content` for all that was decided and why: the same is stored
    once for the same data. `is_trial`: the request had another policy than the stored one, or `at` excluded newer
    snapshots (deciding/standing.py).
    """

    __tablename__ = "decisions"
    __table_args__ = (
        CheckConstraint("action IN ('hold', 'scale_up', 'scale_down', 'rebalance')", name="action"),
        CheckConstraint(
            "outcome->>'state' IN ('applied', 'refused', 'failed', 'rolled-back')", name="outcome_state"
        ),
        CheckConstraint("(answer IS NULL) = (changed IS NOT NULL)", name="one_form"),
        UniqueConstraint("topology_id", "decided_for", "content"),
        Index("ix_decisions_topology_id_created_at_id", "topology_id", "created_at", "id"),
        Index(
            "ix_decisions_bases",
            "topology_id",
            "decided_for",
            postgresql_where=text("content IS NOT NULL AND changed IS NULL"),
        ),
        Index(
            "ix_decisions_ahead",
            "topology_id",
            "decided_for",
            postgresql_where=text("ahead_steps IS NOT NULL"),
        ),
        Index(
            "ix_decisions_changes",
            "topology_id",
            "decided_for",
            postgresql_where=text("action <> 'hold'"),
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    topology_id: Mapped[int] = mapped_column(ForeignKey("topologies.id", ondelete="CASCADE"))
    revision: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[StoredTime]
    created_by: Mapped[CreatedBy]
    decided_for: Mapped[datetime]
    action: Mapped[str]
    is_trial: Mapped[bool] = mapped_column(server_default=false())
    policy_key: Mapped[UUID]
    content: Mapped[UUID | None]
    base_id: Mapped[UUID | None]
    changed: Mapped[bytes | None]
    answer: Mapped[Document | None] = mapped_column(JSONB(none_as_null=True))
    processors: Mapped[Document | None] = copied_from_answer("processors")
    policy: Mapped[Document | None] = copied_from_answer("policy")
    outcome: Mapped[Document | None]
    external_rate: Mapped[float]
    running: Mapped[int | None] = mapped_column(Integer)
    recommended: Mapped[int | None] = mapped_column(Integer)
    needed: Mapped[int | None] = mapped_column(Integer)
    misses_target: Mapped[bool | None]
    is_stable: Mapped[bool | None]
    cooldown_left_seconds: Mapped[float | None]
    expected_seconds: Mapped[float | None]
    current_seconds: Mapped[float | None]
    recommended_seconds: Mapped[float | None]
    measured_seconds: Mapped[float | None]
    holds_up_to_rate: Mapped[float | None]
    finished_by: Mapped[datetime | None]
    ahead_expected_rate: Mapped[float | None]
    ahead_upper_rate: Mapped[float | None]
    ahead_quantile: Mapped[float | None]
    ahead_steps: Mapped[int | None] = mapped_column(Integer)
    ahead_model: Mapped[str | None]


class VersionedColumns:
    """The columns of documents with a name and versions; versions are added and never changed."""

    name: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    definition: Mapped[Document]
    created_at: Mapped[StoredTime]
    created_by: Mapped[CreatedBy]


class ProfileRow(VersionedColumns, Base):
    """One version of a task's profile."""

    __tablename__ = "profiles"


class VmCatalogueRow(VersionedColumns, Base):
    """One version of a catalogue of VM sizes and prices."""

    __tablename__ = "vm_catalogues"
