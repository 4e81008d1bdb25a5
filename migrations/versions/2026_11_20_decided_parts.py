"""Processors and policy of a decision are columns beside its answer, so that readers need not unpack the answer.

Postgres works them out from the answer, also for stored rows: it writes each row anew, some seconds for each 100,000.
"""

from alembic import op

revision = "2026_11_20_decided_parts"
down_revision = "2026_11_20_hourly_loads"

PARTS = ("processors", "policy")


def upgrade() -> None:
    # One statement, so that the rows are written once.
    added = [f"ADD COLUMN {part} jsonb GENERATED ALWAYS AS (answer -> '{part}') STORED" for part in PARTS]
    op.execute(f"ALTER TABLE decisions {', '.join(added)}")


def downgrade() -> None:
    for part in PARTS:
        op.drop_column("decisions", part)
