"""Backtests and their runs."""

import sqlalchemy as sa

from migrations import columns as of

revision = "2026_11_18_backtests"
down_revision = "2026_11_18_decisions"


def upgrade() -> None:
    of.create_table(
        "backtests",
        [
            *of.need(of.UUID, "id"),
            of.default(of.TEXT, "state", "queued"),
            *of.need(of.DOCUMENT, "request"),
            of.default(of.NUMBER, "progress", sa.text("0")),
            of.default(of.INTEGER, "attempts", sa.text("0")),
            *of.allow(of.DOCUMENT, "error"),
            of.stamp("created_at"),
            *of.allow(of.TIME, "started_at", "finished_at"),
        ],
        key=["id"],
        checks={"state": "state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')"},
    )
    of.index_columns("backtests", "created_at", "id")
    of.create_table(
        "backtest_runs",
        [
            *of.need(of.UUID, "backtest_id"),
            *of.need(of.INTEGER, "position"),
            *of.need(of.TEXT, "policy"),
            *of.need(of.INTEGER, "seed"),
            *of.need(of.NUMBER, "qos_percent", "cost_to_truth", "cost_to_static", "max_backlog"),
            *of.need(of.DOCUMENT, "schedule"),
        ],
        key=["backtest_id", "position"],
        parent=("backtest_id", "backtests"),
    )


def downgrade() -> None:
    of.drop_tables("backtest_runs", "backtests")
