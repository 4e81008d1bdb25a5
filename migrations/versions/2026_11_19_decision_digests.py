"""A column with the few numbers of a decision that lists show: its whole answer takes long to read."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "2026_11_19_decision_digests"
down_revision = "2026_11_19_outcomes"

FILL = """
UPDATE decisions SET digest = jsonb_build_object(
    'running', answer #> '{processors,current_total}',
    'recommended', answer #> '{processors,recommended_total}',
    'stable', answer #> '{current,stable}',
    'current_seconds', answer #> '{current,expected_sojourn_seconds}',
    'recommended_seconds', answer #> '{expected_sojourn_seconds}',
    'measured_seconds', answer #> '{measured_sojourn_seconds}',
    'holds_up_to_rate', answer #> '{counterfactuals,holds_up_to_rate}')
"""


def upgrade() -> None:
    op.add_column("decisions", sa.Column("digest", JSONB, nullable=True))
    op.execute(FILL)


def downgrade() -> None:
    op.drop_column("decisions", "digest")
