"""Joins the measures of parts of windows into whole windows: gaps, services, quantiles and instances present."""

from typing import NamedTuple

import numpy as np

from ingest.measuring.columns import Floats, Integers, Segments, Table, cut_segments, sort_by
from ingest.measuring.measures import QUANTILES, SPANS, choose_width
from ingest.measuring.pieces import Spots, group_by

# An instance that is silent for longer counts as absent: shifts end, and the names return the next day.
IDLE_NS = 3600 * 1_000_000_000
# If silences are exponential, one in 150 is longer than five times their mean.
LONG_SILENCES = 5
PRESENT, MOST_BUSY, NAMES_SEEN = "present", "most-busy", "names-seen"


class Sessions(NamedTuple):
    """The sessions of instances, which are times without a silence longer than IDLE_NS.

    Each has its first start, its last finish and its mean silence (`pad_ns`).
    """

    operator: Integers
    begun_ns: Integers
    ended_ns: Integers
    pad_ns: Integers


def find_sessions(instances: Table) -> Sessions:
    """Finds the sessions of all instances.

    A session of one tuple gets the operator's mean silence as its pad, or half of IDLE_NS if no session of the operator
    has two tuples. No pad exceeds half of IDLE_NS, so that two sessions of one instance never overlap.
    """
    table, segments = group_by(instances, "instance", "window")
    begun, ended = segments.min(table["begun_ns"]), segments.max(table["ended_ns"])
    owner, operator = segments.first(table["instance"]), segments.first(table["operator"])
    tuples, served = segments.sum(table["tuples"]), segments.sum(table["service_ns"])
    latest = accumulate_maximum(ended, cut_segments(owner))
    is_new = np.append(True, (owner[1:] != owner[:-1]) | (begun[1:] - latest[:-1] > IDLE_NS))
    sessions = cut_segments(np.cumsum(is_new))
    begun, ended = sessions.min(begun), sessions.max(ended)
    tuples, operator = sessions.sum(tuples), sessions.first(operator)
    silence = np.where(tuples > 1, np.maximum(ended - begun - sessions.sum(served), 0.0), 0.0)
    silences = np.maximum(tuples - 1, 0)
    of_operator = cut_segments(operator)  # instances are in order of their operators
    gaps = of_operator.spread(of_operator.sum(silences))
    usual = np.where(
        gaps > 0, of_operator.spread(of_operator.sum(silence)) / np.maximum(gaps, 1), IDLE_NS // 2
    )
    pad = np.where(silences > 0, silence / np.maximum(silences, 1), usual)
    return Sessions(operator, begun, ended, np.minimum(pad, IDLE_NS // 2).astype(np.int64))


def accumulate_maximum(values: Integers, segments: Segments) -> Integers:
    """The running maximum within each segment of values.

    It is computed on ranks, which stay small with an offset per segment.
    """
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    offset = segments.spread(np.arange(len(segments.begins))) * len(values)
    found: Integers = values[order[np.maximum.accumulate(rank + offset) - offset]]
    return found


def clip_sessions(sessions: Sessions, begin_ns: Integers, end_ns: Integers) -> tuple[Integers, Integers]:
    """The beginning and the end of each session within the covered time.

    An instance is idle before its first and after its last tuple: a session is extended by its mean silence at both
    ends, or up to the log's beginning or end if that is at most LONG_SILENCES mean silences away.
    """
    near = np.minimum(sessions.pad_ns * LONG_SILENCES, IDLE_NS // 2)
    is_early, is_late = sessions.begun_ns - near <= begin_ns, sessions.ended_ns + near >= end_ns
    begun = np.where(is_early, begin_ns, sessions.begun_ns - sessions.pad_ns)
    ended = np.where(is_late, end_ns, sessions.ended_ns + sessions.pad_ns)
    begun = np.maximum(begun, begin_ns)  # a session after the end of the log is empty, and in no window of it
    return begun, np.maximum(np.minimum(ended, end_ns), begun)


def count_present(
    instances: Table, spots: Spots, begin_ns: Integers, end_ns: Integers, window_ns: int
) -> tuple[Integers, Integers]:
    """For each operator and window: the sum of the times in which its instances were present, and their number.

    `begin_ns` and `end_ns` are the covered time per operator; if it is unknown, the results have no meaning.
    """
    sessions = find_sessions(instances)
    begun, ended = clip_sessions(sessions, begin_ns[sessions.operator], end_ns[sessions.operator])
    come, gone = (spots.find(sessions.operator, at // window_ns) for at in (begun, ended))
    before = count_smaller(come, spots.key) - count_smaller(gone, spots.key)
    time = sum_at(come, window_ns - begun % window_ns, spots.key) - sum_at(
        gone, window_ns - ended % window_ns, spots.key
    )
    return before * window_ns + time, before + sum_at(come, np.ones(len(come), dtype=np.int64), spots.key)


def count_smaller(values: Integers, keys: Integers) -> Integers:
    """For each key, the number of values that are smaller than the key."""
    return np.searchsorted(np.sort(values), keys)


def sum_at(values: Integers, weights: Integers, keys: Integers) -> Integers:
    """For each key, the sum of the weights of the values that equal the key."""
    order = np.argsort(values, kind="stable")
    sums = np.append(0, np.cumsum(weights[order]))
    ordered = values[order]
    found: Integers = sums[np.searchsorted(ordered, keys, "right")] - sums[np.searchsorted(ordered, keys)]
    return found


def choose_processors(
    instances: Integers, present: Floats, names: Integers, most_busy: Integers
) -> tuple[Integers, list[str]]:
    """The processors to plan with, and which of three numbers they are; `present` is NaN if unknown.

    1. `present`: the mean number of instances present, rounded.
    2. `most-busy`: the maximum of services under way, if it exceeds the number of instances present at any time; a name
       then stands for several processors.
    3. `names-seen`: the number of instance names, if the covered time is unknown.

    The maximum of services is not compared with the mean of 1: at a change of shift an instance finishes its tuple
    beside its successor, and counting both would add a processor and make the predicted wait four times shorter.
    """
    is_known = ~np.isnan(present)
    is_several = is_known & (most_busy > names)
    rounded = np.maximum(np.floor(np.where(is_known, present, 0.0) + 0.5), 1).astype(np.int64)
    chosen = np.where(is_several, most_busy, np.where(is_known, rounded, instances))
    basis = np.where(is_several, MOST_BUSY, np.where(is_known, PRESENT, NAMES_SEEN))
    return chosen, basis.tolist()


def join_gaps(table: Table, owner: Integers, windows: Segments) -> Floats:
    """The SCV of the gaps of each window, from its pieces in order of time; NaN for fewer than two gaps or a mean of 0.

    A gap belongs to the window of its later tuple. Squares are joined about the common
    mean: Σ(x−m)² = Σᵢ Σ(x−mᵢ)² + Σᵢ nᵢ(mᵢ−m)² (Chan, Golub, LeVeque 1979).
    """
    inner = table["tuples"] - 1
    span = table["last_ns"] - table["first_ns"]
    has_before = np.append(False, owner[1:] == owner[:-1])
    border = np.where(has_before, table["first_ns"] - np.append(0, table["last_ns"][:-1]), 0)
    count = windows.sum(inner + has_before)
    total = windows.sum(span + border)
    mean = total / np.maximum(count, 1)
    center = windows.spread(mean)
    apart = inner * (span / np.maximum(inner, 1) - center) ** 2 + has_before * (border - center) ** 2
    return find_scv(windows.sum(table["gap_squares"] + apart), mean, count)


def join_services(table: Table, windows: Segments) -> Floats:
    """The SCV (squared coefficient of variation) of the service times of each window."""
    tuples = windows.sum(table["tuples"])
    mean = windows.sum(table["service_ns"]) / tuples
    apart = table["tuples"] * (table["service_ns"] / table["tuples"] - windows.spread(mean)) ** 2
    return find_scv(windows.sum(table["service_squares"] + apart), mean, tuples)


def find_scv(squares: Floats, mean: Floats, count: Integers) -> Floats:
    """The squared coefficient of variation: population variance / mean²; NaN for fewer than two values or a
    mean of 0.
    """
    is_known = (count >= 2) & (mean > 0)
    divisor = np.where(is_known, count * mean**2, 1.0)
    return np.where(is_known, squares / divisor, np.nan)


class Busy(NamedTuple):
    """The services under way of each operator and window: the most at once, and the time spent in service."""

    most: Integers
    busy_ns: Floats


def find_busy(levels: Table, tails: Table, spots: Spots, end_ns: Integers, window_ns: int) -> Busy:
    """The services under way of each operator and window.

    Their number at the beginning of a window is the sum of all earlier changes.

    `end_ns` is the end of the log per operator (0: unknown). Events after it are in `tails`.
    """
    table = sort_by(levels, "operator", "window", "first_ns")
    key = spots.find(table["operator"], table["window"])
    level = np.append(0, np.cumsum(table["net"]))
    of_operator = level[np.searchsorted(table["operator"], spots.operator)]
    begin, end = np.searchsorted(key, spots.key), np.searchsorted(key, spots.key, "right")
    carried = level[begin] - of_operator
    peaks = cut_segments(key).max(level[:-1] + table["most"])
    place = np.searchsorted(key[cut_segments(key).begins], spots.key).clip(max=len(peaks) - 1)
    most = np.where(end > begin, peaks[place] - of_operator, carried)
    window_end = (spots.window + 1) * window_ns
    known_end = end_ns[spots.operator]
    limit = np.where(known_end > 0, np.minimum(window_end, known_end), window_end)
    wide = choose_width(max(int(np.abs(carried).max()), int(most.max())), window_ns)
    tails = tails | {"change": tails["change"].astype(wide)}
    area = sum_at(key, table["area_ns"].astype(wide), spots.key) - cut_areas(tails, spots, limit, window_ns)
    net = (level[end] - level[begin]).astype(wide) - sum_tail(tails, tails["change"], spots, limit, window_ns)
    busy = carried.astype(wide) * (limit - spots.window * window_ns) + area - net * (window_end - limit)
    return Busy(most, busy.astype(np.float64))


def cut_areas(tails: Table, spots: Spots, limit: Integers, window_ns: int) -> Integers:
    """For each operator and window, the integral of the changes of services under way after the end of the log."""
    left = window_ns - tails["at_ns"] % window_ns
    return sum_tail(tails, tails["change"] * left, spots, limit, window_ns)


def sum_tail(tails: Table, values: Integers, spots: Spots, limit: Integers, window_ns: int) -> Integers:
    """For each operator and window, the sum of the values of its starts and finishes after its limit."""
    key = spots.find(tails["operator"], tails["at_ns"] // window_ns)
    place = np.minimum(np.searchsorted(spots.key, key), len(spots.key) - 1)
    is_after = (spots.key[place] == key) & (tails["at_ns"] >= limit[place])
    return sum_at(key[is_after], values[is_after], spots.key)


def join_quantiles(operators: Table, windows: Segments, spans: Table) -> dict[str, Floats]:
    """Quantiles of whole windows in nanoseconds: of the only piece, or from the kept values of several pieces.

    In a large piece each kept value stands for `stride` values: ranks are wrong by under half of the sum of strides.
    """
    names = [f"{span}_{label}" for span in SPANS for label in QUANTILES]
    found = {name: windows.first(operators[name]).astype(np.float64) for name in names}
    cut = np.flatnonzero(windows.sizes > 1)
    if not len(cut):
        return found
    kept, held = group_by(spans, "operator", "window")
    firsts = (held.first(kept[name]).tolist() for name in ("operator", "window"))
    ranges = zip(*firsts, held.begins.tolist(), held.sizes.tolist(), strict=True)
    place = {(operator, at): slice(begin, begin + size) for operator, at, begin, size in ranges}
    for window in cut.tolist():
        row = windows.begins[window]
        inside = place[int(operators["operator"][row]), int(operators["window"][row])]
        for span in SPANS:
            values = weigh_quantiles(kept[span][inside], kept["stride"][inside])
            for label, value in zip(QUANTILES, values, strict=True):
                found[f"{span}_{label}"][window] = value
    return found


def weigh_quantiles(values: Integers, strides: Integers) -> Floats:
    """The quantiles of a sample, interpolated linearly; a value with stride s counts as s equal values,
    because it stands for s.
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(strides[order])
    ranks = np.array(list(QUANTILES.values())) * (ends[-1] - 1)
    low, high = (values[order][np.searchsorted(ends, way(ranks), "right")] for way in (np.floor, np.ceil))
    interpolated: Floats = low + (high - low) * (ranks - np.floor(ranks))
    return interpolated
