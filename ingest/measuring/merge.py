"""The cuts of one part -> pieces: what can be summed up of each operator and window, and of each root."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from ingest.measuring.bounded_batches import RecordBatch, gather_batches
from ingest.measuring.cuts import ARRIVAL, START, Cut, Slicing, number_slices
from ingest.measuring.duplicates import drop_duplicates
from ingest.measuring.levels import Events, join_events, measure_levels
from ingest.measuring.measures import (
    MOST_SPANS,
    count_services,
    measure_edges,
    measure_instances,
    measure_operators,
    thin_spans,
)
from ingest.measuring.pieces import Pieces
from ingest.measuring.queue_evidence import measure_queues
from ingest.measuring.roots import RootSums, sum_roots
from ingest.measuring.rows import Codes, TupleRows, make_codes
from ingest.measuring.segments import Integers, cut_segments
from ingest.measuring.tables import Table


def merge_part(cuts: Iterable[Cut], slicing: Slicing) -> Iterator[Pieces | RootSums]:
    """The pieces of the part, and the sums of its roots, batch by batch."""
    with ExitStack() as stack:
        kinds, batches = gather_batches(stack, cuts, slicing)
        codes = make_codes(kinds)
        pending = Events(*(np.zeros(0, dtype) for dtype in (np.int64, np.int64, np.bool_)))
        for batch in batches:
            rows, repeated = drop_duplicates(batch, codes, slicing)
            late = find_late(batch, batch.role != ARRIVAL, codes)
            events = join_events([pending, *find_events(rows, slicing), late])
            is_later = events.at_ns >= batch.end_ns
            pending, events = events.where(is_later), events.where(~is_later)
            tables = measure_rows(rows, codes, slicing, is_cut=batch.is_cut)
            tables |= measure_events(events, rows, codes, slicing, is_cut=batch.is_cut)
            yield Pieces(codes.operators, codes.instances, codes.edges, tables, repeated)
            yield sum_roots(rows, codes)


def find_events(rows: TupleRows, slicing: Slicing) -> Iterator[Events]:
    """Starts and finishes in the slice of the arrival; those in later slices are in the cuts of these."""
    slices = number_slices(rows.arrived_ns, slicing)
    at = rows.arrived_ns
    for is_start, duration in ((True, rows.wait_ns), (False, rows.service_ns)):
        at = at + duration
        is_here = number_slices(at, slicing) == slices
        yield Events(rows.operator[is_here], at[is_here], np.full(int(is_here.sum()), is_start))


def find_late(batch: RecordBatch, late: NDArray[np.bool_], codes: Codes) -> Events:
    """Starts and finishes of records that arrived in an earlier slice, each once."""
    kind, at, role = batch.kind[late], batch.at_ns[late], batch.role[late]
    identity = (
        codes.operator[kind],
        at,
        role,
        codes.instance[kind],
        batch.root[late],
        batch.wait_ns[late],
        batch.service_ns[late],
    )
    order = np.lexsort(identity)
    order = order[cut_segments(*(column[order] for column in identity)).begins]
    return Events(codes.operator[kind[order]], at[order], role[order] == START)


def measure_rows(rows: TupleRows, codes: Codes, slicing: Slicing, *, is_cut: bool) -> dict[str, Table]:
    spots = cut_segments(rows.operator, rows.slice)
    window = rows.slice // slicing.per_window
    return {
        "operators": measure_operators(rows, window, spots, slicing.window_ns, is_cut=is_cut),
        "instances": measure_instances(rows, window, spots, codes),
        "edges": measure_edges(rows, window, spots, codes),
        "services": count_services(rows, window, spots),
        "queues": measure_queues(rows, window, spots, codes),
        "spans": thin_spans(rows, window, spots, is_cut=is_cut, most=MOST_SPANS // slicing.per_window),
    }


def measure_events(
    events: Events, rows: TupleRows, codes: Codes, slicing: Slicing, *, is_cut: bool
) -> dict[str, Table]:
    """Levels; and, since a log may end before the last services do, the events after the topology's last arrival."""
    levels = measure_levels(events, number_slices(events.at_ns, slicing), slicing.window_ns)
    topology = number_topologies(codes)
    last = np.full(int(topology.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    if is_cut:
        last[:] = 0
    if len(rows.kind):
        found = np.full(len(last), -1)
        np.maximum.at(found, codes.topology[rows.kind], rows.arrived_ns)
        last = np.where(found >= 0, found, last)
    is_tail = events.at_ns >= last[topology[events.operator]]
    tail = events.where(is_tail)
    sign = np.where(tail.is_start, 1, -1)
    return {
        "levels": dict(zip(levels._fields, levels, strict=True)),
        "tails": {"operator": tail.operator, "at_ns": tail.at_ns, "change": sign},
    }


def number_topologies(codes: Codes) -> Integers:
    """The topology of each operator."""
    found = np.zeros(len(codes.operators), dtype=np.int64)
    found[codes.operator] = codes.topology
    return found
