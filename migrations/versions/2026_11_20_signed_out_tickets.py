"""Tickets of browsers that signed out, so that no worker accepts them until they expire."""

import sqlalchemy as sa

from migrations import columns as of

revision = "2026_11_20_signed_out_tickets"
down_revision = "2026_11_20_backtest_promises"


def upgrade() -> None:
    of.create_table(
        "signed_out_tickets",
        [*of.need(sa.LargeBinary(), "digest"), *of.need(of.TIME, "expires_at")],
        key=["digest"],
    )


def downgrade() -> None:
    of.drop_tables("signed_out_tickets")
