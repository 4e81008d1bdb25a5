"""The index of dispersion of arrivals: the variance over the mean of their counts in bins, for bins of growing
lengths.
"""

import numpy as np

from ingest.measuring.columns import Floats, Integers, Segments, cut_segments

SCALES = 14
FINEST = 20  # the shortest bin is a window / 2^20, the longest a window / 2^7
LEAST_BINS = 100


def find_bin_lengths(window_ns: int) -> Integers:
    """The lengths of bins in nanoseconds for a window; each is twice the length before."""
    return -(-window_ns >> FINEST) << np.arange(SCALES)


def sum_squares(offsets: Integers, spots: Segments, shortest_ns: Floats, window_ns: int) -> Floats:
    """The sum of the squared numbers of arrivals in bins, for each segment of rows and each length of bins.

    `offsets` are arrival times since the beginning of their window, in order. Bins shorter than half of all
    `shortest_ns` give NaN: bursts within one service time show in the SCV of gaps.
    """
    lengths = find_bin_lengths(window_ns)
    squares = np.full((len(spots.begins), SCALES), np.nan)
    if not len(offsets):
        return squares
    finest = min(SCALES - 1, int(np.searchsorted(lengths, shortest_ns.min() / 2)))
    spot, bins = spots.spread(np.arange(len(spots.begins))), offsets // lengths[finest]
    counts = np.ones(len(bins), dtype=np.int64)
    for scale in range(finest, SCALES):
        runs = cut_segments(spot, bins)
        spot, bins, counts = runs.first(spot), runs.first(bins) >> 1, runs.sum(counts)
        squares[:, scale] = np.bincount(spot, (counts * counts).astype(np.float64), len(squares))
    return squares


def find_dispersion(
    squares: Floats, tuples: Floats, covered_ns: Floats, shortest_ns: Floats, window_ns: int
) -> Floats:
    """The index of dispersion I(t) of each segment: variance over mean of the numbers of arrivals n in bins of length
    t.

    I(t) = Var N(t) / E N(t) = Σn²/Σn − Σn/bins. NaN where the covered time has fewer than LEAST_BINS bins, or bins are
    shorter than half of a service.
    """
    lengths = find_bin_lengths(window_ns)
    bins = covered_ns[:, None] / lengths
    with np.errstate(invalid="ignore"):
        found: Floats = squares / tuples[:, None] - tuples[:, None] / bins
        is_known = (bins >= LEAST_BINS) & (2 * lengths > shortest_ns[:, None]) & (tuples[:, None] >= 2)
    return np.where(is_known, np.maximum(found, 0.0), np.nan)
