"""The fields that several requests share: topology, load, model, and the terms of plans, gates and policies."""

from typing import Annotated

from pydantic import Field

from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph
from app.load.bodies.waiting_model import ModelName
from app.web.fields import MOST_BUDGET, Body, OperatorName, Processors
from planner.values import DEFAULT_MODEL

KMax = Annotated[int, Field(ge=1, le=MOST_BUDGET, description="Processors to divide.")]
TMax = Annotated[float, Field(gt=0, le=1e15, description="E[T] to stay at or below.")]
Beta = Annotated[
    float,
    Field(
        gt=0,
        lt=1,
        description="Weight of one processor; 1 - beta is that of one tuple in an operator. Towards 0 nothing waits, "
        "towards 1 every operator barely keeps up.",
    ),
]
ProcessorCounts = Annotated[
    dict[OperatorName, Processors] | None, Field(description="Left out: what the load says is running.")
]


Calibrate = Annotated[
    bool,
    Field(
        description="Correct modelled waits by measured_wait_seconds, where it is measured with processors; "
        "false: as modelled."
    ),
]


class Described(Body):
    """The fields that every call on a described topology takes."""

    topology: Graph
    load: LoadBody
    model: ModelName = DEFAULT_MODEL
    calibrate: Calibrate = True

    @property
    def is_long(self) -> bool:
        """Whether the answer takes some tenths of a second whatever the size of the topology."""
        return False
