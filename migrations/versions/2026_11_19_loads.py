"""Columns of snapshots for the measured completion, and for bursts, shares of instances and histograms of services."""

import sqlalchemy as sa
from alembic import op

from migrations import columns as of

revision = "2026_11_19_loads"
down_revision = "2026_11_19_simulations"


def upgrade() -> None:
    op.add_column("snapshots", sa.Column("measured_completion_seconds", of.NUMBER, nullable=True))
    op.add_column("snapshots", sa.Column("shapes", of.DOCUMENT, nullable=True))


def downgrade() -> None:
    op.drop_column("snapshots", "shapes")
    op.drop_column("snapshots", "measured_completion_seconds")
