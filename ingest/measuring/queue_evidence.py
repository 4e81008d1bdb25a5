"""Evidence of a queue per instance: whether tuples wait beside idle instances, and how evenly instances receive them.

A batch gives a sample of up to MOST_SAMPLED tuples, a large batch a quarter of that: the first FEWEST_SAMPLED or more
of each operator and window, or of every n-th pair. An instance is fully known between its first start and its last
finish in the sample.
"""

from typing import NamedTuple

import numpy as np

from ingest.measuring.columns import (
    Codes,
    Column,
    Integers,
    Segments,
    Table,
    TupleRows,
    cut_segments,
    number_pairs,
    sort_by_code,
)

FEWEST_SAMPLED, MOST_SAMPLED = 512, 65_536
MOST_NS = 1 << 62
BLOCK = 64  # successive tuples, of which the share of each instance is counted
# A wait or silence below this part of a mean service is no evidence: handing over a tuple takes some time.
HAND_OVER = 0.1
COUNTS = (
    "known",
    "explained",
    "waiting",
    "waiting_explained",
    "untied",
    "beside_idle",
    "expected",
    "tied_beside_idle",
    "tied_expected",
    "halted_ns",
    "length_ns",
    "unevenness",
    "freedom",
)


class Stretch(NamedTuple):
    """The sampled tuples by operator and window, instance and arrival; `group` numbers the instances.

    Times are nanoseconds since the beginning of the stretch.
    """

    spot: Integers
    group: Integers
    place: Integers
    arrived: Integers
    started: Integers
    finished: Integers
    is_tied: Column


def measure_queues(rows: TupleRows, window: Integers, spots: Segments, codes: Codes) -> Table:
    """For each operator and window with several instances and a complete log, the sums that are named in COUNTS."""
    stretch, chosen = choose_stretches(rows, spots, codes)
    count = len(chosen)
    sums = {name: np.zeros(count) for name in COUNTS}
    instances = chosen * 0
    if count:
        sums |= count_waits(stretch, count) | count_dealt(stretch, count)
        owner = stretch.spot[np.diff(stretch.group, prepend=-1) > 0]
        instances = np.bincount(owner, minlength=count)
    places = spots.begins[chosen]
    return {"operator": rows.operator[places], "window": window[places], "instances": instances, **sums}


