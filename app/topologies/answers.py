"""From a stored topology to JSON's types."""

from app.storage.stored_topologies import StoredTopology
from app.topologies.schemas import TopologyAnswer


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
