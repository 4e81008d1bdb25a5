"""A decision's advice on nodes, instances and streams, as JSON."""

from typing import Annotated, Literal

from pydantic import Field

from app.web.fields import Answer


class NodeUsageAnswer(Answer):
    """The used parts of a node's resources, from 0 to 1."""

    cpu: float
    memory: float
    io: float


class NewInstance(Answer):
    """The part of a node that a new instance is expected to use (Es-Stream, eq. 21)."""

    usage: NodeUsageAnswer
    measured: Annotated[
        int,
        Field(
            description="The number of measured instances of the operator in this mean; 0: the mean over all "
            "instances."
        ),
    ]


class RelocationAnswer(Answer):
    """Instances that move from a released node to another."""

    operator: Annotated[str | None, Field(description="null: the snapshot lists no instances of the node.")]
    instance: str | None
    instances: Annotated[
        int, Field(description="The number of instances; of mean size if they are not named.")
    ]
    source: str
    target: str


class NodeAdviceAnswer(Answer):
    """Whether to use more, fewer or as many nodes, and the names of the nodes."""

    advice: Literal["scale_in", "scale_out", "in_place"]
    skewness: float
    mean_load: float
    use: Annotated[
        dict[str, dict[str, int]],
        Field(description="New instances that fit on present nodes, by node and operator."),
    ]
    add: Annotated[int, Field(description="New nodes for the other instances.")]
    new_nodes: Annotated[
        list[dict[str, int]], Field(description="The new instances on each new node, by operator.")
    ]
    release: Annotated[list[str], Field(description="Nodes to empty and release, in this order.")]
    relocations: Annotated[
        list[RelocationAnswer], Field(description="Where the instances of released nodes move to (eq. 22).")
    ]
    new_instances: dict[str, NewInstance]
    reason: str


class RedirectWeightsAnswer(Answer):
    """The weights by which an operator's tuples should be spread over its instances."""

    operator: str
    deviation: float
    redirect: Annotated[
        bool, Field(description="Whether the deviation is above the policy's most_deviation.")
    ]
    weights: dict[str, float]


class EdgeShiftAnswer(Answer):
    """Tuples/s of an edge that stay on their node if each stream is spread evenly over the instances."""

    source: str
    target: str
    local_rate_before: float
    local_rate_after: float


class InstanceMoveAnswer(Answer):
    """An instance to move to another node, and the expected effect. Each move assumes the moves before it."""

    operator: str
    instance: str
    source: str
    target: str
    edges: Annotated[
        list[EdgeShiftAnswer], Field(description="The edges of the operator whose local rate changes.")
    ]
    queue_deviation_before: Annotated[
        float, Field(description="Mean deviation of the operator's queue lengths (Mc-Stream, eq. 4).")
    ]
    queue_deviation_after: Annotated[
        float,
        Field(description="The deviation after the move, if the moved instance is served like the others."),
    ]
    node_deviation_before: Annotated[float, Field(description="Mean deviation of the nodes' loads.")]
    node_deviation_after: float


class SpotAnswer(Answer):
    """The instance or the edge that has the most or the least weight."""

    kind: Literal["hot-instance", "cold-instance", "hot-edge", "cold-edge"]
    name: str
    weight: float
    suggestion: str
    move: Annotated[
        InstanceMoveAnswer | None,
        Field(description="A move that helps; null: none fits, or the snapshot names no nodes."),
    ] = None


class Streams(Answer):
    """The redirect weights of each operator, and the instances and edges that stand out."""

    redirect: list[RedirectWeightsAnswer]
    spots: list[SpotAnswer]
