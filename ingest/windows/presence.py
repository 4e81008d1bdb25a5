"""How many instances of an operator could serve in a window: those present, not only those that served a tuple."""

from typing import NamedTuple

import numpy as np

from ingest.measuring.pieces import Spots, group_by
from ingest.measuring.segments import Floats, Integers, Segments, cut_segments
from ingest.measuring.tables import Table

# An instance that is silent for longer counts as absent meanwhile: shifts end, and names come back the next day.
IDLE_NS = 3600 * 1_000_000_000
# If silences are exponential, one in 150 is longer than five times their mean.
LONG_SILENCES = 5
PRESENT, MOST_BUSY, NAMES_SEEN = "present", "most-busy", "names-seen"


class Sessions(NamedTuple):
    """Stretches of an instance between silences longer than IDLE_NS: first start, last finish, mean silence (pad)."""

    operator: Integers
    begun_ns: Integers
    ended_ns: Integers
    pad_ns: Integers


def find_sessions(instances: Table) -> Sessions:
    """A session of one tuple gets the operator's mean silence, or half of IDLE_NS where no instance served two tuples.

    No pad is longer than half of IDLE_NS, so that two sessions of one instance never overlap.
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
    own = np.where(silences > 0, silence / np.maximum(silences, 1), usual)
    return Sessions(operator, begun, ended, np.minimum(own, IDLE_NS // 2).astype(np.int64))


def accumulate_maximum(values: Integers, segments: Segments) -> Integers:
    """The maximum of all values of the segment so far, by ranks, which are small enough to be offset by segment."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    offset = segments.spread(np.arange(len(segments.begins))) * len(values)
    found: Integers = values[order[np.maximum.accumulate(rank + offset) - offset]]
    return found


def clip_sessions(sessions: Sessions, begin_ns: Integers, end_ns: Integers) -> tuple[Integers, Integers]:
    """The beginning and the end of each session within the time covered.

    An instance is idle before its first and after its last tuple: a session is extended by its mean silence at both
    ends, and up to the log's beginning or end if that is no further away than LONG_SILENCES mean silences.
    """
    near = np.minimum(sessions.pad_ns * LONG_SILENCES, IDLE_NS // 2)
    is_early, is_late = sessions.begun_ns - near <= begin_ns, sessions.ended_ns + near >= end_ns
    begun = np.where(is_early, begin_ns, sessions.begun_ns - sessions.pad_ns)
    ended = np.where(is_late, end_ns, sessions.ended_ns + sessions.pad_ns)
    begun = np.maximum(
        begun, begin_ns
    )  # one that begins after the log is no time there, and in no window of it
    return begun, np.maximum(np.minimum(ended, end_ns), begun)


def count_present(
    instances: Table, spots: Spots, begin_ns: Integers, end_ns: Integers, window_ns: int
) -> tuple[Integers, Integers]:
    """Per spot: the sum over all instances of the time present, and the number of instances present at any time.

    `begin_ns` and `end_ns` are the time covered, per operator; the numbers mean nothing where it is not known.
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
    """How many of the values are smaller than each key."""
    return np.searchsorted(np.sort(values), keys)


def sum_at(values: Integers, weights: Integers, keys: Integers) -> Integers:
    """The sum of the weights of the values that equal each key."""
    order = np.argsort(values, kind="stable")
    sums = np.append(0, np.cumsum(weights[order]))
    ordered = values[order]
    found: Integers = sums[np.searchsorted(ordered, keys, "right")] - sums[np.searchsorted(ordered, keys)]
    return found


def choose_processors(
    instances: Integers, present: Floats, names: Integers, most_busy: Integers
) -> tuple[Integers, list[str]]:
    """How many processors to plan with, and which of three numbers that is; `present` is NaN where it is not known.

    1. `present`: the mean number of instances present, rounded.
    2. `most-busy`: the maximum of services under way, where it exceeds the number of instances present at any time; a
       name then stands for several processors.
    3. `names-seen`: the names seen, where the covered time is not known.

    The maximum of services is not compared with the mean of 1: at a change of shift an instance finishes its tuple
    beside its successor, and counting both would add a processor and make the predicted wait four times shorter.
    """
    is_known = ~np.isnan(present)
    is_several = is_known & (most_busy > names)
    rounded = np.maximum(np.floor(np.where(is_known, present, 0.0) + 0.5), 1).astype(np.int64)
    chosen = np.where(is_several, most_busy, np.where(is_known, rounded, instances))
    basis = np.where(is_several, MOST_BUSY, np.where(is_known, PRESENT, NAMES_SEEN))
    return chosen, basis.tolist()
