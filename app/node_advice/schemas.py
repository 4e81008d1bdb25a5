"""What a decision says of nodes, instances and streams, as JSON."""

from typing import Annotated, Literal

from pydantic import Field

from app.http.fields import Answer


class NodeUsageAnswer(Answer):
    """Parts of a node."""

    cpu: float
    memory: float
    io: float


class NewInstance(Answer):
    """What an instance is taken to need of a node (Es-Stream, eq. 21)."""

    usage: NodeUsageAnswer
    measured: Annotated[
        int,
        Field(
            description="Instances of the operator that this is the mean of; 0: none was measured, and the mean over "
            "all that run stands in."
        ),
    ]


class RelocationAnswer(Answer):
    """What leaves a node that is emptied, and where to."""

    operator: Annotated[str | None, Field(description="null: the snapshot does not name what runs there.")]
    instance: str | None
    instances: Annotated[int, Field(description="How many; parts of mean size where they are not named.")]
    source: str
    target: str


class NodeAdviceAnswer(Answer):
    """More nodes, fewer, or in place; and which."""

    advice: Literal["scale_in", "scale_out", "in_place"]
    skewness: float
    mean_load: float
    use: Annotated[
        dict[str, dict[str, int]], Field(description="New instances by node that they fit on, and operator.")
    ]
    add: Annotated[int, Field(description="New nodes for the others.")]
    new_nodes: Annotated[
        list[dict[str, int]], Field(description="New instances by operator on each of them.")
    ]
    release: Annotated[list[str], Field(description="Nodes to empty, in this order.")]
    relocations: Annotated[
        list[RelocationAnswer], Field(description="Where what runs on them finds room (eq. 22).")
    ]
    new_instances: dict[str, NewInstance]
    reason: str


class RedirectWeightsAnswer(Answer):
    """How an operator's tuples should be spread over its instances."""

    operator: str
    deviation: float
    redirect: Annotated[
        bool, Field(description="Whether the deviation is above the policy's most_deviation.")
    ]
    weights: dict[str, float]


class EdgeShiftAnswer(Answer):
    """Tuples/s of an edge that stay on their node, streams being spread evenly over instances."""

    source: str
    target: str
    local_rate_before: float
    local_rate_after: float


class InstanceMoveAnswer(Answer):
    """An instance placed anew, and what to expect of it; moves stand on those before them."""

    operator: str
    instance: str
    source: str
    target: str
    edges: Annotated[list[EdgeShiftAnswer], Field(description="Of which more, or less, becomes local.")]
    queue_deviation_before: Annotated[
        float, Field(description="Mc-Stream's eq. 4, of the operator's queues.")
    ]
    queue_deviation_after: Annotated[
        float, Field(description="If a hot instance comes to be served as its siblings are.")
    ]
    node_deviation_before: Annotated[float, Field(description="In the form of eq. 4, of the nodes' loads.")]
    node_deviation_after: float


class SpotAnswer(Answer):
    """An instance or edge that stands out."""

    kind: Literal["hot-instance", "cold-instance", "hot-edge", "cold-edge"]
    name: str
    weight: float
    suggestion: str
    move: Annotated[
        InstanceMoveAnswer | None,
        Field(description="null: none fits, or the snapshot does not say what runs on which node."),
    ] = None


class Streams(Answer):
    """Where tuples should go, and what should move."""

    redirect: list[RedirectWeightsAnswer]
    spots: list[SpotAnswer]
