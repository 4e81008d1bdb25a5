"""Counts of the tuples that entered in successive spans of an interval; null in rows that were stored before."""

import sqlalchemy as sa
from alembic import op

from migrations import columns as of

revision = "2026_11_20_external_counts"
down_revision = "2026_11_20_audit_by_name"


def upgrade() -> None:
    op.add_column("snapshots", sa.Column("external_counts", of.DOCUMENT, nullable=True))


def downgrade() -> None:
    op.drop_column("snapshots", "external_counts")
