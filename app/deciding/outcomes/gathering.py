"""Reads the measurements after decisions, by four queries for any number of decisions.

The database picks the intervals that count. Of the other intervals, it reads only the newest and one with unknown
processors, because these show why a change was not observed.
"""

# ruff: noqa: S608 - queries are put together from constants, and values are bound

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.load.measurements.snapshots import LEAST_COVERED, find_latest_end
from app.web.fields import move_time
from planner.outcomes.causes import MOST_COMPARED, Compared, is_longer
from planner.outcomes.observed import (
    LONGEST_SEARCH_SECONDS,
    LaterInterval,
    Observations,
    ObservedOutcome,
    Promised,
    compare_processors,
)
from planner.values import IdcPoint, Load, OperatorLoad


class AskedDecision(NamedTuple):
    """A decision whose outcome is looked for, E[T] before it, and the time from which it was measured for it."""

    is_change: bool
    decided_for: datetime
    before_seconds: float | None
    horizon_seconds: float
    current: Mapping[str, int]
    recommended: Mapping[str, int]
    measured_from: datetime


@dataclass(frozen=True, slots=True)
class SeenAround:
    """The measurements since a decision; `superseded_at` is the time at which the data of the next change end."""

    observations: Observations
    superseded_at: datetime | None


PROCESSORS = """(
  SELECT coalesce(jsonb_object_agg(key, value->'processors'), '{}') FROM jsonb_each(s.operators))"""
IS_WHOLE = "coalesce(s.covered_seconds, s.window_seconds) >= :covered * s.window_seconds"
IS_USABLE = "coalesce(s.covered_seconds, s.window_seconds) <= extract(epoch FROM :latest_end - s.observed_at)"
ASKED = """
WITH asked AS MATERIALIZED (
  SELECT *, ARRAY(SELECT jsonb_object_keys(wanted)) AS names FROM unnest(
    CAST(:numbers AS int[]), CAST(:changes AS bool[]), CAST(:since AS timestamptz[]),
    CAST(:wanted AS jsonb[]), CAST(:horizons AS float8[]), CAST(:moved AS text[]), CAST(:moved_to AS jsonb[])
  ) AS a(number, is_change, since, wanted, horizon, moved, moved_to))
"""
# The next change that is no trial and was not refused, and the first interval with the recommended processors before
# it. One operator that changes, `moved`, is looked at first: where nothing is applied this is much quicker.
APPLIED = f"""{ASKED}
SELECT a.number, following.at AS superseded_at, first.observed_at AS applied_at, newest.observed_at AS newest_at,
  newest.processors AS newest_processors, unsure.observed_at AS unsure_at, unsure.processors AS unsure_processors
FROM asked a
LEFT JOIN LATERAL (
  SELECT d.decided_for AS at FROM decisions d
  WHERE d.topology_id = :topology AND d.action <> 'hold' AND d.decided_for > a.since AND a.is_change
    AND NOT d.is_trial
    AND (d.outcome->>'state' IS NULL OR d.outcome->>'state' NOT IN ('refused', 'failed'))
  ORDER BY d.decided_for LIMIT 1) following ON true
CROSS JOIN LATERAL (
  SELECT least(following.at, a.since + make_interval(secs => :longest)) AS until) search
LEFT JOIN LATERAL (
  SELECT s.observed_at FROM snapshots s
  WHERE s.topology_id = :topology AND {IS_USABLE}
    AND s.observed_at >= a.since AND s.observed_at < search.until AND a.is_change
    AND s.operators->a.moved->'processors' = a.moved_to AND s.operators @> a.wanted
  ORDER BY s.observed_at LIMIT 1) first ON true
LEFT JOIN LATERAL (
  SELECT s.observed_at, {PROCESSORS} AS processors FROM snapshots s
  WHERE s.topology_id = :topology AND {IS_USABLE}
    AND s.observed_at >= a.since AND s.observed_at < search.until AND a.is_change
    AND first.observed_at IS NULL
  ORDER BY s.observed_at DESC LIMIT 1) newest ON true
LEFT JOIN LATERAL (
  SELECT s.observed_at, {PROCESSORS} AS processors FROM snapshots s
  WHERE s.topology_id = :topology AND {IS_USABLE}
    AND s.observed_at >= a.since AND s.observed_at < search.until AND a.is_change
    AND first.observed_at IS NULL
    AND coalesce(s.operators->a.moved->'processors', a.moved_to) = a.moved_to
    AND (jsonb_path_exists(s.operators, '$.* ? (!exists(@.processors))')
      OR NOT s.operators ?& a.names)
    AND NOT EXISTS (
      SELECT FROM jsonb_each(a.wanted) w WHERE s.operators->w.key->'processors' <> w.value->'processors')
  ORDER BY s.observed_at DESC LIMIT 1) unsure ON true
"""
# The intervals of the horizons; processors are read where they are not the recommended ones. OFFSET 0: Postgres looks
# each decision's intervals up by the index, and does not compare every decision with every snapshot.
HORIZONS = f"""{ASKED}
SELECT a.number, s.observed_at, s.window_seconds, s.external_rate,
  CASE WHEN {IS_WHOLE} THEN s.measured_sojourn_seconds END AS sojourn,
  CASE WHEN NOT s.operators @> a.wanted THEN {PROCESSORS} END AS processors
FROM asked a CROSS JOIN LATERAL (
  SELECT * FROM snapshots s
  WHERE s.topology_id = :topology AND {IS_USABLE} AND s.observed_at >= a.since
    AND s.observed_at < a.since + make_interval(secs => a.horizon) OFFSET 0) s
"""
NEWEST = f"""
SELECT CAST(extract(epoch FROM s.observed_at) AS float8) + s.window_seconds FROM snapshots s
WHERE s.topology_id = :topology AND {IS_USABLE} ORDER BY s.observed_at DESC, s.window_seconds DESC LIMIT 1
"""
# What was measured of the operators in the intervals of a period, of which those with an E[T] above a limit count.
LOADS = f"""
SELECT a.number, one.key AS name, avg(s.external_rate) AS external_rate,
  avg(CAST(one.value->>'service_rate' AS float8)) AS service_rate,
  avg(CAST(one.value->>'arrival_rate' AS float8)) AS arrival_rate,
  avg(CAST(one.value->>'arrival_scv' AS float8)) AS arrival_scv,
  avg(CAST(one.value->>'service_scv' AS float8)) AS service_scv,
  avg(CAST(s.shapes->one.key->'arrival_idc'->-1->>'idc' AS float8)) AS idc
FROM unnest(CAST(:numbers AS int[]), CAST(:since AS timestamptz[]), CAST(:until AS timestamptz[]),
  CAST(:above AS float8[]), CAST(:wanted AS jsonb[])) AS a(number, since, until, above, wanted)
CROSS JOIN LATERAL (
  SELECT s.external_rate, s.operators, s.shapes FROM snapshots s
  WHERE s.topology_id = :topology AND {IS_USABLE} AND s.observed_at >= a.since AND s.observed_at < a.until
    AND (a.above IS NULL
      OR ({IS_WHOLE} AND s.measured_sojourn_seconds > a.above AND s.operators @> a.wanted))
  ORDER BY s.measured_sojourn_seconds DESC NULLS LAST LIMIT :most) s
CROSS JOIN LATERAL jsonb_each(s.operators) one
GROUP BY a.number, one.key
"""


