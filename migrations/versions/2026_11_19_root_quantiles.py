"""Columns for quantiles of the times of root tuples; null in rows that were stored before."""

import sqlalchemy as sa
from alembic import op

from migrations import columns as of

revision = "2026_11_19_root_quantiles"
down_revision = "2026_11_19_loads"

NAMES = tuple(
    f"{time}_{label}_seconds" for time in ("total", "completion") for label in ("p50", "p95", "p99")
)


def upgrade() -> None:
    for name in NAMES:
        op.add_column("topology_summaries", sa.Column(name, of.NUMBER, nullable=True))


def downgrade() -> None:
    for name in reversed(NAMES):
        op.drop_column("topology_summaries", name)