def choose_stretches(rows: TupleRows, spots: Segments, codes: Codes) -> tuple[Stretch, Integers]:
    """Samples stretches of tuples; returns the tuples with the segments that they were taken from."""
    most = max(MOST_SAMPLED - len(rows.kind) // 8, MOST_SAMPLED // 4)
    sizes = np.minimum(spots.sizes, max(FEWEST_SAMPLED, most // max(len(spots.sizes), 1)))
    picked = np.arange(0, len(sizes), -(-int(sizes.sum()) // most) or 1)
    sizes, begins = sizes[picked], spots.begins[picked]
    ends = np.cumsum(sizes)
    place = np.arange(int(sizes.sum())) - np.repeat(ends - sizes, sizes)
    row = np.repeat(begins, sizes) + place
    kind = rows.kind[row]
    sampled = Segments(ends - sizes, sizes)
    instance = codes.instance[kind]
    is_usable = sampled.min(instance) < sampled.max(instance)
    is_usable &= sampled.max(codes.every[kind]) == 1
    is_usable &= sampled.sum(rows.service_ns[row]) > 0
    chosen = np.flatnonzero(is_usable)
    spot = np.repeat(np.cumsum(is_usable) - 1, sizes)
    kept = np.repeat(is_usable, sizes)
    row, spot, place, instance = row[kept], spot[kept], place[kept], instance[kept]
    arrived = rows.arrived_ns[row]
    is_same = (np.diff(arrived) == 0) & (np.diff(spot) == 0)
    is_tied = np.append(is_same, False) | np.append(False, is_same) if len(row) else is_same
    arrived = arrived - rows.arrived_ns[begins[chosen]][spot] if len(row) else arrived
    started = arrived + rows.wait_ns[row]
    group = number_pairs(spot, instance)
    order = sort_by_code(group)
    columns = (spot, group, place, arrived, started, started + rows.service_ns[row], is_tied)
    return Stretch(*(column[order] for column in columns)), picked[chosen]


def count_waits(stretch: Stretch, count: int) -> Table:
    """Counts the tuples of a stretch that waited, and those of them that waited while another instance was idle.

    An instance that serves in order starts a tuple when the tuple arrives or when the instance finishes the tuple
    before it. Waits that this rule does not explain (`explained`) mean missing records, or an instance that serves
    several tuples at once. `expected` is the number of waits beside an idle instance if tuples chose instances at
    random. `halted_ns` is the time in which instances had a tuple but did not serve.
    """
    spot, arrived, started, finished = stretch.spot, stretch.arrived, stretch.started, stretch.finished
    served = np.bincount(spot, finished - started, count)
    margin = (HAND_OVER * served / np.bincount(spot, minlength=count)).astype(np.int64)[spot]
    is_first = np.append(True, np.diff(stretch.group) > 0)
    is_last = np.append(is_first[1:], True)
    free = np.append(0, finished[:-1])
    is_known = ~is_first
    late = started - np.maximum(arrived, free)
    is_explained = is_known & (np.abs(late) <= margin)
    is_waiting = is_known & (started - arrived > margin)
    freed = find_freed(stretch, margin, late)
    busy, present = count_busy(stretch, freed, is_first, is_last)
    is_open = is_known & (busy >= 1) & (present > busy)
    chance = np.where(is_open, busy / np.maximum(present, 1), 0.0)
    tied = stretch.is_tied
    counted = {
        "known": is_known,
        "explained": is_explained,
        "waiting": is_waiting,
        "waiting_explained": is_waiting & is_explained,
        "untied": is_waiting & ~tied,
        "beside_idle": is_waiting & is_open & ~tied,
        "expected": chance * ~tied,
        "tied_beside_idle": is_waiting & is_open & tied,
        "tied_expected": chance * tied,
        "halted_ns": np.where(is_known & (late > margin), late, 0),
    }
    length = cut_segments(spot).max(arrived).astype(float)
    return {name: np.bincount(spot, values, count) for name, values in counted.items()} | {
        "length_ns": length
    }


def find_freed(stretch: Stretch, margin: Integers, late: Integers) -> Integers:
    """The time at which each instance becomes free for its next tuple; an instance that starts late was halted
    until then.
    """
    following = np.append(stretch.started[1:], 0)
    is_halted = np.append(late[1:] > margin[1:], False)
    freed = np.where(is_halted, following, np.minimum(stretch.finished + margin, following))
    is_last = np.append(np.diff(stretch.group) > 0, True)
    return np.where(is_last, stretch.finished, freed)


def count_busy(
    stretch: Stretch, freed: Integers, is_first: Column, is_last: Column
) -> tuple[Integers, Integers]:
    """For each arrival, the number of instances that serve another tuple, and the number of instances whose
    state is known.
    """
    width = int(stretch.finished.max()) + 1
    if width > MOST_NS // (int(stretch.spot[-1]) + 1):
        return stretch.spot * 0, stretch.spot * 0  # services of such a length leave no usable sample
    base = stretch.spot * width

    def count(times: Integers, side: str) -> Integers:
        at = base + stretch.arrived
        return np.searchsorted(np.sort(times), at, "right" if side == "until" else "left")

    busy = count(base + stretch.started, "until") - count(base + freed, "until")
    come = (base + stretch.started)[is_first]
    gone = (base + stretch.finished)[is_last]
    present = count(come, "until") - count(gone, "before")
    return busy - (stretch.started == stretch.arrived), present


def count_dealt(stretch: Stretch, count: int) -> Table:
    """How evenly tuples are dealt to instances: the sum of χ² over blocks of tuples, and its degrees of freedom.

    For a block of n tuples and k instances, χ² = Σₓ (nₓ − n/k)² k/n, where instance x gets nₓ tuples. If tuples choose
    at random, the mean of χ² is its degrees of freedom. Both are 0 where an instance starts or stops within the sample.
    """
    groups = cut_segments(stretch.group)
    owner = groups.first(stretch.spot)
    size = np.bincount(stretch.spot, minlength=count)
    is_there = (3 * groups.first(stretch.place) <= size[owner]) & (
        3 * groups.last(stretch.place) >= 2 * size[owner]
    )
    instances = np.bincount(owner, minlength=count)
    is_steady = np.bincount(owner, is_there, count) == instances
    blocks = np.where(is_steady, size // BLOCK, 0)
    inside = stretch.place < BLOCK * blocks[stretch.spot]
    cells = cut_segments(stretch.group[inside], stretch.place[inside] // BLOCK)
    squares = np.bincount(cells.first(stretch.spot[inside]), cells.sizes.astype(float) ** 2, count)
    return {
        "unevenness": np.where(blocks > 0, squares * instances / BLOCK - blocks * BLOCK, 0.0),
        "freedom": (blocks * (instances - 1)).astype(float),
    }
