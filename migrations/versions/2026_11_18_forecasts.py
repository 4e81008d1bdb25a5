"""Samples of the maximum sustainable throughput."""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_18_forecasts"
down_revision = "2026_11_18_placements"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mst_samples",
        sa.Column("topology_id", sa.BigInteger(), nullable=False),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("vms", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("throughput", sa.Double(), nullable=False),
        sa.Column("saturated", sa.Boolean(), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("topology_id", "observed_at", "vms", name=op.f("pk_mst_samples")),
        sa.ForeignKeyConstraint(
            ["topology_id"], ["topologies.id"], name=op.f("fk_mst_samples_topology_id"), ondelete="CASCADE"
        ),
        sa.CheckConstraint("vms > 0", name=op.f("ck_mst_samples_vms")),
        sa.CheckConstraint("throughput > 0", name=op.f("ck_mst_samples_throughput")),
    )


def downgrade() -> None:
    op.drop_table("mst_samples")
