"""Learns from stored snapshots how the capacity of operators bends, where the owner says nothing of it.

One query reads the intervals around changes of processors: those of the newest decisions, and those that the newest
intervals show. So a plan costs no more after months of snapshots than after a day.
"""

# ruff: noqa: S608 - the query is put together from constants, and values are bound

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.database.tables import SnapshotRow
from app.load.measurements.snapshots import LEAST_COVERED, find_end
from app.load.measurements.stored_topologies import StoredTopology
from planner.calibration.learned_scaling import LearnedScaling, SeenRate, describe_learned, learn_scaling
from planner.queueing.instances.scaling import find_peak
from planner.values import Diagnostic, Load, Operator, Topology

MOST_CHANGES = 20
"""The number of newest changes around which intervals are read."""
RECENT = 180
"""The number of newest intervals that show changes which no decision made."""
TOGETHER = 4
"""The number of intervals that are read before a change, and after it."""
SETTLING = 2
"""The number of intervals after a change that may still mix old and new processors."""
LEAST_BUSY = 0.3
"""Processors that are less busy than this seldom slow each other down, so their rates tell little."""
USABLE = """s.topology_id = :topology AND s.observed_at <= :newest
    AND coalesce(s.covered_seconds, s.window_seconds) >= :covered * s.window_seconds"""
SPREAD = f"""
WITH recent AS (
  SELECT s.observed_at AS at, jsonb_path_query_array(s.operators, '$.*.processors') AS counts
  FROM snapshots s WHERE {USABLE} ORDER BY s.observed_at DESC, s.window_seconds DESC LIMIT {RECENT}),
turns AS (
  SELECT at, counts IS DISTINCT FROM lag(counts) OVER (ORDER BY at)
    AND lag(at) OVER (ORDER BY at) IS NOT NULL AS is_turn
  FROM recent),
changes AS (
  (SELECT at FROM turns WHERE is_turn ORDER BY at DESC LIMIT {MOST_CHANGES})
  UNION
  (SELECT decided_for AS at FROM decisions
   WHERE topology_id = :topology AND action <> 'hold' AND NOT is_trial AND decided_for <= :ended
   ORDER BY decided_for DESC LIMIT {MOST_CHANGES})),
instants AS (
  SELECT at - {TOGETHER} * :length AS at FROM changes UNION SELECT at + {SETTLING} * :length FROM changes),
picked AS (
  SELECT s.observed_at, s.operators, s.stored_at, coalesce(s.covered_seconds, s.window_seconds) AS seconds
  FROM instants i CROSS JOIN LATERAL (
    SELECT * FROM snapshots s WHERE {USABLE} AND s.observed_at >= i.at
      AND s.observed_at < i.at + {TOGETHER} * :length
    ORDER BY s.observed_at, s.window_seconds LIMIT {TOGETHER}) s
  GROUP BY s.observed_at, s.operators, s.stored_at, s.covered_seconds, s.window_seconds),
seen AS (
  SELECT p.observed_at, p.stored_at, p.seconds, one.key AS name, CAST(one.value->'processors' AS int) AS count,
    CAST(one.value->'service_rate' AS float8) AS rate, CAST(one.value->'arrival_rate' AS float8) AS arrived
  FROM picked p CROSS JOIN LATERAL jsonb_each(p.operators) one
  WHERE one.key = ANY(:names) AND one.value ? 'processors' AND one.value ? 'service_rate'),
moved AS (SELECT name FROM seen GROUP BY name HAVING min(count) < max(count))
SELECT name, observed_at, count, rate, coalesce(arrived, rate * count) * seconds AS services, (
  SELECT count(*) FROM topology_revisions r
  WHERE r.topology_id = :topology AND r.revision <= :revision AND r.created_at <= seen.stored_at) AS revision
FROM seen JOIN moved USING (name)
WHERE coalesce(arrived, rate * count) >= {LEAST_BUSY} * rate * count ORDER BY name, observed_at
"""
"""The rates of operators that ran with several numbers of processors, from intervals in which these were busy."""


class TimedRate(NamedTuple):
    """The service rate of one processor in the interval that began at a time."""

    at: datetime
    seen: SeenRate


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
    length = timedelta(seconds=newest.window_seconds)
    terms = {
        "topology": stored.id,
        "revision": stored.revision,
        "names": names,
        "newest": newest.observed_at,
        "ended": find_end(newest),
        "length": length,
        "covered": LEAST_COVERED,
    }
    found: dict[str, list[TimedRate]] = {}
    for name, at, count, rate, services, revision in session.execute(text(SPREAD), terms):
        found.setdefault(name, []).append(
            TimedRate(at, SeenRate(count, rate, max(revision, 1), services=services))
        )
    return {name: split_changes(listed, length) for name, listed in found.items()}


def split_changes(listed: Sequence[TimedRate], length: timedelta) -> list[SeenRate]:
    """The rates around each change of an operator's processors, `listed` in order of time.

    Before a change the newest TOGETHER intervals count, and after it the first ones that follow SETTLING intervals.
    """
    rates: list[SeenRate] = []
    places = [
        place
        for place in range(1, len(listed))
        if listed[place - 1].seen.processors != listed[place].seen.processors
        and listed[place].at - listed[place - 1].at <= (TOGETHER + SETTLING) * length
    ]
    for change, place in enumerate(places):
        last = listed[place - 1].at
        before = take_alike(listed[place - 1 :: -1], last - TOGETHER * length, last)
        settled = [one for one in listed[place:] if one.at > last + SETTLING * length]
        after = take_alike(settled, last, last + 2 * (TOGETHER + SETTLING) * length)
        if after and after[0].processors == listed[place].seen.processors:
            rates += [one._replace(change=change) for one in (*before, *after)]
    return rates


def take_alike(listed: Sequence[TimedRate], since: datetime, until: datetime) -> list[SeenRate]:
    """The first of the rates, at most TOGETHER and in this time, that ran with the same number of processors."""
    first = listed[0].seen.processors if listed else None
    alike = takewhile(lambda one: one.seen.processors == first and since <= one.at <= until, listed)
    return [one.seen for one in islice(alike, TOGETHER)]


def learn_operator(operator: Operator, rates: Sequence[SeenRate], revision: int) -> LearnedScaling | None:
    """The scaling of one operator by its rates; a peak below the owner's min_processors is no peak to keep to."""
    learned = learn_scaling(rates, revision)
    if learned is None or (find_peak(learned.scaling) or operator.min_processors) < operator.min_processors:
        return None
    return learned
