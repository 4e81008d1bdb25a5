"""Names of operators as labels of Prometheus carry them."""

import re
from collections.abc import Iterable, Sequence

from app.load.bodies.load import LoadBody

NO_LABEL = re.compile(r"[^a-zA-Z0-9:_]")
CUT = 80
"""Flink cuts longer names in its metrics."""


def write_label(name: str) -> str:
    """The name as Flink's reporter writes it: _ for what is no letter, digit, colon or underscore."""
    return NO_LABEL.sub("_", name)


def name_as_stored(loads: Iterable[LoadBody], known: Sequence[str]) -> tuple[LoadBody, ...]:
    """The loads under stored names: a label is replaced where only one stored operator can be meant."""
    return tuple([_rename(load, known) for load in loads])


def _rename(load: LoadBody, known: Sequence[str]) -> LoadBody:
    strangers = [name for name in load.operators if name not in known]
    free = [name for name in known if name not in load.operators]
    meant = {name: [one for one in free if _matches(name, one)] for name in strangers}
    taken = [one for found in meant.values() for one in found]
    names = {
        name: found[0] for name, found in meant.items() if len(found) == 1 and taken.count(found[0]) == 1
    }
    if not names:
        return load
    return load.model_copy(
        update={"operators": {names.get(name, name): one for name, one in load.operators.items()}}
    )


def _matches(label: str, name: str) -> bool:
    written = write_label(name)
    return label == written or (len(label) == CUT and label == written[:CUT])
