"""Reads the questions of the decisions about all topologies that share the budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Session

from app.deciding.decisions.gathering import GatheredDecision, gather_decision
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import look_out_for
from app.deciding.fleet.gathering import gather_fleet
from app.deciding.fleet.service import HeldTopology, count_running
from app.deciding.fleet_policy.schemas import FleetClass, FleetPolicyBody
from app.settings import Settings
from app.web.problems.stored_data_errors import NoPolicy, NoSnapshot, StaleSnapshots, StoredDataUnusable
from planner.decisions.shared_budget import FleetPart

UNDECIDED = (NoPolicy, NoSnapshot, StaleSnapshots, StoredDataUnusable)
"""Why a topology cannot be decided about: it keeps what runs."""
USUAL = FleetClass(label="*")


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
            gathered = gather_decision(session, row.name, DecisionRequest(), settings)
        except UNDECIDED as error:
            running = {} if row.ended_at is None else count_running(row.operators)
            found.held.append(HeldTopology(row.name, running, str(error)))
            continue
        question = replace(gathered.question, outlook=look_out_for(gathered.question))
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
