"""The policy of the fleet and the decisions made under it."""

from migrations import columns as of

revision = "2026_11_20_fleets"
down_revision = "2026_11_20_live_demos"


def upgrade() -> None:
    of.create_table(
        "fleet_policies",
        [*of.need(of.INTEGER, "id"), *of.need(of.DOCUMENT, "policy"), of.stamp("updated_at")],
        key=["id"],
        checks={"only_one": "id = 1"},
    )
    of.create_table(
        "fleet_decisions",
        [
            *of.need(of.UUID, "id"),
            *of.need(of.DOCUMENT, "answer"),
            of.stamp("created_at"),
            *of.allow(of.TEXT, "created_by"),
        ],
        key=["id"],
    )
    of.index_columns("fleet_decisions", "created_at", "id")


def downgrade() -> None:
    of.drop_tables("fleet_decisions", "fleet_policies")
