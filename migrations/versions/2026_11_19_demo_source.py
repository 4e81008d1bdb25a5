"""A revision may be marked as the demo's; what an earlier `headgate demo` stored is marked now."""

from alembic import op

revision = "2026_11_19_demo_source"
down_revision = "2026_11_19_decision_digests"

TABLE, CHECK = "topology_revisions", "ck_topology_revisions_source"
MARK = """
UPDATE topology_revisions r SET source = 'demo' FROM topologies t
WHERE t.id = r.topology_id AND t.name = 'demo'
    AND jsonb_path_query_array(r.definition, '$.operators[*].name') = '["parse", "score", "join", "store"]'
"""


def upgrade() -> None:
    replace_check("source IN ('posted', 'discovered', 'demo')")
    op.execute(MARK)


def downgrade() -> None:
    op.execute("UPDATE topology_revisions SET source = 'posted' WHERE source = 'demo'")
    replace_check("source IN ('posted', 'discovered')")


def replace_check(condition: str) -> None:
    """Replaces the check of the table by one with this condition."""
    op.execute(f"ALTER TABLE {TABLE} DROP CONSTRAINT {CHECK}, ADD CONSTRAINT {CHECK} CHECK ({condition})")
