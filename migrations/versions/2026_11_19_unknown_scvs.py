"""Ingested snapshots lose SCVs of 1,000,000 that stood for unknown ones.

`least(NULL, 1e6)` is 1e6 in Postgres, so a summary without an SCV made a snapshot with an SCV of exactly 1e6. If the
summary exists and its SCV is null, the snapshot loses the field; if its SCV is above 1e6, the snapshot keeps 1e6, the
largest SCV of a snapshot. If the summary was deleted, the field is removed too: a real SCV above 1e6 takes more than a
million gaps in a window, or a sample of one in thousands, while an unknown one takes two quiet minutes; and a plan says
that it assumed 1 for a missing SCV. Posted snapshots are not changed.
"""

from alembic import op

revision = "2026_11_19_unknown_scvs"
down_revision = "2026_11_18_backtests"

# The filter on the document avoids the search for summaries of most snapshots, which have no such number.
REPAIR = """
UPDATE snapshots SET operators = repaired.operators
FROM (
    SELECT s.topology_id, s.observed_at, s.window_seconds, jsonb_object_agg(
        load.key,
        load.value - array_remove(ARRAY[
            CASE WHEN load.value -> 'arrival_scv' = '1000000' AND o.arrival_scv IS NULL THEN 'arrival_scv' END,
            CASE WHEN load.value -> 'service_scv' = '1000000' AND o.service_scv IS NULL THEN 'service_scv' END
        ], NULL)
    ) AS operators
    FROM snapshots s
    CROSS JOIN LATERAL jsonb_each(s.operators) load
    LEFT JOIN operator_summaries o
        ON o.topology_id = s.topology_id AND o.window_start = s.observed_at
        AND o.window_seconds = s.window_seconds AND o.operator = load.key
    WHERE s.source = 'ingest' AND s.operators @? '$.*.* ? (@ == 1000000)'
    GROUP BY s.topology_id, s.observed_at, s.window_seconds
) repaired
WHERE snapshots.topology_id = repaired.topology_id AND snapshots.observed_at = repaired.observed_at
    AND snapshots.window_seconds = repaired.window_seconds AND snapshots.operators <> repaired.operators
"""


def upgrade() -> None:
    op.execute(REPAIR)


def downgrade() -> None:
    """Nothing to restore: the removed values were never measured."""
