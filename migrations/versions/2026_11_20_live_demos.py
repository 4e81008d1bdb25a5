"""The demo that runs on inside the service."""

from migrations import columns as of

revision = "2026_11_20_live_demos"
down_revision = "2026_11_20_external_counts"


def upgrade() -> None:
    of.create_table(
        "live_demos",
        [
            *of.need(of.BIG_INTEGER, "topology_id"),
            *of.need(of.NUMBER, "load_factor"),
            *of.need(of.TIME, "begun_at", "runs_until"),
        ],
        key=["topology_id"],
        parent=("topology_id", "topologies"),
    )


def downgrade() -> None:
    of.drop_tables("live_demos")
