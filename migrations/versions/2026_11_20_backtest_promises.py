"""How the runs of backtests kept their target; null in runs that were stored before."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "2026_11_20_backtest_promises"
down_revision = "2026_11_20_folded_decisions"


def upgrade() -> None:
    op.add_column("backtest_runs", sa.Column("promise", JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("backtest_runs", "promise")
