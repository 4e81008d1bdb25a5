"""The records of a batch, each once, in an order that does not depend on the order of files."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ingest.measuring.batches import Batch
from ingest.measuring.cuts import ARRIVAL, Slicing, number_slices
from ingest.measuring.segments import Column, Integers, cut_segments, number_pairs, sort_by_code
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


def drop_duplicates(batch: Batch, codes: Codes, slicing: Slicing) -> tuple[TupleRows, int]:
    """Keeps one copy of each record, always the same one, in an order that the order of files does not change."""
    arrivals = batch.role == ARRIVAL
    kind, at = batch.kind[arrivals], batch.at_ns[arrivals]
    slices = number_slices(at, slicing)
    order = np.argsort(at, kind="stable")
    order = order[sort_by_code(number_pairs(codes.operator[kind], slices)[order])]
    columns = (batch.root[arrivals], at, batch.wait_ns[arrivals], batch.service_ns[arrivals])
    rows = TupleRows(kind, codes.operator[kind], slices, *columns).take(order)
    is_next = (np.diff(rows.arrived_ns) == 0) & (np.diff(rows.operator) == 0)
    tied = np.flatnonzero(np.append(is_next, False) | np.append(False, is_next))
    order = np.arange(len(at))
    order[tied] = tied[order_ties(rows.take(tied), codes)]
    rows = rows.take(order) if len(tied) else rows
    return drop_repeats(rows, tied, codes)


def order_ties(rows: TupleRows, codes: Codes) -> Integers:
    """Copies of a record stand together; first the one of the largest `sample_every`, then by names."""
    preference = (rows.kind, codes.is_random[rows.kind], -codes.every[rows.kind])
    identity = (rows.service_ns, rows.wait_ns, rows.root, codes.instance[rows.kind])
    return np.lexsort((*preference, *identity, rows.arrived_ns, rows.operator))


def drop_repeats(rows: TupleRows, tied: Integers, codes: Codes) -> tuple[TupleRows, int]:
    same = rows.take(tied)
    columns = (
        same.operator,
        same.arrived_ns,
        codes.instance[same.kind],
        same.root,
        same.wait_ns,
        same.service_ns,
    )
    is_repeat = np.ones(len(tied), dtype=bool)
    is_repeat[cut_segments(*columns).begins] = False
    if not is_repeat.any():
        return rows, 0
    is_kept = np.ones(len(rows.kind), dtype=bool)
    is_kept[tied[is_repeat]] = False
    return rows.take(np.flatnonzero(is_kept)), int(is_repeat.sum())
