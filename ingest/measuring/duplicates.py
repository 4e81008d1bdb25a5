"""The records of a batch, each once, in an order that does not depend on the order of files."""

import numpy as np

from ingest.measuring.bounded_batches import RecordBatch
from ingest.measuring.cuts import ARRIVAL, Slicing, number_slices
from ingest.measuring.rows import Codes, TupleRows
from ingest.measuring.segments import Integers, cut_segments, number_pairs, sort_by_code


def drop_duplicates(batch: RecordBatch, codes: Codes, slicing: Slicing) -> tuple[TupleRows, int]:
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
