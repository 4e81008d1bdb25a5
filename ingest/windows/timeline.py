"""Pieces of windows -> numbers of whole windows: gaps over the borders, services, levels and quantiles."""

from typing import NamedTuple

import numpy as np

from ingest.measuring.levels import choose_width
from ingest.measuring.measures import QUANTILES, SPANS
from ingest.measuring.pieces import Spots, group_by
from ingest.measuring.segments import Floats, Integers, Segments, cut_segments
from ingest.measuring.tables import Table, sort_by
from ingest.windows.presence import sum_at


def join_gaps(table: Table, owner: Integers, windows: Segments) -> Floats:
    """The SCV of the gaps of each window, from its pieces in order of time; NaN for fewer than two gaps or a mean of 0.

    A gap belongs to the window of its later tuple, wherever the earlier one is. Squares are joined about the common
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
    """The SCV of the services of each window."""
    tuples = windows.sum(table["tuples"])
    mean = windows.sum(table["service_ns"]) / tuples
    apart = table["tuples"] * (table["service_ns"] / table["tuples"] - windows.spread(mean)) ** 2
    return find_scv(windows.sum(table["service_squares"] + apart), mean, tuples)


def find_scv(squares: Floats, mean: Floats, count: Integers) -> Floats:
    """Population variance / mean², NaN below two values or for a mean of 0."""
    is_known = (count >= 2) & (mean > 0)
    divisor = np.where(is_known, count * mean**2, 1.0)
    return np.where(is_known, squares / divisor, np.nan)


class Busy(NamedTuple):
    """Services under way in each spot: the most at once, and the time in service up to the end of the log."""

    most: Integers
    busy_ns: Floats


def find_busy(levels: Table, tails: Table, spots: Spots, end_ns: Integers, window_ns: int) -> Busy:
    """Levels are counted from that at the beginning of the window, which is the sum of all changes before.

    `end_ns` is where the log ends, per operator (0: not known). Events behind it are in `tails`.
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
    """The integral of the changes after the limit."""
    left = window_ns - tails["at_ns"] % window_ns
    return sum_tail(tails, tails["change"] * left, spots, limit, window_ns)


def sum_tail(tails: Table, values: Integers, spots: Spots, limit: Integers, window_ns: int) -> Integers:
    """The sum of the values of those events of each spot that lie behind its limit."""
    key = spots.find(tails["operator"], tails["at_ns"] // window_ns)
    place = np.minimum(np.searchsorted(spots.key, key), len(spots.key) - 1)
    is_behind = (spots.key[place] == key) & (tails["at_ns"] >= limit[place])
    return sum_at(key[is_behind], values[is_behind], spots.key)


def join_quantiles(operators: Table, windows: Segments, spans: Table) -> dict[str, Floats]:
    """Quantiles of whole windows, in nanoseconds: those of the only piece, or found among the kept values of several.

    Of a large piece each kept value stands for `stride`: a rank is wrong by less than half of the sum of the strides.
    """
    names = [f"{span}_{label}" for span in SPANS for label in QUANTILES]
    found = {name: windows.first(operators[name]).astype(np.float64) for name in names}
    cut = np.flatnonzero(windows.sizes > 1)
    if not len(cut):
        return found
    kept, held = group_by(spans, "operator", "window")
    place = {
        pair: slice(begin, begin + size)
        for pair, begin, size in zip(
            zip(held.first(kept["operator"]).tolist(), held.first(kept["window"]).tolist(), strict=True),
            held.begins.tolist(),
            held.sizes.tolist(),
            strict=True,
        )
    }
    for window in cut.tolist():
        row = windows.begins[window]
        inside = place[int(operators["operator"][row]), int(operators["window"][row])]
        for span in SPANS:
            values = weigh_quantiles(kept[span][inside], kept["stride"][inside])
            for label, value in zip(QUANTILES, values, strict=True):
                found[f"{span}_{label}"][window] = value
    return found


def weigh_quantiles(values: Integers, strides: Integers) -> Floats:
    """Linear between neighbours; a value of stride s stands for s equal ones."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(strides[order])
    ranks = np.array(list(QUANTILES.values())) * (ends[-1] - 1)
    low, high = (values[order][np.searchsorted(ends, way(ranks), "right")] for way in (np.floor, np.ceil))
    interpolated: Floats = low + (high - low) * (ranks - np.floor(ranks))
    return interpolated
