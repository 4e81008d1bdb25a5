"""The newest change of a topology is found without reading the decisions to hold that came after it."""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_20_newest_change"
down_revision = "2026_11_20_decided_parts"

NAME = "ix_decisions_changes"


def upgrade() -> None:
    condition = sa.text("action <> 'hold'")
    op.create_index(NAME, "decisions", ["topology_id", "decided_for"], postgresql_where=condition)


def downgrade() -> None:
    op.drop_index(NAME, "decisions")
