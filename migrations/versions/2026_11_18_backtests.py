"""Backtests and their runs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_18_backtests"
down_revision = "2026_11_18_decisions"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "backtests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.Text(), server_default="queued", nullable=False),
        sa.Column("request", postgresql.JSONB(), nullable=False),
        sa.Column("progress", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", postgresql.JSONB(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_backtests"),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')",
            name=op.f("ck_backtests_state"),
        ),
    )
    op.create_index("ix_backtests_created_at_id", "backtests", ["created_at", "id"])
    op.create_table(
        "backtest_runs",
        sa.Column("backtest_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("qos_percent", sa.Double(), nullable=False),
        sa.Column("cost_to_truth", sa.Double(), nullable=False),
        sa.Column("cost_to_static", sa.Double(), nullable=False),
        sa.Column("max_backlog", sa.Double(), nullable=False),
        sa.Column("schedule", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("backtest_id", "position", name="pk_backtest_runs"),
        sa.ForeignKeyConstraint(
            ["backtest_id"], ["backtests.id"], name="fk_backtest_runs_backtest_id", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    for table in ("backtest_runs", "backtests"):
        op.drop_table(table)
