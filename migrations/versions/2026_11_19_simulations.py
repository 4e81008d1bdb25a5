"""Simulations as jobs."""

import sqlalchemy as sa

from migrations import columns as of

revision = "2026_11_19_simulations"
down_revision = "2026_11_19_shapes"


def upgrade() -> None:
    of.create_table(
        "simulations",
        [
            *of.need(of.UUID, "id"),
            of.default(of.TEXT, "state", "queued"),
            *of.need(of.DOCUMENT, "request"),
            of.default(of.NUMBER, "progress", sa.text("0")),
            of.default(of.INTEGER, "attempts", sa.text("0")),
            *of.allow(of.DOCUMENT, "error"),
            of.stamp("created_at"),
            *of.allow(of.TIME, "started_at", "finished_at"),
            *of.allow(of.DOCUMENT, "answer"),
        ],
        key=["id"],
        checks={"state": "state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')"},
    )
    of.index_columns("simulations", "created_at", "id")


def downgrade() -> None:
    of.drop_tables("simulations")
