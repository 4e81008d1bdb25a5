"""Names of operators from names of vertices: printable, unique, and the same at every reading."""

from collections import Counter
from collections.abc import Iterable

from app.engines.flink.documents import VertexState

LONGEST = 180
ID_CHARACTERS = 6
CHAIN = "->"
METRIC_PREFIX = "Source__"
"""How the metrics of a source operator begin: Flink writes _ for what is no letter and no digit."""


def name_operators(vertices: Iterable[VertexState]) -> dict[str, str]:
    """The operator's name by the id of its vertex; vertices of one name get the start of their id behind it."""
    plain = {one.id: clean(one.name) or clean(one.id) or "vertex" for one in vertices}
    counts = Counter(plain.values())
    names = {
        vertex: name if counts[name] == 1 else f"{name} ({clean(vertex)[:ID_CHARACTERS]})"
        for vertex, name in plain.items()
    }
    if len(set(names.values())) == len(names):
        return names
    return {vertex: f"{name} ({place})" for place, (vertex, name) in enumerate(plain.items())}


def clean(name: str) -> str:
    """A name on one line, cut to what a name may have."""
    return to_line(name)[:LONGEST].strip()


def to_line(text: str) -> str:
    """A text without line breaks and control characters."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
