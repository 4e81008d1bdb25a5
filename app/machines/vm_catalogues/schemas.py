"""VM catalogues as JSON."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, JsonValue

from app.web.fields import Answer, Body, OperatorName, TopologyName, show_example
from planner.placements import vm_acquisition

MOST_SLOTS = 1024

AZURE_D_SIZES: list[JsonValue] = [
    {"name": "D1", "slots": 1, "hourly_price": 0.1},
    {"name": "D2", "slots": 2, "hourly_price": 0.2},
    {"name": "D3", "slots": 4, "hourly_price": 0.4},
]
AZURE_D: dict[str, JsonValue] = {"name": "azure-d", "sizes": AZURE_D_SIZES}
"""The three D-series sizes of Shukla and Simmhan; as in their paper, prices are proportional to slots."""


class VmSizeBody(Body):
    """A VM size that can be acquired."""

    name: OperatorName
    slots: Annotated[
        int, Field(ge=0, le=MOST_SLOTS, description="The slots of the VM; a profile is measured on one slot.")
    ]
    hourly_price: Annotated[
        float | None, Field(description="In one currency for all sizes. Must be given.")
    ] = None

    def to_values(self) -> vm_acquisition.VmSize:
        """The size as a value of the planner."""
        return vm_acquisition.VmSize(self.name, self.slots, self.hourly_price)


class VmCatalogueBody(Body):
    """Sizes and prices under a name; the same name again makes a new version."""

    model_config = show_example(AZURE_D)

    name: TopologyName
    sizes: Annotated[list[VmSizeBody], Field(min_length=1, max_length=100)]


class VmCatalogueAnswer(Answer):
    """A stored catalogue, at one version."""

    name: str
    version: int
    sizes: list[VmSizeBody]
    created_at: datetime


class VmCataloguePage(Answer):
    """Newest versions by name; `next` is the address of the following page."""

    items: list[VmCatalogueAnswer]
    next: str | None = None
