"""What the newest decision of the fleet gave each topology, and who gives before it takes."""

from sqlalchemy import ARRAY

from migrations import columns as of

revision = "2026_11_20_fleet_shares"
down_revision = "2026_11_20_hourly_kept"


def upgrade() -> None:
    of.create_table(
        "fleet_shares",
        [
            *of.need(of.BIG_INTEGER, "topology_id", "processors"),
            *of.need(ARRAY(of.BIG_INTEGER), "after"),
            of.stamp("decided_at"),
        ],
        key=["topology_id"],
        parent=of.OF_TOPOLOGY,
    )


def downgrade() -> None:
    of.drop_tables("fleet_shares")
