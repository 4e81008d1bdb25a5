"""A column for the outcome of a decision; null where nobody reported one."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "2026_11_19_outcomes"
down_revision = "2026_11_19_engine_marks"


def upgrade() -> None:
    op.add_column("decisions", sa.Column("outcome", JSONB, nullable=True))
    op.create_check_constraint(
        op.f("ck_decisions_outcome_state"),
        "decisions",
        "outcome->>'state' IN ('applied', 'refused', 'failed', 'rolled-back')",
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_decisions_outcome_state"), "decisions")
    op.drop_column("decisions", "outcome")
