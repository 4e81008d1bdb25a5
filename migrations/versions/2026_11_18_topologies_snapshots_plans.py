"""Topologies with their revisions, snapshots of load, and plans."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_18"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "topologies",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topologies")),
        sa.UniqueConstraint("name", name=op.f("uq_topologies_name")),
    )
    op.create_table(
        "topology_revisions",
        sa.Column("topology_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("definition", postgresql.JSONB(), nullable=False),
        sa.Column("source", sa.Text(), server_default="posted", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("topology_id", "revision", name=op.f("pk_topology_revisions")),
        sa.ForeignKeyConstraint(
            ["topology_id"],
            ["topologies.id"],
            name=op.f("fk_topology_revisions_topology_id"),
            ondelete="CASCADE",
        ),
        sa.CheckConstraint("source IN ('posted', 'discovered')", name=op.f("ck_topology_revisions_source")),
    )
    create_snapshots()
    create_plans()


def create_snapshots() -> None:
    op.create_table(
        "snapshots",
        sa.Column("topology_id", sa.BigInteger(), nullable=False),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("window_seconds", sa.Double(), nullable=False),
        sa.Column("external_rate", sa.Double(), nullable=False),
        sa.Column("measured_sojourn_seconds", sa.Double(), nullable=True),
        sa.Column("operators", postgresql.JSONB(), nullable=False),
        sa.Column("source", sa.Text(), server_default="posted", nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("topology_id", "observed_at", "window_seconds", name=op.f("pk_snapshots")),
        sa.ForeignKeyConstraint(
            ["topology_id"], ["topologies.id"], name=op.f("fk_snapshots_topology_id"), ondelete="CASCADE"
        ),
        sa.CheckConstraint("source IN ('posted', 'ingest')", name=op.f("ck_snapshots_source")),
        sa.CheckConstraint("window_seconds > 0", name=op.f("ck_snapshots_window")),
    )


def create_plans() -> None:
    op.create_table(
        "plans",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("topology_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("objective", sa.Text(), nullable=False),
        sa.Column("request", postgresql.JSONB(), nullable=False),
        sa.Column("answer", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plans")),
        sa.ForeignKeyConstraint(
            ["topology_id"], ["topologies.id"], name=op.f("fk_plans_topology_id"), ondelete="CASCADE"
        ),
    )
    op.create_index("ix_plans_topology_id_created_at_id", "plans", ["topology_id", "created_at", "id"])


def downgrade() -> None:
    for table in ("plans", "snapshots", "topology_revisions", "topologies"):
        op.drop_table(table)
