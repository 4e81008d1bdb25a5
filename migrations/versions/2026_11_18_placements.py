"""Profiles, VM catalogues and placements."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_18_placements"
down_revision = "2026_11_18_ingest"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("profiles", "vm_catalogues"):
        op.create_table(
            table,
            sa.Column("name", sa.Text(), nullable=False),
            sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
            sa.Column("definition", postgresql.JSONB(), nullable=False),
            sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
            sa.PrimaryKeyConstraint("name", "version", name=f"pk_{table}"),
        )
    op.create_table(
        "placements",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("topology_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("request", postgresql.JSONB(), nullable=False),
        sa.Column("answer", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_placements"),
        sa.ForeignKeyConstraint(
            ["topology_id"], ["topologies.id"], name="fk_placements_topology_id", ondelete="CASCADE"
        ),
    )
    op.create_index(
        "ix_placements_topology_id_created_at_id", "placements", ["topology_id", "created_at", "id"]
    )


def downgrade() -> None:
    for table in ("placements", "vm_catalogues", "profiles"):
        op.drop_table(table)
