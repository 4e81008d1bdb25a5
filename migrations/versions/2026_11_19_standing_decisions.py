"""Columns that tell whether a decision can stand: the policy it was made under, and whether it was a trial."""

import sqlalchemy as sa
from alembic import op

from migrations import columns as of

revision = "2026_11_19_standing_decisions"
down_revision = "2026_11_19_demo_source"

# An answer has the fields of the version that gave it, which may be more than those of the stored policy. A decision
# was for a past moment if a whole snapshot of a later interval was stored before it.
FILL = """
UPDATE decisions d SET
    policy = coalesce(
        (SELECT p.policy FROM policies p WHERE p.topology_id = d.topology_id AND d.answer->'policy' @> p.policy),
        d.answer->'policy',
        '{}'),
    is_trial = EXISTS (
        SELECT FROM snapshots s
        WHERE s.topology_id = d.topology_id AND s.observed_at >= d.decided_for AND s.stored_at < d.created_at
        AND coalesce(s.covered_seconds, s.window_seconds) >= 0.95 * s.window_seconds)
"""


def upgrade() -> None:
    op.add_column("decisions", sa.Column("policy", of.DOCUMENT, nullable=True))
    op.add_column("decisions", of.default(of.BOOLEAN, "is_trial", sa.false()))
    op.execute(FILL)
    op.alter_column("decisions", "policy", nullable=False)


def downgrade() -> None:
    op.drop_column("decisions", "is_trial")
    op.drop_column("decisions", "policy")
