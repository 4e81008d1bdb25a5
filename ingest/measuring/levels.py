"""How many services are under way at one time, from the starts and the finishes within a window."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.measuring.segments import Column, Integers, cut_segments

NONE = -(1 << 62)


class Events(NamedTuple):
    """Starts and finishes, each with its operator."""

    operator: Column
    at_ns: Column
    is_start: Column

    def where(self, chosen: NDArray[np.bool_]) -> "Events":
        return Events(*(column[chosen] for column in self))


def join_events(parts: list[Events]) -> Events:
    return Events(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class Levels(NamedTuple):
    """Per operator and slice: the highest level above that at the beginning, the change until the end, and the integral
    of the level until the end of the window.
    """

    operator: Integers
    window: Integers
    first_ns: Integers
    most: Integers
    net: Integers
    area_ns: Integers


def measure_levels(events: Events, slices: Integers, window_ns: int) -> Levels:
    """A finish goes before a start of the same time: the two services do not overlap."""
    window = events.at_ns // window_ns
    offset = events.at_ns - window * window_ns
    order = sort_events(events, window, offset)
    operator, window, slices = events.operator[order], window[order], slices[order]
    is_start, offset = events.is_start[order], offset[order]
    change = np.where(is_start, 1, -1)
    spots = cut_segments(operator, slices)
    if not len(order):
        return Levels(operator, window, *[change] * 4)
    level = np.cumsum(change)
    level -= spots.spread(spots.first(level - change))
    # At one time finishes go before starts: a level counts after a start, and at the beginning after the last finish.
    is_last = np.append(
        (offset[1:] > 0) | is_start[1:] | (np.diff(slices) != 0) | (np.diff(operator) != 0), True
    )
    counts = is_start | ((offset == 0) & is_last)
    most = spots.max(np.where(counts, level, NONE))
    return Levels(
        spots.first(operator),
        spots.first(window),
        spots.first(events.at_ns[order]),
        np.where(spots.first(offset) > 0, np.maximum(most, 0), most),
        spots.sum(change),
        spots.sum(change.astype(choose_width(int(np.abs(level).max()), window_ns)) * (window_ns - offset)),
    )


def sort_events(events: Events, window: Integers, offset: Integers) -> Integers:
    """By operator, window and time; as one integer where it fits, since that is quick."""
    time = offset * 2 + events.is_start
    if len(time):
        first = int(window.min())
        spot = events.operator * (int(window.max()) - first + 1) + window - first
        bits = int(time.max()).bit_length()
        if int(spot.max()) < 1 << (63 - bits):
            return np.argsort((spot << bits) | time, kind="stable")
    return np.lexsort((time, window, events.operator))


def choose_width(level: int, window_ns: int) -> type[np.generic]:
    """A hundred thousand services under way for a day are more nanoseconds than 64 bits hold."""
    return np.int64 if (level + 1) * window_ns < 1 << 62 else np.longdouble
