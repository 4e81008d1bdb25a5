"""Reads the service rates before and after changes that gave operators more processors: did they serve more?"""

# ruff: noqa: S608 - the query is put together from constants, and values are bound

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.load.measurements.snapshots import LEAST_COVERED, find_latest_end
from planner.outcomes.brought import Rates, describe_futile_changes

MOST = 10
"""The number of intervals before a change, and after it, whose rates are compared."""


class AppliedChange(NamedTuple):
    """A change that ran: the processors before and after it, and from when until when they ran."""

    current: Mapping[str, int]
    recommended: Mapping[str, int]
    decided_for: datetime
    applied_at: datetime
    until: datetime

    @property
    def raised(self) -> list[str]:
        """The operators that got more processors."""
        return [name for name, count in self.recommended.items() if count > self.current.get(name, count)]


USABLE = """s.topology_id = :topology
    AND coalesce(s.covered_seconds, s.window_seconds) >= :covered * s.window_seconds
    AND coalesce(s.covered_seconds, s.window_seconds) <= extract(epoch FROM :latest_end - s.observed_at)"""
AROUND = f"""
SELECT a.number, s.is_after, (
  SELECT jsonb_object_agg(key, value->'service_rate') FROM jsonb_each(s.operators)
  WHERE a.ran_before ? key AND value ? 'service_rate') AS rates
FROM unnest(CAST(:numbers AS int[]), CAST(:decided AS timestamptz[]), CAST(:applied AS timestamptz[]),
  CAST(:until AS timestamptz[]), CAST(:before AS jsonb[]), CAST(:after AS jsonb[])
) AS a(number, decided, applied, until, ran_before, ran_after)
CROSS JOIN LATERAL (
  (SELECT false AS is_after, s.operators FROM snapshots s
   WHERE {USABLE} AND s.observed_at < a.decided AND s.operators @> a.ran_before
   ORDER BY s.observed_at DESC LIMIT {MOST})
  UNION ALL
  (SELECT true, s.operators FROM snapshots s
   WHERE {USABLE} AND s.observed_at >= a.applied AND s.observed_at < a.until AND s.operators @> a.ran_after
   ORDER BY s.observed_at LIMIT {MOST})) s
"""


def list_futile(
    session: Session, topology_id: int, changes: Sequence[AppliedChange | None]
) -> list[tuple[str, ...]]:
    """Sentences on the operators of each change that served hardly more with more processors; one query for all."""
    raised = {place: one for place, one in enumerate(changes) if one is not None and one.raised}
    if not raised:
        return [()] * len(changes)
    terms = {
        "topology": topology_id,
        "covered": LEAST_COVERED,
        "latest_end": find_latest_end(session),
        "numbers": list(raised),
        "decided": [one.decided_for for one in raised.values()],
        "applied": [one.applied_at for one in raised.values()],
        "until": [one.until for one in raised.values()],
        "before": [write_counts(one, one.current) for one in raised.values()],
        "after": [write_counts(one, one.recommended) for one in raised.values()],
    }
    seen: dict[tuple[int, bool], list[Rates]] = {}
    for number, is_after, rates in session.execute(text(AROUND), terms):
        seen.setdefault((number, is_after), []).append(rates or {})
    return [
        describe_futile_changes(
            one.current, one.recommended, seen.get((place, False), []), seen.get((place, True), [])
        )
        if one is not None
        else ()
        for place, one in enumerate(changes)
    ]


def write_counts(change: AppliedChange, counts: Mapping[str, int]) -> str:
    """JSON that a snapshot's operators contain if those that got more processors run these."""
    return json.dumps({name: {"processors": counts[name]} for name in change.raised})
