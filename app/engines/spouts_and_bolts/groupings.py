"""Stream groupings of Storm and Heron, and the queues that they make.

| grouping | which instance gets a tuple | queueing |
|---|---|---|
| shuffle, local_or_shuffle | one after the other, in a shuffled order | round-robin |
| none | a random one (NoneGrouper draws it) | random |
| fields | by the hash of a field | keyed |
| global | the task with the lowest number | keyed, one instance |
| all | every task gets a copy | random: each copy's stream is the sender's own |
| direct, custom | what the sender's code says | not known |

Source: org.apache.storm.daemon.GrouperFactory; Heron's Grouping in topology.proto.
"""

from app.load.bodies.topology import QueueingName

ALL = "all"
GLOBAL = "global"
FIELDS = "fields"
QUEUEINGS: dict[str, QueueingName] = {
    "shuffle": "round-robin",
    "local_or_shuffle": "round-robin",
    "none": "random",
    FIELDS: "keyed",
    GLOBAL: "keyed",
    ALL: "random",
}
ONE_COPY = frozenset(QUEUEINGS) - {ALL}
"""Groupings that send every tuple to one instance."""


def read_grouping(text: str | None) -> str | None:
    """The name of a grouping as in the table; None where it is not said."""
    if text is None:
        return None
    plain = text.strip().lstrip(":").lower().replace("-", "_")
    return {"localorshuffle": "local_or_shuffle", "lowest": GLOBAL}.get(plain, plain) or None
