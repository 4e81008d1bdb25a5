"""What is measured of the records of each operator and window, of its instances and of its edges."""

import numpy as np

from ingest.measuring.dispersion import sum_squares
from ingest.measuring.rows import Codes, TupleRows
from ingest.measuring.segments import (
    Column,
    Floats,
    Integers,
    Segments,
    count_pairs,
    cut_segments,
    number_pairs,
    sort_by_code,
)
from ingest.measuring.tables import Table

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
SPANS = ("wait", "sojourn")
MOST_SPANS = 10_000  # values kept of the slices of a window, to find the quantiles of the whole window
BUCKETS_PER_OCTAVE = 8


def measure_operators(
    rows: TupleRows, window: Integers, spots: Segments, window_ns: int, *, is_cut: bool
) -> Table:
    """One row per operator and window: counts, sums, squares, quantiles and dispersion."""
    served = spots.sum_exactly(rows.service_ns)
    # Services may be shorter in other parts of the window.
    shortest = served / np.maximum(spots.sizes, 1) / (8 if is_cut else 1)
    offsets = rows.arrived_ns - window * window_ns
    return {
        "operator": spots.first(rows.operator),
        "window": spots.first(window),
        "tuples": spots.sizes,
        "first_ns": spots.first(rows.arrived_ns),
        "last_ns": spots.last(rows.arrived_ns),
        "gap_squares": square_gaps(rows.arrived_ns, spots),
        "wait_ns": spots.sum_exactly(rows.wait_ns),
        "service_ns": served,
        "service_squares": spots.square(rows.service_ns),
        "bin_squares": sum_squares(offsets, spots, shortest, window_ns),
        **find_quantiles(rows, spots),
    }


def square_gaps(arrived: Integers, spots: Segments) -> Floats:
    """Σ(x − m)² of the gaps between the arrivals of each segment."""
    if not len(arrived):
        return np.zeros(0)
    gaps = np.diff(arrived, prepend=arrived[0])
    middle = (spots.last(arrived) - spots.first(arrived)) / np.maximum(spots.sizes - 1, 1)
    squares = (gaps - spots.spread(middle)) ** 2
    squares[spots.begins] = 0.0  # the gap before the first arrival is not one of these
    return spots.sum(squares)


def sort_within(values: Integers, spots: Segments) -> Integers:
    """The values of each segment in order."""
    ordered = values.copy()
    for begin, end in zip(spots.begins.tolist(), (spots.begins + spots.sizes).tolist(), strict=True):
        ordered[begin:end].sort()
    return ordered


def find_quantiles(rows: TupleRows, spots: Segments) -> Table:
    """p50, p95, p99 of waits and sojourns in nanoseconds, linear between neighbours as numpy's default."""
    found: Table = {}
    for span, values in zip(SPANS, (rows.wait_ns, rows.wait_ns + rows.service_ns), strict=True):
        ordered = sort_within(values, spots)
        for label, fraction in QUANTILES.items():
            rank = fraction * (spots.sizes - 1)
            low, high = (ordered[spots.begins + way(rank).astype(np.int64)] for way in (np.floor, np.ceil))
            found[f"{span}_{label}"] = low + (high - low) * (rank - np.floor(rank))
    return found


def thin_spans(
    rows: TupleRows, window: Integers, spots: Segments, *, is_cut: bool, most: int = MOST_SPANS
) -> Table:
    """Of a part of a window, the middle of each `stride` sorted waits and sojourns: at most `most` of each."""
    stride = -(-spots.sizes // most)
    place = np.arange(len(rows.kind)) - spots.spread(spots.begins)
    is_kept = is_cut & (place % spots.spread(stride) == spots.spread(stride // 2))
    ordered = (sort_within(one, spots) for one in (rows.wait_ns, rows.wait_ns + rows.service_ns) if is_cut)
    waits, sojourns = ordered if is_cut else (rows.wait_ns, rows.wait_ns)
    columns = (rows.operator, window, waits, sojourns, spots.spread(stride))
    names = ("operator", "window", *SPANS, "stride")
    return {name: column[is_kept] for name, column in zip(names, columns, strict=True)}


def count_services(rows: TupleRows, window: Integers, spots: Segments) -> Table:
    """The histogram of services: BUCKETS_PER_OCTAVE buckets from one power of two nanoseconds to the next."""
    of_rows = spots.spread(np.arange(len(spots.begins)))
    spot, bucket, tuples = count_pairs(of_rows, find_buckets(rows.service_ns))
    return {
        "operator": spots.first(rows.operator)[spot],
        "window": spots.first(window)[spot],
        "bucket": bucket,
        "tuples": tuples,
    }


def find_buckets(nanos: Column, per_octave: int = BUCKETS_PER_OCTAVE) -> Integers:
    """The number of each value's bucket: the exponent and the first bits of the fraction of a double."""
    bits = nanos.astype(np.float64).view(np.int64) >> (52 - per_octave.bit_length() + 1)
    return np.asarray(np.maximum(bits - (1023 * per_octave) + 1, 0))


def find_upper_ns(bucket: Integers, per_octave: int = BUCKETS_PER_OCTAVE) -> Floats:
    """The upper bound of a bucket; that of bucket 0, which holds services of no time, is 0."""
    octave, step = np.divmod(bucket, per_octave)
    return np.where(bucket > 0, np.ldexp(1.0 + step / per_octave, octave), 0.0)


def measure_instances(rows: TupleRows, window: Integers, spots: Segments, codes: Codes) -> Table:
    """One row per instance and window: its gaps, its services, its first start and its last finish."""
    instance = codes.instance[rows.kind]
    order = sort_by_code(number_pairs(spots.spread(np.arange(len(spots.begins))), instance))
    rows, instance, window = rows.take(order), instance[order], window[order]
    found = cut_segments(instance, rows.slice)
    every, started = codes.every[rows.kind], rows.arrived_ns + rows.wait_ns
    return {
        "instance": found.first(instance),
        "operator": found.first(rows.operator),
        "window": found.first(window),
        "tuples": found.sizes,
        "first_ns": found.first(rows.arrived_ns),
        "last_ns": found.last(rows.arrived_ns),
        "gap_squares": square_gaps(rows.arrived_ns, found),
        "weight": found.sum(every),
        "service_ns": found.sum_exactly(rows.service_ns),
        "busy_ns": weigh(rows.service_ns, every, found),
        "begun_ns": found.min(started),
        "ended_ns": found.max(started + rows.service_ns),
    }


def weigh(services: Integers, every: Integers, found: Segments) -> Floats:
    """Σ service × sample_every."""
    if (every == 1).all():
        return found.sum_exactly(services)
    return np.asarray(found.sum(services * every.astype(np.float64)))


def measure_edges(rows: TupleRows, window: Integers, spots: Segments, codes: Codes) -> Table:
    """One row per operator, upstream operator and window."""
    edge = codes.edge[rows.kind]
    order = sort_by_code(number_pairs(spots.spread(np.arange(len(spots.begins))), edge))
    edge, kind, window, arrived = edge[order], rows.kind[order], window[order], rows.arrived_ns[order]
    found = cut_segments(edge, rows.slice[order])
    is_sampled = codes.every[kind] > 1
    return {
        "edge": found.first(edge),
        "operator": found.first(rows.operator[order]),
        "window": found.first(window),
        "tuples": found.sizes,
        "weight": found.sum(codes.every[kind]),
        "sampled": found.sum(is_sampled.astype(np.int64)),
        "thinned": found.sum((is_sampled & (codes.is_random[kind] > 0)).astype(np.int64)),
        "first_ns": found.first(arrived),
        "last_ns": found.last(arrived),
    }
