"""Measures the records of each operator and window: totals, instances, edges, and the services under way."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.measuring.columns import (
    Codes,
    Column,
    Floats,
    Integers,
    Segments,
    Table,
    TupleRows,
    count_pairs,
    cut_segments,
    number_pairs,
    sort_by_code,
)
from ingest.measuring.dispersion import sum_squares

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
SPANS = ("wait", "sojourn")
MOST_SPANS = 10_000  # waits and sojourns that are kept for the quantiles of a window of several slices
BUCKETS_PER_OCTAVE = 8


def measure_operators(
    rows: TupleRows, window: Integers, spots: Segments, window_ns: int, *, is_cut: bool
) -> Table:
    """A table with one row per operator and window: counts, sums, squares, quantiles and dispersion."""
    served = spots.sum_exactly(rows.service_ns)
    # In other parts of the window, services may be shorter.
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
    """The sum of squared differences from the mean, Σ(x − m)², of the gaps between arrivals, for each segment
    of rows.
    """
    if not len(arrived):
        return np.zeros(0)
    gaps = np.diff(arrived, prepend=arrived[0])
    middle = (spots.last(arrived) - spots.first(arrived)) / np.maximum(spots.sizes - 1, 1)
    squares = (gaps - spots.spread(middle)) ** 2
    squares[spots.begins] = 0.0  # the gap before the first arrival does not count
    return spots.sum(squares)


def sort_within(values: Integers, spots: Segments) -> Integers:
    """The values sorted within each segment, while the segments keep their order."""
    ordered = values.copy()
    for begin, end in zip(spots.begins.tolist(), (spots.begins + spots.sizes).tolist(), strict=True):
        ordered[begin:end].sort()
    return ordered


def find_quantiles(rows: TupleRows, spots: Segments) -> Table:
    """The quantiles p50, p95 and p99 of waits and sojourns in nanoseconds, interpolated linearly as numpy does."""
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
    """A sample of the sorted waits and sojourns of windows that are read in several batches, for their quantiles.

    Every `stride`-th value is kept, and at most `most` of each operator and window.
    """
    stride = -(-spots.sizes // most)
    place = np.arange(len(rows.kind)) - spots.spread(spots.begins)
    is_kept = is_cut & (place % spots.spread(stride) == spots.spread(stride // 2))
    ordered = (sort_within(one, spots) for one in (rows.wait_ns, rows.wait_ns + rows.service_ns) if is_cut)
    waits, sojourns = ordered if is_cut else (rows.wait_ns, rows.wait_ns)
    columns = (rows.operator, window, waits, sojourns, spots.spread(stride))
    names = ("operator", "window", *SPANS, "stride")
    return {name: column[is_kept] for name, column in zip(names, columns, strict=True)}


def count_services(rows: TupleRows, window: Integers, spots: Segments) -> Table:
    """The histogram of service times of each operator and window, with BUCKETS_PER_OCTAVE buckets per doubling."""
    of_rows = spots.spread(np.arange(len(spots.begins)))
    spot, bucket, tuples = count_pairs(of_rows, find_buckets(rows.service_ns))
    return {
        "operator": spots.first(rows.operator)[spot],
        "window": spots.first(window)[spot],
        "bucket": bucket,
        "tuples": tuples,
    }


def find_buckets(nanos: Column, per_octave: int = BUCKETS_PER_OCTAVE) -> Integers:
    """The bucket number of each duration in nanoseconds, with `per_octave` buckets in each doubling of the duration."""
    bits = nanos.astype(np.float64).view(np.int64) >> (52 - per_octave.bit_length() + 1)
    return np.asarray(np.maximum(bits - (1023 * per_octave) + 1, 0))


def find_upper_ns(bucket: Integers, per_octave: int = BUCKETS_PER_OCTAVE) -> Floats:
    """The upper bound of a bucket in nanoseconds; 0 for bucket 0, which holds services that took no time."""
    octave, step = np.divmod(bucket, per_octave)
    return np.where(bucket > 0, np.ldexp(1.0 + step / per_octave, octave), 0.0)


def measure_instances(rows: TupleRows, window: Integers, spots: Segments, codes: Codes) -> Table:
    """A table with one row per instance and window: gaps between arrivals, service times, first start and last
    finish.
    """
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
    """The sum of service times of each segment, where each service counts for the number of tuples that it stands for.

    `every` is that number: n if one of n tuples was logged.
    """
    if (every == 1).all():
        return found.sum_exactly(services)
    return np.asarray(found.sum(services * every.astype(np.float64)))


def measure_edges(rows: TupleRows, window: Integers, spots: Segments, codes: Codes) -> Table:
    """A table with one row per operator, sender and window: the number of tuples, and the first and the last
    arrival.
    """
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


NONE = -(1 << 62)


class Events(NamedTuple):
    """Starts and finishes of services, each with its operator."""

    operator: Column
    at_ns: Column
    is_start: Column

    def where(self, chosen: NDArray[np.bool_]) -> "Events":
        return Events(*(column[chosen] for column in self))


def join_events(parts: list[Events]) -> Events:
    return Events(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def measure_levels(events: Events, slices: Integers, window_ns: int) -> Table:
    """How the number of services under way, called the level, changes within each slice of time, for each operator.

    `most` is the highest level above that at the beginning of the slice, `net` the change until its end, `area_ns` the
    integral of the change until the end of the window. Of equal times a finish counts before a start: the two services
    do not overlap.
    """
    window = events.at_ns // window_ns
    offset = events.at_ns - window * window_ns
    order = sort_events(events, window, offset)
    operator, window, slices = events.operator[order], window[order], slices[order]
    is_start, offset = events.is_start[order], offset[order]
    change = np.where(is_start, 1, -1)
    spots = cut_segments(operator, slices)
    if not len(order):
        names = ("operator", "window", "first_ns", "most", "net", "area_ns")
        return dict.fromkeys(names, change)
    level = np.cumsum(change)
    level -= spots.spread(spots.first(level - change))
    # A level counts after a start, and at the beginning of a slice after the last finish there.
    is_last = np.append(
        (offset[1:] > 0) | is_start[1:] | (np.diff(slices) != 0) | (np.diff(operator) != 0), True
    )
    counts = is_start | ((offset == 0) & is_last)
    most = spots.max(np.where(counts, level, NONE))
    width = choose_width(int(np.abs(level).max()), window_ns)
    return {
        "operator": spots.first(operator),
        "window": spots.first(window),
        "first_ns": spots.first(events.at_ns[order]),
        "most": np.where(spots.first(offset) > 0, np.maximum(most, 0), most),
        "net": spots.sum(change),
        "area_ns": spots.sum(change.astype(width) * (window_ns - offset)),
    }


def sort_events(events: Events, window: Integers, offset: Integers) -> Integers:
    """The order of events by operator, window and time; the three are packed into one integer if they fit, for
    speed.
    """
    time = offset * 2 + events.is_start
    if len(time):
        first = int(window.min())
        spot = events.operator * (int(window.max()) - first + 1) + window - first
        bits = int(time.max()).bit_length()
        if int(spot.max()) < 1 << (63 - bits):
            return np.argsort((spot << bits) | time, kind="stable")
    return np.lexsort((time, window, events.operator))


def choose_width(level: int, window_ns: int) -> type[np.generic]:
    """The number type for the product of level and time: 100,000 services under way for a day overflow 64 bits
    of nanoseconds.
    """
    return np.int64 if (level + 1) * window_ns < 1 << 62 else np.longdouble
