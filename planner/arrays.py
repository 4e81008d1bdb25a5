"""The types of the planner's arrays, named by their contents, and the mathematical functions for arrays in formulas."""

from collections.abc import Sequence
from math import floor
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]

ARRAYS = SimpleNamespace(
    sqrt=np.sqrt,
    exp=np.exp,
    expm1=np.expm1,
    log1p=np.log1p,
    minimum=np.minimum,
    maximum=np.maximum,
    where=np.where,
)
"""As planner.queueing.waiting_models.FLOATS: a formula takes one of the two as `at`, so that it is written once."""


def take_quantiles(rows: Floats, shares: Sequence[float]) -> list[Floats]:
    """The quantiles of each row for each share, as np.quantile finds them; it takes three times as long, since it also
    looks for numbers that are none.
    """
    last = rows.shape[-1] - 1
    lows = [floor(share * last) for share in shares]
    ordered = np.partition(
        rows, sorted({place for low in lows for place in (low, min(low + 1, last))}), axis=-1
    )
    return [
        join(ordered[..., low], ordered[..., min(low + 1, last)], share * last - low)
        for low, share in zip(lows, shares, strict=True)
    ]


def take_median(values: Floats) -> float:
    """The median of the values, as np.median finds it; it takes three times as long, as np.quantile does."""
    places = (len(values) - 1) // 2, len(values) // 2
    ordered = np.partition(values, sorted(set(places)))
    return float(ordered[places[0]] + ordered[places[1]]) / 2.0


def slide_mean(values: Floats, window: int) -> Floats:
    """The mean of each window of so many neighbours."""
    return np.correlate(values, np.full(window, 1.0 / window))


def slide_max(values: Floats, window: int) -> Floats:
    """The largest value of each window of so many neighbours, from windows half as long."""
    found, length = values, 1
    while length < window:
        step = min(length, window - length)
        found = np.maximum(found[:-step], found[step:])
        length += step
    return found


def join(low: Floats, high: Floats, part: float) -> Floats:
    """The value this part of the way from `low` to `high`."""
    step = high - low
    return high - step * (1.0 - part) if part >= 0.5 else low + step * part
