"""Profiles, VM catalogues and placements."""

from migrations import columns as of

revision = "2026_11_18_placements"
down_revision = "2026_11_18_ingest"


def upgrade() -> None:
    for table in ("profiles", "vm_catalogues"):
        of.create_table(
            table,
            [
                *of.need(of.TEXT, "name"),
                *of.need(of.INTEGER, "version"),
                *of.need(of.DOCUMENT, "definition"),
                of.stamp("created_at"),
            ],
            key=["name", "version"],
        )
    of.create_answers("placements", *of.need(of.DOCUMENT, "request", "answer"))
    of.index_columns("placements", "topology_id", "created_at", "id")


def downgrade() -> None:
    of.drop_tables("placements", "vm_catalogues", "profiles")
