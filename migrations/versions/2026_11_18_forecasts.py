"""Samples of the maximum sustainable throughput."""

from migrations import columns as of

revision = "2026_11_18_forecasts"
down_revision = "2026_11_18_placements"


def upgrade() -> None:
    of.create_table(
        "mst_samples",
        [
            *of.need(of.BIG_INTEGER, "topology_id"),
            *of.need(of.TIME, "observed_at"),
            *of.need(of.INTEGER, "vms"),
            *of.need(of.NUMBER, "throughput"),
            *of.need(of.BOOLEAN, "saturated"),
            of.stamp("stored_at"),
        ],
        key=["topology_id", "observed_at", "vms"],
        parent=of.OF_TOPOLOGY,
        checks={"vms": "vms > 0", "throughput": "throughput > 0"},
    )


def downgrade() -> None:
    of.drop_tables("mst_samples")
