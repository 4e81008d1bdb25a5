"""Topologies with their revisions, snapshots of load, and plans."""

from migrations import columns as of

revision = "2026_11_18"
down_revision = None


def upgrade() -> None:
    of.create_table(
        "topologies",
        [
            of.number_rows(),
            *of.need(of.TEXT, "name"),
            *of.need(of.INTEGER, "revision"),
            of.stamp("created_at"),
        ],
        key=["id"],
        unique="name",
    )
    of.create_table(
        "topology_revisions",
        [
            *of.need(of.BIG_INTEGER, "topology_id"),
            *of.need(of.INTEGER, "revision"),
            *of.need(of.DOCUMENT, "definition"),
            of.default(of.TEXT, "source", "posted"),
            of.stamp("created_at"),
        ],
        key=["topology_id", "revision"],
        parent=of.OF_TOPOLOGY,
        checks={"source": "source IN ('posted', 'discovered')"},
    )
    create_snapshots()
    of.create_answers("plans", *of.need(of.TEXT, "objective"), *of.need(of.DOCUMENT, "request", "answer"))
    of.index_columns("plans", "topology_id", "created_at", "id")


def create_snapshots() -> None:
    of.create_table(
        "snapshots",
        [
            *of.need(of.BIG_INTEGER, "topology_id"),
            *of.need(of.TIME, "observed_at"),
            *of.need(of.NUMBER, "window_seconds", "external_rate"),
            *of.allow(of.NUMBER, "measured_sojourn_seconds"),
            *of.need(of.DOCUMENT, "operators"),
            of.default(of.TEXT, "source", "posted"),
            of.stamp("stored_at"),
        ],
        key=["topology_id", "observed_at", "window_seconds"],
        parent=of.OF_TOPOLOGY,
        checks={"source": "source IN ('posted', 'ingest')", "window": "window_seconds > 0"},
    )


def downgrade() -> None:
    of.drop_tables("plans", "snapshots", "topology_revisions", "topologies")
