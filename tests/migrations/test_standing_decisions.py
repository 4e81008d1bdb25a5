"""Decisions that were stored before their policy and whether they were a trial had columns."""

import json

from ingest.storing.runs import connect
from migrations.runner import migrate

STORED = """
INSERT INTO topologies (name, revision) VALUES ('clicks', 1);
INSERT INTO policies (topology_id, policy) SELECT id, '{"goal": {"k_max": 9}}' FROM topologies;
INSERT INTO snapshots (topology_id, observed_at, window_seconds, external_rate, operators, stored_at)
    SELECT id, '2026-11-18T00:05Z', 60, 1, '{}', '2026-11-18T00:06Z' FROM topologies;
"""
DECISION = """
INSERT INTO decisions (id, topology_id, revision, decided_for, created_at, action, external_rate, answer)
    SELECT gen_random_uuid(), id, 1, %s, %s, %s, 1, %s FROM topologies
"""


def test_a_stored_decision_is_a_trial_where_newer_data_were_known_and_has_the_policy_of_its_answer(
    empty_database_url: str,
):
    migrate(empty_database_url, "2026_11_19_demo_source")
    ours = {"goal": {"k_max": 9}, "added_later": 1}
    other = {"goal": {"k_max": 5}}
    rows = [
        ("2026-11-18T00:06Z", "2026-11-18T00:07Z", "hold", ours),
        ("2026-11-18T00:05Z", "2026-11-18T00:05Z", "scale_up", other),
        ("2026-11-18T00:05Z", "2026-11-18T00:09Z", "scale_down", other),
    ]
    with connect(empty_database_url) as connection:
        connection.execute(STORED)
        for decided_for, created_at, action, policy in rows:
            answer = json.dumps({"policy": policy})
            connection.execute(DECISION, (decided_for, created_at, action, answer))
    migrate(empty_database_url, "2026_11_19_standing_decisions")
    with connect(empty_database_url) as connection:
        found = connection.execute("SELECT action, is_trial, policy FROM decisions").fetchall()
    assert {row[0]: tuple(row[1:]) for row in found} == {
        "hold": (False, {"goal": {"k_max": 9}}),
        "scale_up": (False, other),
        "scale_down": (True, other),
    }
