"""Who is told of a topology's changes."""

from migrations import columns as of

revision = "2026_11_20_webhooks"
down_revision = "2026_11_20_fleets"


def upgrade() -> None:
    of.create_table(
        "webhooks",
        [
            *of.need(of.BIG_INTEGER, "topology_id"),
            *of.need(of.TEXT, "url", "form"),
            of.default(of.TEXT, "told", "hold"),
            *of.allow(of.DOCUMENT, "event"),
            of.default(of.INTEGER, "attempts", "0"),
            *of.allow(of.TIME, "next_at"),
        ],
        key=["topology_id"],
        parent=of.OF_TOPOLOGY,
    )


def downgrade() -> None:
    of.drop_tables("webhooks")
