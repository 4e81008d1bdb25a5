"""Decisions that were stored as documents get columns; on the way back folded ones become documents again."""

import json

from app.database.folded_documents import fold
from ingest.storing.runs import connect
from migrations.runner import migrate

BEFORE = "2026_11_19_bounded_times"
AFTER = "2026_11_20_folded_decisions"
POLICY = {"goal": {"k_max": 9}}
ANSWER = {
    "processors": {"recommended_total": 7},
    "cooldown_left_seconds": 5.5,
    "expected_sojourn_seconds": 0.25,
    "look_ahead": {"expected_rate": 1.5, "upper_rate": 2.5, "quantile": 0.95, "steps": 3, "model": "mean"},
    "catching_up": {"finished_by": "2026-11-18T00:09:00Z"},
    "policy": POLICY | {"added": 1},
}
DIGEST = {"running": 6, "recommended": 7, "stable": True, "current_seconds": 0.5, "misses_target": None}
STORED = """
INSERT INTO topologies (name, revision) VALUES ('clicks', 1);
INSERT INTO policies (topology_id, policy) SELECT id, '{"goal": {"k_max": 9}}' FROM topologies;
"""
DECISION = """
INSERT INTO decisions
    (id, topology_id, revision, decided_for, action, external_rate, answer, digest, policy)
    SELECT gen_random_uuid(), id, 1, '2026-11-18T00:05Z', 'hold', 1, %s, %s, %s FROM topologies
"""
FOLDED = """
INSERT INTO decisions
    (id, topology_id, revision, decided_for, action, external_rate, base_id, changed, policy_key)
    SELECT gen_random_uuid(), topology_id, 1, '2026-11-18T00:06Z', 'hold', 1, id, %s, policy_key FROM decisions
"""
READ = """
SELECT running, recommended, needed, is_stable, cooldown_left_seconds, current_seconds, expected_seconds,
    ahead_upper_rate, ahead_steps, ahead_model, finished_by::text, policy_key = md5(policy::text)::uuid
FROM decisions JOIN policies USING (topology_id)
"""


def test_documents_give_columns_and_folded_decisions_become_documents_again(empty_database_url: str):
    migrate(empty_database_url, BEFORE)
    with connect(empty_database_url) as connection:
        connection.execute(STORED)
        connection.execute(DECISION, tuple(map(json.dumps, (ANSWER, DIGEST, POLICY))))
    migrate(empty_database_url, AFTER)
    other = ANSWER | {"expected_sojourn_seconds": 0.375, "catching_up": None}
    with connect(empty_database_url) as connection:
        (row,) = connection.execute(READ).fetchall()
        assert row == (7 - 1, 7, None, True, 5.5, 0.5, 0.25, 2.5, 3, "mean", "2026-11-18 00:09:00+00", True)
        connection.execute(FOLDED, (fold(other, ANSWER),))
    migrate(empty_database_url, BEFORE)
    with connect(empty_database_url) as connection:
        rows = connection.execute(
            "SELECT answer, digest, policy FROM decisions ORDER BY decided_for"
        ).fetchall()
    assert [row[0] for row in rows] == [ANSWER, other]
    assert {name: rows[0][1][name] for name in DIGEST} == DIGEST
    assert [row[2] for row in rows] == [POLICY, POLICY]
