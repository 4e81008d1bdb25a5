"""Hours of measured load, which stay when the snapshots of these hours are deleted."""

from migrations import columns as of

revision = "2026_11_20_hourly_loads"
down_revision = "2026_11_20_callers"


def upgrade() -> None:
    columns = [
        *of.need(of.BIG_INTEGER, "topology_id"),
        *of.need(of.TIME, "hour"),
        *of.need(of.INTEGER, "snapshots", "sojourns"),
        *of.need(of.NUMBER, "rate_sum", "highest_rate", "measured_tuples", "sojourn_tuples", "sojourn_sum"),
        *of.need(of.TIME, "newest_at"),
        *of.need(of.NUMBER, "newest_rate"),
        *of.need(of.DOCUMENT, "operators"),
    ]
    of.create_table("hourly_loads", columns, ["topology_id", "hour"], parent=of.OF_TOPOLOGY)


def downgrade() -> None:
    of.drop_tables("hourly_loads")
