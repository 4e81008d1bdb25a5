"""From a stored topology to JSON's types, and to a picture."""

from app.database.stored_topologies import StoredTopology
from app.load.topologies.schemas import TopologyAnswer
from app.rendering.estimate_graphs import find_entries
from app.rendering.forms import write_picture
from app.rendering.graph_pictures import draw_graph
from app.rendering.operator_graphs import DrawnOperator, OperatorGraph, join_streams
from planner.values import Operator


def to_topology_answer(stored: StoredTopology) -> TopologyAnswer:
    """The answer to GET, POST and PUT."""
    return TopologyAnswer.model_validate(
        stored.definition
        | {
            "name": stored.name,
            "revision": stored.revision,
            "source": stored.source,
            "created_at": stored.created_at,
        }
    )


def draw_topology(stored: StoredTopology, form: str) -> bytes:
    """The operators and the streams between them, without measurements."""
    topology = stored.to_values()
    graph = OperatorGraph(
        f"{stored.name}, revision {stored.revision}",
        [f"operators: {len(topology.operators)}, streams: {len(topology.edges)}"],
        [DrawnOperator(one.name, note=describe_operator(one)) for one in topology.operators],
        join_streams(topology),
        find_entries(topology),
    )
    return write_picture(draw_graph(graph), form)


def describe_operator(one: Operator) -> str:
    """What its definition says, beside its name."""
    parts = ["stateful"] if one.stateful else []
    if one.queueing is not None:
        parts.append(one.queueing)
    if one.ceiling is not None:
        parts.append(f"{one.min_processors:,} to {one.ceiling:,}")
    elif one.min_processors > 1:
        parts.append(f"from {one.min_processors:,}")
    return ", ".join(parts)
