"""Decisions of a fleet as JSON: the budget, and the change of each topology with its turn."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from app.deciding.decisions.schemas import Action
from app.deciding.fleet.schemas import FleetBudget, FleetTopology
from app.web.fields import Answer, NextPage, StoredFields, UtcTime


class FleetChange(FleetTopology):
    """What one topology has and gets, by its own decision."""

    decision_id: Annotated[UUID | None, Field(description="Its own decision; null: held.")]
    action: Action | None
    turn: Annotated[int | None, Field(description="1: changes at once; 2: after those in `after`.")]
    after: Annotated[list[str], Field(description="The topologies that give processors up first.")]


class FleetReserved(Answer):
    """What the common peak of all topologies takes beyond what they need now."""

    processors: int
    factor: Annotated[
        float | None, Field(description="Of all rates together; null: too few intervals that all have.")
    ]
    added_up: Annotated[int | None, Field(description="The same for the peak of each, added up.")]
    detail: str


class FleetDecisionSummary(FleetBudget, StoredFields):
    """The decision of a fleet as an item of a list."""

    decided_for: Annotated[
        UtcTime | None, Field(description="The end of the newest interval of any topology.")
    ]
    reserve: Annotated[FleetReserved | None, Field(description="null: the policy asks for none.")]
    running_total: Annotated[int, Field(description="The processors that run, as far as known.")]


class FleetDecisionAnswer(FleetDecisionSummary):
    """One consistent set of changes, in turns: together they never run more than the budget."""

    topologies: list[FleetChange]
    stale: Annotated[
        list[str],
        Field(description="Topologies whose measurements are now too old to act on, or that are gone."),
    ] = []


class FleetDecisionPage(Answer):
    """Decisions of the fleet, newest first."""

    items: list[FleetDecisionSummary]
    next: NextPage = None
