"""Columns for the time covered and for instances present and busy; null in rows that were stored before."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "2026_11_19_windows"
down_revision = "2026_11_19_unknown_scvs"

COLUMNS: dict[str, dict[str, type[sa.types.TypeEngine[Any]]]] = {
    "snapshots": {"covered_seconds": sa.Double},
    "topology_summaries": {"covered_seconds": sa.Double},
    "operator_summaries": {
        "covered_seconds": sa.Double,
        "instances_present": sa.Double,
        "most_busy": sa.Integer,
        "mean_busy": sa.Double,
        "processors": sa.Integer,
        "processors_basis": sa.Text,
    },
}


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind(), nullable=True))


def downgrade() -> None:
    for table, columns in COLUMNS.items():
        for name in reversed(columns):
            op.drop_column(table, name)
