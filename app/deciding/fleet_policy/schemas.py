"""The policy of a fleet as JSON: the budget, who shares it, and who comes first."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from app.deciding.fleet.schemas import LabelFilter, Names, Priority, Weight
from app.load.bodies.terms import KMax
from app.web.fields import Body, OperatorName, Processors

EXAMPLE: dict[str, Any] = {
    "k_max": 500,
    "topologies": {"label": "prod"},
    "classes": [{"label": "critical", "priority": 10}, {"topologies": ["reports"], "weight": 0.2}],
}


class FleetClass(Body):
    """Terms of the topologies with a label, or of those named."""

    label: OperatorName | None = None
    topologies: Names | None = None
    priority: Annotated[Priority, Field(description="Targets of higher numbers are met first.")] = 0
    weight: Annotated[Weight, Field(description="How much the topology's time counts.")] = 1.0
    min_processors: Annotated[
        Processors | None, Field(description="The fewest processors of each of them in all.")
    ] = None

    @model_validator(mode="after")
    def names_some(self) -> "FleetClass":
        """Refuses a class of nobody, and one with two ways to say of whom."""
        if (self.label is None) == (self.topologies is None):
            raise ValueError("must have either a label or topologies")
        return self


class FleetReserve(Body):
    """Processors that are kept free for targets, for the time at which all rates together are highest."""

    quantile: Annotated[float, Field(ge=0.5, le=0.999, description="How probably they are enough.")] = 0.95
    horizon_seconds: Annotated[
        float, Field(ge=60, le=21_600, description="How far ahead: until processors can be moved.")
    ] = 900.0


class FleetPolicyBody(Body):
    """A budget of processors, the topologies that share it (all, those with a label, or those named), and classes: a
    topology has the terms of the first one that it is in, else priority 0 and weight 1.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    k_max: KMax
    topologies: Names | LabelFilter | None = None
    classes: Annotated[list[FleetClass], Field(max_length=100)] = []
    reserve: Annotated[
        FleetReserve | None,
        Field(description="Of the sum of all rates in the last day, instead of a forecast of each."),
    ] = None


class FleetPolicyAnswer(FleetPolicyBody):
    """The stored policy of the fleet."""

    updated_at: datetime
