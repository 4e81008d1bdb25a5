"""Records as columns of numbers, and the numbers of their names."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ingest.measuring.segments import Column, Integers
from ingest.reading.records import TupleKind

Name = tuple[str | None, ...]


class Codes(NamedTuple):
    """For each kind of records, the numbers of its operator, instance, edge and topology, and how it was sampled."""

    operators: list[Name]
    instances: list[Name]
    edges: list[Name]
    topologies: list[Name]
    operator: Column
    instance: Column
    edge: Column
    topology: Column
    every: Column
    is_random: Column
    is_outside: Column


class TupleRows(NamedTuple):
    """Records, each once, by operator, slice and arrival."""

    kind: Column
    operator: Column
    slice: Column
    root: Column
    arrived_ns: Column
    wait_ns: Column
    service_ns: Column

    def take(self, order: Integers) -> "TupleRows":
        return TupleRows(*(column[order] for column in self))


def number_names(kinds: list[TupleKind], pick: Callable[[TupleKind], Name]) -> tuple[list[Name], Integers]:
    """The distinct names in order of the kinds, and for each kind the place of its name."""
    places: dict[Name, int] = {}
    codes = [places.setdefault(pick(kind), len(places)) for kind in kinds]
    return list(places), np.array(codes, dtype=np.int64)


def make_codes(kinds: list[TupleKind]) -> Codes:
    picks: tuple[Callable[[TupleKind], Name], ...] = (
        lambda kind: kind[:2],
        lambda kind: kind[:3],
        lambda kind: (*kind[:2], kind.from_operator),
        lambda kind: kind[:1],
    )
    (operators, operator), (instances, instance), (edges, edge), (topologies, topology) = (
        number_names(kinds, pick) for pick in picks
    )
    every = np.array([kind.sample_every for kind in kinds], dtype=np.int64)
    is_random = np.array([kind.is_random for kind in kinds], dtype=np.int64)
    is_outside = np.array([kind.from_operator is None for kind in kinds], dtype=bool)
    names = (operators, instances, edges, topologies)
    return Codes(*names, operator, instance, edge, topology, every, is_random, is_outside)
