"""Hours of measured E[T] against the target of their time; an index finds the snapshots that were stored last."""

from alembic import op

from migrations import columns as of

revision = "2026_11_20_hourly_kept"
down_revision = "2026_11_20_webhooks"


def upgrade() -> None:
    columns = [
        *of.need(of.BIG_INTEGER, "topology_id"),
        *of.need(of.TIME, "hour"),
        *of.need(of.NUMBER, "judged_seconds", "kept_seconds"),
        of.stamp("counted_at"),
    ]
    of.create_table("hourly_kept", columns, ["topology_id", "hour"], parent=of.OF_TOPOLOGY)
    op.create_index(op.f("ix_snapshots_stored_at"), "snapshots", ["stored_at"], postgresql_using="brin")


def downgrade() -> None:
    op.drop_index(op.f("ix_snapshots_stored_at"), "snapshots")
    of.drop_tables("hourly_kept")
