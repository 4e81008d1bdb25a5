"""Nodes and instances in snapshots; policies and decisions."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_18_decisions"
down_revision = "2026_11_18_forecasts"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("snapshots", sa.Column("nodes", postgresql.JSONB(), nullable=True))
    op.add_column("snapshots", sa.Column("instances", postgresql.JSONB(), nullable=True))
    op.create_table(
        "policies",
        sa.Column("topology_id", sa.BigInteger(), nullable=False),
        sa.Column("policy", postgresql.JSONB(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("topology_id", name=op.f("pk_policies")),
        sa.ForeignKeyConstraint(
            ["topology_id"], ["topologies.id"], name=op.f("fk_policies_topology_id"), ondelete="CASCADE"
        ),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("topology_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("decided_for", sa.DateTime(timezone=True), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("external_rate", sa.Double(), nullable=False),
        sa.Column("answer", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
        sa.ForeignKeyConstraint(
            ["topology_id"], ["topologies.id"], name=op.f("fk_decisions_topology_id"), ondelete="CASCADE"
        ),
        sa.CheckConstraint(
            "action IN ('hold', 'scale_up', 'scale_down', 'rebalance')", name=op.f("ck_decisions_action")
        ),
    )
    op.create_index("ix_decisions_topology_id_decided_for", "decisions", ["topology_id", "decided_for"])
    op.create_index(
        "ix_decisions_topology_id_created_at_id", "decisions", ["topology_id", "created_at", "id"]
    )


def downgrade() -> None:
    for table in ("decisions", "policies"):
        op.drop_table(table)
    for column in ("instances", "nodes"):
        op.drop_column("snapshots", column)
