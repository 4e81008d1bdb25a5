"""A table of the engines' own names: of the job and the vertices that a patch must name."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "2026_11_19_engine_marks"
down_revision = "2026_11_19_waits_beside_idle"


def upgrade() -> None:
    op.create_table(
        "engine_marks",
        sa.Column("topology_id", sa.BigInteger, nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("marks", JSONB, nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("topology_id", name="pk_engine_marks"),
        sa.ForeignKeyConstraint(
            ["topology_id"], ["topologies.id"], name="fk_engine_marks_topology_id", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    op.drop_table("engine_marks")