def gather_outcomes(session: Session, topology_id: int, asked: Sequence[AskedDecision]) -> list[SeenAround]:
    """Reads the measurements around each of these decisions about one topology."""
    if not asked:
        return []
    begins = [one.decided_for for one in asked]
    usable = {"covered": LEAST_COVERED, "latest_end": find_latest_end(session)}
    terms = usable | {"longest": LONGEST_SEARCH_SECONDS}
    found = session.execute(text(APPLIED), bind(topology_id, asked, begins) | terms)
    applied: dict[int, Row[Any]] = {row.number: row for row in found}
    begins = [applied[number].applied_at or one.decided_for for number, one in enumerate(asked)]
    later: dict[int, list[LaterInterval]] = {number: [] for number in range(len(asked))}
    followed = [number for number, one in enumerate(asked) if applied[number].applied_at or not one.is_change]
    bound = bind(topology_id, asked, begins, followed) | usable
    for row in session.execute(text(HORIZONS), bound):
        later[row.number].append(read_interval(asked[row.number], row))
    newest = session.scalar(text(NEWEST), {"topology": topology_id, "latest_end": usable["latest_end"]})
    return [see(one, applied[number], later[number], newest) for number, one in enumerate(asked)]


def bind(
    topology_id: int,
    asked: Sequence[AskedDecision],
    begins: Sequence[datetime],
    numbers: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Returns the query parameters for these decisions; `begins` has the time from which each decision is measured."""
    picked = range(len(asked)) if numbers is None else numbers
    moved = [find_moved(one) for one in asked]
    return {
        "topology": topology_id,
        "numbers": list(picked),
        "changes": [asked[number].is_change for number in picked],
        "since": [begins[number] for number in picked],
        "wanted": [write_wanted(asked[number].recommended) for number in picked],
        "horizons": [asked[number].horizon_seconds for number in picked],
        "moved": [moved[number] for number in picked],
        "moved_to": [str(asked[number].recommended[moved[number]]) for number in picked],
    }


def find_moved(asked: AskedDecision) -> str:
    """Returns the name of an operator whose processors the decision changes; if it changes none, of any operator."""
    changed = (name for name, count in asked.recommended.items() if asked.current.get(name) != count)
    return next(changed, next(iter(asked.recommended)))


def write_wanted(recommended: Mapping[str, int]) -> str:
    """Returns JSON that a snapshot's operators contain if the recommended processors run."""
    return json.dumps({name: {"processors": count} for name, count in recommended.items()})


def read_interval(asked: AskedDecision, row: Row[Any]) -> LaterInterval:
    """Turns a database row into the planner's value for one interval of a decision's horizon."""
    match = (
        "same"
        if row.processors is None
        else compare_processors(asked.current, asked.recommended, row.processors)
    )
    begin = (row.observed_at - asked.decided_for).total_seconds()
    return LaterInterval(begin, row.window_seconds, row.external_rate, row.sojourn, match)


def see(
    asked: AskedDecision, applied: Row[Any], later: Sequence[LaterInterval], newest: float | None
) -> SeenAround:
    """Joins the rows that three queries found for one decision into the measurements around the decision."""
    unfit = [(applied.newest_at, applied.newest_processors), (applied.unsure_at, applied.unsure_processors)]
    searched = [
        LaterInterval(
            (at - asked.decided_for).total_seconds(),
            0.0,
            0.0,
            None,
            compare_processors(asked.current, asked.recommended, processors or {}),
        )
        for at, processors in unfit
        if at is not None
    ]
    superseded = applied.superseded_at
    observations = Observations(
        [*searched, *later],
        None if superseded is None else (superseded - asked.decided_for).total_seconds(),
        None if newest is None else newest - asked.decided_for.timestamp(),
    )
    return SeenAround(observations, superseded)


class Period(NamedTuple):
    """A time whose intervals are compared: those with an E[T] above a limit and these processors; None: all.

    `sojourn_seconds` is the E[T] of this time, where it is known.
    """

    since: datetime
    until: datetime
    above_seconds: float | None = None
    recommended: Mapping[str, int] = {}
    sojourn_seconds: float | None = None


def find_periods(asked: AskedDecision, promised: Promised, found: ObservedOutcome) -> tuple[Period, ...]:
    """The time that a decision was made from, and the time in which E[T] was too long; nothing where it was not."""
    ends = [one for one in (found.end_seconds, found.cut_seconds) if one is not None]
    if not is_longer(promised, found) or found.begin_seconds is None or not ends:
        return ()
    begin, end = (move_time(asked.decided_for, one) for one in (found.begin_seconds, min(ends)))
    if begin is None or end is None:
        return ()
    above = promised.limit_seconds if found.missed else 0.0
    before = Period(asked.measured_from, asked.decided_for, sojourn_seconds=asked.before_seconds)
    return before, Period(begin, end, above, asked.recommended, found.measured_seconds)


def gather_compared(
    session: Session, topology_id: int, periods: Sequence[tuple[Period, ...]]
) -> list[Compared | None]:
    """Reads what was measured in both periods of each decision that has two."""
    flat = [(2 * place + side, one) for place, both in enumerate(periods) for side, one in enumerate(both)]
    if not flat:
        return [None] * len(periods)
    bound = {
        "topology": topology_id,
        "numbers": [number for number, _ in flat],
        "since": [one.since for _, one in flat],
        "until": [one.until for _, one in flat],
        "above": [one.above_seconds for _, one in flat],
        "wanted": [write_wanted(one.recommended) for _, one in flat],
        "covered": LEAST_COVERED,
        "latest_end": find_latest_end(session),
        "most": MOST_COMPARED,
    }
    rates: dict[int, float] = {}
    operators: dict[int, dict[str, OperatorLoad]] = {number: {} for number, _ in flat}
    for row in session.execute(text(LOADS), bound):
        bursts = () if row.idc is None else (IdcPoint(1.0, row.idc),)
        measured = row.service_rate, row.arrival_rate, row.arrival_scv, row.service_scv
        operators[row.number][row.name] = OperatorLoad(*measured, arrival_idc=bursts)
        rates[row.number] = row.external_rate
    loads = {
        number: Load(rates[number], operators[number], one.sojourn_seconds)
        for number, one in flat
        if number in rates
    }
    return [
        Compared(loads.get(2 * place), loads.get(2 * place + 1)) if both else None
        for place, both in enumerate(periods)
    ]
