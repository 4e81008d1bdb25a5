"""Nodes and instances in snapshots; policies and decisions."""

from alembic import op

from migrations import columns as of

revision = "2026_11_18_decisions"
down_revision = "2026_11_18_forecasts"


def upgrade() -> None:
    for column in of.allow(of.DOCUMENT, "nodes", "instances"):
        op.add_column("snapshots", column)
    of.create_table(
        "policies",
        [*of.need(of.BIG_INTEGER, "topology_id"), *of.need(of.DOCUMENT, "policy"), of.stamp("updated_at")],
        key=["topology_id"],
        parent=of.OF_TOPOLOGY,
    )
    of.create_answers(
        "decisions",
        *of.need(of.TIME, "decided_for"),
        *of.need(of.TEXT, "action"),
        *of.need(of.NUMBER, "external_rate"),
        *of.need(of.DOCUMENT, "answer"),
        checks={"action": "action IN ('hold', 'scale_up', 'scale_down', 'rebalance')"},
    )
    of.index_columns("decisions", "topology_id", "decided_for")
    of.index_columns("decisions", "topology_id", "created_at", "id")


def downgrade() -> None:
    of.drop_tables("decisions", "policies")
    for column in ("instances", "nodes"):
        op.drop_column("snapshots", column)
