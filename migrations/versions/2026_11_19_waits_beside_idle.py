"""A column for waits beside idle instances, which tell a shared queue from one per instance."""

import sqlalchemy as sa
from alembic import op

from migrations import columns as of

revision = "2026_11_19_waits_beside_idle"
down_revision = "2026_11_19_root_quantiles"


def upgrade() -> None:
    op.add_column("operator_summaries", sa.Column("waits_beside_idle", of.NUMBER, nullable=True))


def downgrade() -> None:
    op.drop_column("operator_summaries", "waits_beside_idle")
