"""The newest throughput samples of a topology."""

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.load.bodies.series import MOST_SAMPLES
from app.load.measurements.series import find_newest_samples

INSERT = """
INSERT INTO mst_samples (topology_id, observed_at, vms, throughput, saturated)
SELECT id, TIMESTAMPTZ '2026-11-18' + step * INTERVAL '1 minute', 1 + step % 7, 1 + step, true
FROM topologies, generate_series(0, :last) AS step WHERE name = :name RETURNING topology_id
"""


def test_there_are_as_many_as_one_call_may_send_newest_first(session: Session, stored: str):
    topology = session.execute(text(INSERT), {"name": stored, "last": MOST_SAMPLES}).scalars().first()
    assert topology is not None
    found = find_newest_samples(session, topology)
    assert [row.throughput for row in found] == [1.0 + step for step in range(MOST_SAMPLES, 0, -1)]
    assert find_newest_samples(session, -1) == []
