"""Reads the questions of the decisions about all topologies that share the budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Row, extract, func, select
from sqlalchemy.orm import Session

from app.database.tables import SnapshotRow
from app.deciding.decisions.gathering import GatheredDecision, gather_decision
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import look_out_for
from app.deciding.fleet.gathering import gather_fleet
from app.deciding.fleet.service import HeldTopology, count_running
from app.deciding.fleet_policy.schemas import FleetClass, FleetPolicyBody, FleetReserve
from app.settings import Settings
from app.web.problems.stored_data_errors import NoPolicy, NoSnapshot, StaleSnapshots, StoredDataUnusable
from planner.decisions.shared_budget import FleetPart
from planner.fleet.common_peak import JointHistory

UNDECIDED = (NoPolicy, NoSnapshot, StaleSnapshots, StoredDataUnusable)
"""Why a topology cannot be decided about: it keeps what runs."""
USUAL = FleetClass(label="*")
DAY, MINUTE = timedelta(days=1), 60.0
MOST_BY_THE_MINUTE = 100
"""Topologies whose rates are read minute by minute."""


@dataclass(frozen=True)
class GatheredFleet:
    """The topologies that can be decided about, those that keep what runs, and the terms of all, by name."""

    parts: list[FleetPart]
    gathered: dict[str, GatheredDecision]
    held: list[HeldTopology]
    classes: dict[str, FleetClass]


def gather_parts(
    session: Session, terms: FleetPolicyBody, settings: Settings, now: datetime
) -> GatheredFleet:
    """Reads the inputs of the decision about each topology of the fleet."""
    found = GatheredFleet([], {}, [], {})
    for row in gather_fleet(session, terms.topologies, now):
        one = found.classes[row.name] = find_class(terms.classes, row)
        try:
            gathered = gather_decision(session, row.name, DecisionRequest(), settings, is_shared=True)
        except UNDECIDED as error:
            running = {} if row.ended_at is None else count_running(row.operators)
            found.held.append(HeldTopology(row.name, running, str(error)))
            continue
        question = gathered.question
        if terms.reserve is None:
            question = replace(question, outlook=look_out_for(question))
        part = FleetPart(row.name, question, one.weight, one.priority, one.min_processors or 0)
        found.parts.append(part)
        found.gathered[row.name] = gathered
    return found


def find_class(classes: Sequence[FleetClass], row: Row[Any]) -> FleetClass:
    """The first class that a topology is in."""
    labels = row.definition.get("labels", ())
    for one in classes:
        if one.label in labels or row.name in (one.topologies or ()):
            return one
    return USUAL


def gather_joint(
    session: Session, found: GatheredFleet, reserve: FleetReserve, now: datetime
) -> JointHistory:
    """The mean rates of all topologies in the intervals of the last day, as long as the longest snapshot of any."""
    stored = {one.found.stored.id: name for name, one in found.gathered.items()}
    longest = max((one.found.newest.window_seconds for one in found.gathered.values()), default=MINUTE)
    # Of many topologies fewer and longer intervals are read.
    length = max(longest, MINUTE * -(-len(stored) // MOST_BY_THE_MINUTE))
    place = func.floor(extract("epoch", SnapshotRow.observed_at) / length)
    rows = session.execute(
        select(SnapshotRow.topology_id, place, func.avg(SnapshotRow.external_rate))
        .where(
            SnapshotRow.topology_id.in_(stored),
            SnapshotRow.observed_at >= now - DAY,
            SnapshotRow.observed_at < now,
        )
        .group_by(SnapshotRow.topology_id, place)
    ).all()
    places = {at: number for number, at in enumerate(sorted({at for _, at, _ in rows}))}
    names = list(stored)
    rates = np.full((len(names), len(places)), np.nan)
    for topology_id, at, rate in rows:
        rates[names.index(topology_id), places[at]] = rate
    steps = max(round(reserve.horizon_seconds / length), 1)
    return JointHistory([stored[one] for one in names], rates, steps, reserve.quantile)
