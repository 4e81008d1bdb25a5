"""Finds the marks of a chart's axes: round numbers, and round times in UTC."""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil, floor, log10

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
TIME_STEPS = (
    1.0, 5.0, 15.0, 30.0, MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR,
    6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 365 * DAY,
)  # fmt: skip

SMALLEST = 1e-300
"""A quarter of a smaller number can be 0, which has no power of ten."""


def find_step(least: float) -> float:
    """Returns the smallest of 1, 2 or 5 times a power of ten that is at least `least`."""
    power = 10.0 ** floor(log10(least))
    return next(many * power for many in (1.0, 2.0, 5.0, 10.0) if many * power >= least * 0.999)


def list_marks(highest: float, many: int = 4, *, is_whole: bool = False) -> list[float]:
    """Returns about `many` round numbers from 0 on; the last is at or above the highest value, up to rounding."""
    top = highest if highest > SMALLEST else 1.0
    step = find_step(top / many)
    if is_whole:
        step = max(step, 1.0)
    return [index * step for index in range(ceil(top / step - 1e-9) + 1)]


def list_between(lowest: float, highest: float, many: int = 8) -> list[float]:
    """Returns round whole numbers between the lowest and the highest value, about `many` of them."""
    step = max(find_step(max(highest - lowest, 1.0) / many), 1.0)
    return [index * step for index in range(ceil(lowest / step), floor(highest / step) + 1)]


def list_times(first: float, last: float, many: int = 8) -> list[float]:
    """Returns at most `many` round times in UTC between two times; all times are seconds since 1970."""
    length = last - first
    step = next((one for one in TIME_STEPS if length / one <= many), None)
    if step is None:
        step = find_step(length / many / (365 * DAY)) * 365 * DAY
    return [index * step for index in range(ceil(first / step), floor(last / step) + 1)]


def write_times(times: Sequence[float]) -> list[str]:
    """Writes times as hours and minutes; the first time and the first of each day have the date. Times far apart are
    dates only.
    """
    are_days = len(times) > 1 and times[1] - times[0] >= DAY
    texts: list[str] = []
    before = datetime.fromtimestamp(0.0, UTC).replace(year=1)
    for one in times:
        at = datetime.fromtimestamp(one, UTC)
        if are_days:
            texts.append(f"{at:%Y-%m-%d}" if at.year != before.year else f"{at:%m-%d}")
        else:
            clock = f"{at:%H:%M}" if at.second == 0 else f"{at:%H:%M:%S}"
            texts.append(f"{at:%m-%d} {clock}" if at.date() != before.date() else clock)
        before = at
    return texts
