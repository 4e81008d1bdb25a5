"""Measures the records of one task: drops duplicates, and sums up the others by operator, window and root tuple."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack

import numpy as np

from ingest.measuring.columns import (
    Codes,
    Integers,
    Table,
    TupleRows,
    cut_segments,
    make_codes,
    number_pairs,
    sort_by_code,
)
from ingest.measuring.cuts import ARRIVAL, START, Cut, Slicing, gather_batches, number_slices
from ingest.measuring.measures import (
    MOST_SPANS,
    Events,
    count_services,
    join_events,
    measure_edges,
    measure_instances,
    measure_levels,
    measure_operators,
    thin_spans,
)
from ingest.measuring.pieces import Pieces
from ingest.measuring.queue_evidence import measure_queues
from ingest.measuring.roots import RootSums, sum_roots
from ingest.measuring.shared_keys import measure_keys


def drop_duplicates(cut: Cut, codes: Codes, slicing: Slicing) -> tuple[TupleRows, int]:
    """Keeps one copy of each record; neither the choice nor the order of rows depends on the order of files."""
    arrivals = cut.role == ARRIVAL
    kind, at = cut.kind[arrivals], cut.at_ns[arrivals]
    slices = number_slices(at, slicing)
    order = np.argsort(at, kind="stable")
    order = order[sort_by_code(number_pairs(codes.operator[kind], slices)[order])]
    columns = (cut.root[arrivals], at, cut.wait_ns[arrivals], cut.service_ns[arrivals])
    rows = TupleRows(kind, codes.operator[kind], slices, *columns).take(order)
    is_next = (np.diff(rows.arrived_ns) == 0) & (np.diff(rows.operator) == 0)
    tied = np.flatnonzero(np.append(is_next, False) | np.append(False, is_next))
    order = np.arange(len(at))
    order[tied] = tied[order_ties(rows.take(tied), codes)]
    rows = rows.take(order) if len(tied) else rows
    return drop_repeats(rows, tied, codes)


def order_ties(rows: TupleRows, codes: Codes) -> Integers:
    """An order in which copies of a record are neighbours, the copy with the largest `sample_every` first."""
    preference = (rows.kind, codes.is_random[rows.kind], -codes.every[rows.kind])
    identity = (rows.service_ns, rows.wait_ns, rows.root, codes.instance[rows.kind])
    return np.lexsort((*preference, *identity, rows.arrived_ns, rows.operator))


def drop_repeats(rows: TupleRows, tied: Integers, codes: Codes) -> tuple[TupleRows, int]:
    """The rows without the repeated copies among the rows in `tied`, and the number of copies that were dropped."""
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


def merge_part(cuts: Iterable[Cut], slicing: Slicing) -> Iterator[Pieces | RootSums]:
    """Yields, batch by batch, the measures of a task's part of the log and the sums of its root tuples."""
    with ExitStack() as stack:
        kinds, batches = gather_batches(stack, cuts, slicing)
        codes = make_codes(kinds)
        pending = Events(*(np.zeros(0, dtype) for dtype in (np.int64, np.int64, np.bool_)))
        for batch in batches:
            rows, repeated = drop_duplicates(batch.cut, codes, slicing)
            events = join_events([pending, *find_events(rows, slicing), find_late(batch.cut, codes)])
            is_later = events.at_ns >= batch.end_ns
            pending, events = events.where(is_later), events.where(~is_later)
            tables = measure_rows(rows, codes, slicing, is_cut=batch.is_cut)
            tables |= measure_events(events, rows, codes, slicing, is_cut=batch.is_cut)
            yield Pieces(codes.operators, codes.instances, codes.edges, tables, repeated)
            yield sum_roots(rows, codes)


def find_events(rows: TupleRows, slicing: Slicing) -> Iterator[Events]:
    """Yields the starts and finishes of services that lie in the same slice as the arrival of their record."""
    slices = number_slices(rows.arrived_ns, slicing)
    at = rows.arrived_ns
    for is_start, duration in ((True, rows.wait_ns), (False, rows.service_ns)):
        at = at + duration
        is_here = number_slices(at, slicing) == slices
        yield Events(rows.operator[is_here], at[is_here], np.full(int(is_here.sum()), is_start))


def find_late(cut: Cut, codes: Codes) -> Events:
    """The starts and finishes of records that arrived in an earlier slice, without duplicates."""
    late = cut.role != ARRIVAL
    kind, at, role = cut.kind[late], cut.at_ns[late], cut.role[late]
    identity = (
        codes.operator[kind],
        at,
        role,
        codes.instance[kind],
        cut.root[late],
        cut.wait_ns[late],
        cut.service_ns[late],
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
        "keys": measure_keys(rows, codes),
        "spans": thin_spans(rows, window, spots, is_cut=is_cut, most=MOST_SPANS // slicing.per_window),
    }


def measure_events(
    events: Events, rows: TupleRows, codes: Codes, slicing: Slicing, *, is_cut: bool
) -> dict[str, Table]:
    """The changes of the number of services under way, and as `tails` the starts and finishes after the last arrival.

    A log may end before its last services do.
    """
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
        "levels": measure_levels(events, number_slices(events.at_ns, slicing), slicing.window_ns),
        "tails": {"operator": tail.operator, "at_ns": tail.at_ns, "change": sign},
    }


def number_topologies(codes: Codes) -> Integers:
    """For each operator, the number of the topology that it belongs to."""
    found = np.zeros(len(codes.operators), dtype=np.int64)
    found[codes.operator] = codes.topology
    return found
