"""Changes of one name, or with one key, are found without reading those of others, of which there are two an hour and
topology.
"""

from alembic import op

revision = "2026_11_20_audit_by_name"
down_revision = "2026_11_20_newest_change"

COLUMNS = ("name", "key")


def upgrade() -> None:
    for column in COLUMNS:
        op.create_index(f"ix_audit_{column}_at_id", "audit", [column, "at", "id"])


def downgrade() -> None:
    for column in COLUMNS:
        op.drop_index(f"ix_audit_{column}_at_id", "audit")
