"""Stored decisions get their processors and their policy as columns; a folded decision has none of its own."""

import json

from ingest.storing.runs import connect
from migrations.runner import migrate

BEFORE, AFTER = "2026_11_20_hourly_loads", "2026_11_20_decided_parts"
ANSWER = {"processors": {"recommended": {"a": 3}}, "policy": {"goal": {"k_max": 9}}, "other": 1}
STORED = """
INSERT INTO topologies (name, revision) VALUES ('clicks', 1);
INSERT INTO decisions (id, topology_id, revision, decided_for, action, external_rate, policy_key, answer)
    SELECT gen_random_uuid(), id, 1, '2026-11-18T00:05Z', 'hold', 1, gen_random_uuid(), '%s' FROM topologies;
INSERT INTO decisions (id, topology_id, revision, decided_for, action, external_rate, policy_key, base_id, changed)
    SELECT gen_random_uuid(), topology_id, 1, '2026-11-18T00:06Z', 'hold', 1, policy_key, id, '' FROM decisions;
"""
COLUMNS = "SELECT count(*) FROM information_schema.columns WHERE table_name = 'decisions' AND is_generated = 'ALWAYS'"


def test_stored_decisions_get_their_parts_as_columns_and_lose_them_on_the_way_back(empty_database_url: str):
    migrate(empty_database_url, BEFORE)
    with connect(empty_database_url) as connection:
        connection.execute(STORED % json.dumps(ANSWER))
    migrate(empty_database_url, AFTER)
    with connect(empty_database_url) as connection:
        rows = connection.execute("SELECT processors, policy FROM decisions ORDER BY decided_for").fetchall()
        assert rows == [(ANSWER["processors"], ANSWER["policy"]), (None, None)]
    migrate(empty_database_url, BEFORE)
    with connect(empty_database_url) as connection:
        assert connection.execute(COLUMNS).fetchone() == (0,)
        assert connection.execute("SELECT answer FROM decisions ORDER BY decided_for").fetchone() == (ANSWER,)
