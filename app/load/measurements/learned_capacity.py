"""Learns from stored snapshots how the capacity of operators bends, where the owner says nothing of it.

One query reads some intervals of the last two weeks: the newest, those around past changes of processors, and those at
ages that grow from half an hour by equal factors. So a plan costs no more after months of snapshots than after a day.
"""

# ruff: noqa: S608 - the query is put together from constants, and values are bound

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.database.tables import SnapshotRow
from app.load.measurements.snapshots import LEAST_COVERED, find_end
from app.load.measurements.stored_topologies import StoredTopology
from planner.calibration.learned_scaling import LearnedScaling, SeenRate, describe_learned, learn_scaling
from planner.queueing.instances.scaling import find_peak
from planner.values import Diagnostic, Load, Operator, Topology

LONGEST = timedelta(days=14)
SHORTEST = timedelta(minutes=30)
AGES = 24
"""The number of ages from SHORTEST to LONGEST at which intervals are read, and of the newest intervals."""
MOST_CHANGES = 20
"""The number of newest changes around which intervals are read."""
TOGETHER = 4
"""The number of intervals that are read from each of these times on."""
SETTLING = 2
"""The number of intervals after a change that may still mix old and new processors."""
LEAST_BUSY = 0.3
"""Processors that are less busy than this seldom slow each other down, so their rates tell little."""
STEP = (LONGEST / SHORTEST) ** (1.0 / (AGES - 1))
USABLE = """s.topology_id = :topology AND s.observed_at <= :newest
    AND coalesce(s.covered_seconds, s.window_seconds) >= :covered * s.window_seconds"""
SPREAD = f"""
WITH changes AS (
  SELECT decided_for AS at FROM decisions
  WHERE topology_id = :topology AND action <> 'hold' AND NOT is_trial AND decided_for <= :ended
  ORDER BY decided_for DESC LIMIT {MOST_CHANGES}),
instants AS (
  SELECT unnest(CAST(:ages AS timestamptz[])) AS at
  UNION ALL SELECT at - {TOGETHER} * :length FROM changes
  UNION ALL SELECT at + {SETTLING} * :length FROM changes),
picked AS (
  SELECT s.observed_at, s.operators, s.stored_at FROM instants i CROSS JOIN LATERAL (
    SELECT * FROM snapshots s WHERE {USABLE} AND s.observed_at >= i.at
    ORDER BY s.observed_at, s.window_seconds LIMIT {TOGETHER}) s
  UNION
  (SELECT s.observed_at, s.operators, s.stored_at FROM snapshots s WHERE {USABLE}
   ORDER BY s.observed_at DESC, s.window_seconds DESC LIMIT {AGES})),
seen AS (
  SELECT p.observed_at, p.stored_at, one.key AS name, CAST(one.value->'processors' AS int) AS count,
    CAST(one.value->'service_rate' AS float8) AS rate, CAST(one.value->'arrival_rate' AS float8) AS arrived
  FROM picked p CROSS JOIN LATERAL jsonb_each(p.operators) one
  WHERE (SELECT count(DISTINCT jsonb_path_query_array(operators, '$.*.processors')) FROM picked) > 1
    AND one.key = ANY(:names) AND one.value ? 'processors' AND one.value ? 'service_rate'),
moved AS (SELECT name FROM seen GROUP BY name HAVING min(count) < max(count))
SELECT name, count, rate, (
  SELECT count(*) FROM topology_revisions r
  WHERE r.topology_id = :topology AND r.revision <= :revision AND r.created_at <= seen.stored_at) AS revision
FROM seen JOIN moved USING (name)
WHERE coalesce(arrived, rate * count) >= {LEAST_BUSY} * rate * count ORDER BY name, observed_at
"""
"""The rates of operators that ran with several numbers of processors, from intervals in which these were busy."""


def learn_capacity(
    session: Session, stored: StoredTopology, topology: Topology, load: Load, newest: SnapshotRow
) -> tuple[Topology, tuple[Diagnostic, ...]]:
    """The topology with the scalings that stored snapshots show, and a diagnostic of each with its evidence."""
    seen = read_rates(session, stored, list_silent(stored, load), newest)
    if not seen:
        return topology, ()
    learned = {
        one.name: learn_operator(one, seen[one.name], stored.revision)
        for one in topology.operators
        if one.name in seen
    }
    found = {name: one for name, one in learned.items() if one is not None}
    operators = [
        one._replace(scaling=found[one.name].scaling) if one.name in found else one
        for one in topology.operators
    ]
    said = tuple([describe_learned(name, one) for name, one in found.items()])
    return replace(topology, operators=tuple(operators)), said


def list_silent(stored: StoredTopology, load: Load) -> list[str]:
    """The operators of whose capacity the owner says nothing, and of which it is known how many processors run."""
    return [
        one["name"]
        for one in stored.definition["operators"]
        if one.get("scaling") is None
        and one.get("capacity_rate") is None
        and one["name"] in load.operators
        and load.operators[one["name"]].processors is not None
    ]


def read_rates(
    session: Session, stored: StoredTopology, names: Sequence[str], newest: SnapshotRow
) -> dict[str, list[SeenRate]]:
    """The measured rates of those of these operators that ran with several numbers of processors."""
    if not names:
        return {}
    ended = find_end(newest)
    terms = {
        "topology": stored.id,
        "revision": stored.revision,
        "names": names,
        "newest": newest.observed_at,
        "ended": ended,
        "length": timedelta(seconds=newest.window_seconds),
        "ages": [ended - SHORTEST * STEP**place for place in range(AGES)],
        "covered": LEAST_COVERED,
    }
    found: dict[str, list[SeenRate]] = {}
    for name, count, rate, revision in session.execute(text(SPREAD), terms):
        found.setdefault(name, []).append(SeenRate(count, rate, max(revision, 1)))
    return found


def learn_operator(operator: Operator, rates: Sequence[SeenRate], revision: int) -> LearnedScaling | None:
    """The scaling of one operator by its rates; a peak below the owner's min_processors is no peak to keep to."""
    learned = learn_scaling(rates, revision)
    if learned is None or (find_peak(learned.scaling) or operator.min_processors) < operator.min_processors:
        return None
    return learned
