"""The measured use of nodes and of operator instances as JSON."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from app.web.fields import Body, OperatorName

Part = Annotated[float, Field(ge=0, le=1, description="A part of the node, from 0 to 1.")]


class NodeLoad(Body):
    """How much of a node is in use."""

    cpu: Part
    memory: Part
    io: Annotated[Part, Field(description="Left out: taken as 0, so that it limits nothing.")] = 0.0


class InstanceQueue(Body):
    """What waits at one processor of an operator."""

    name: OperatorName
    queue_length: Annotated[float, Field(ge=0, le=1e15, description="Tuples that wait.")]
    queue_capacity: Annotated[float, Field(gt=0, le=1e15, description="Tuples that can.")]
    work: Annotated[float | None, Field(ge=0, le=1e15, description="Processors it keeps busy.")] = None
    node: OperatorName | None = None
    cpu: Annotated[Part | None, Field(description="What it takes of its node; with memory.")] = None
    memory: Part | None = None
    io: Part | None = None

    @model_validator(mode="after")
    def refuse_contradictions(self) -> Self:
        """Refuses a queue that is longer than its capacity, and a usage that lacks either cpu or memory."""
        if self.queue_length > self.queue_capacity:
            raise ValueError(
                f"queue_length is {self.queue_length:g}, above queue_capacity {self.queue_capacity:g}: correct one"
            )
        if (self.cpu is None) != (self.memory is None) or (self.io is not None and self.cpu is None):
            raise ValueError("give cpu and memory together (and io only with them)")
        return self


def _refuse_twins(listed: list[InstanceQueue]) -> list[InstanceQueue]:
    seen: set[str] = set()
    for one in listed:
        if one.name in seen:
            raise ValueError(f"two instances are named {one.name!r}: rename one")
        seen.add(one.name)
    return listed


Instances = Annotated[
    list[InstanceQueue], Field(min_length=1, max_length=10_000), AfterValidator(_refuse_twins)
]
