"""Columns for bursts, the histogram of services and the shares of instances; null in rows that were stored before."""

import sqlalchemy as sa
from alembic import op

from migrations import columns as of

revision = "2026_11_19_shapes"
down_revision = "2026_11_19_windows"

NAMES = ("arrival_idc", "service_histogram", "instance_shares")


def upgrade() -> None:
    for name in NAMES:
        op.add_column("operator_summaries", sa.Column(name, of.DOCUMENT, nullable=True))


def downgrade() -> None:
    for name in reversed(NAMES):
        op.drop_column("operator_summaries", name)
