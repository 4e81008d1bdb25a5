"""Reads a series: the database puts rows into buckets, and the planner estimates E[T] of one load of each."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.deciding.policies.service import find_body
from app.load.measurements.snapshots import read_operator
from app.load.measurements.stored_topologies import find_topology
from app.pages.series.answers import to_series
from app.pages.series.gathering import find_buckets, gather_decisions, gather_snapshots
from app.pages.series.schemas import Series
from app.web.observability import time_planner
from app.web.problems.errors import InvalidRequest
from planner.errors import PlannerError
from planner.outcomes.rows import SeriesRow, describe_rows
from planner.situations.situation import find_sojourn
from planner.values import Load, Topology


def read_series(
    session: Session, name: str, since: datetime | None, until: datetime | None, points: int
) -> Series:
    """The measurements, estimates and recommendations of each bucket."""
    if since is not None and until is not None and since >= until:
        raise InvalidRequest((("#/from", "The time in `from` must be before the time in `to`."),))
    stored = find_topology(session, name)
    buckets = find_buckets(session, stored, since, until, points)
    rows = gather_snapshots(session, stored, buckets)
    decided = gather_decisions(session, stored, buckets)
    policy = find_body(session, stored)
    topology = stored.to_values()
    with time_planner("series"):
        loads = {row.number: read_load(topology, row) for row in rows}
        expected = {number: expect(topology, load) for number, load in loads.items()}
        notes = describe_rows(join_rows(buckets.count_all(), rows, loads, expected, decided))
    return to_series(
        stored,
        buckets,
        target=policy.goal.find_t_max_seconds() if policy else None,
        rows=rows,
        expected=expected,
        decided=decided,
        notes=notes,
    )


def read_load(topology: Topology, row: Row[Any]) -> Load:
    """The load of the bucket's newest snapshot."""
    operators = {
        operator.name: read_operator(row.operators[operator.name])
        for operator in topology.operators
        if operator.name in row.operators
    }
    return Load(row.newest_rate, operators)


def expect(topology: Topology, load: Load) -> tuple[float, int] | None:
    """E[T] (inf: an operator cannot keep up) and processors of a load; None if the load has too little data."""
    try:
        return find_sojourn(topology, load)
    except PlannerError:
        return None


def join_rows(
    count: int,
    rows: Sequence[Row[Any]],
    loads: Mapping[int, Load],
    expected: Mapping[int, tuple[float, int] | None],
    decided: Sequence[Row[Any]],
) -> list[SeriesRow]:
    """Every bucket as the planner describes it."""
    joined = [SeriesRow()] * count
    for row in rows:
        seconds, running = expected[row.number] or (None, None)
        joined[int(row.number)] = SeriesRow(loads[row.number], row.measured_sojourn_seconds, seconds, running)
    for row in decided:
        if row.action in {"scale_up", "scale_down"}:
            joined[int(row.number)] = joined[int(row.number)]._replace(wanted=row.total)
    return joined
