"""Numbers and lists as people read them: every sentence, table and page writes them with these functions.

A measured number has three significant digits and a unit (`180 ms`, `1.2 s`, `158/s`); a count has all its digits.
The dashboard's `format.js` follows the same rules, and a test compares both on one table of values.
"""

from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from math import floor, isfinite, isinf, isnan

UNKNOWN = "–"
"""Stands for a number that nobody knows."""
UNBOUNDED = "unbounded"
"""Stands for a time without an end: the only word for infinity."""
DIGITS = 3
NAMES_SHOWN = 20
SHORT_UNITS = (("ns", 1e9, 1000.0), ("µs", 1e6, 1000.0), ("ms", 1e3, 1000.0))
"""Each with its number per second, and the number from which on the next unit is taken."""
LONG_UNITS = (("s", 1.0, 120.0), ("min", 60.0, 60.0), ("h", 3600.0, 48.0))
"""Each with its length in seconds, and the number from which on the next unit is taken."""
DAY_SECONDS = 86_400.0
LARGE_CHANGE = 10.0
"""From this change on, as a part of what was before, nobody reads a percentage."""


def write_number(
    value: float | None, absent: str = UNKNOWN, digits: int = DIGITS, *, down: bool = False
) -> str:
    """A number with its significant digits, without trailing zeros: `1,230`, `12.3`, `0.0123`; far from 1 as `1.2e+12`.

    With `down` a promised limit is never written above itself: 336.517 is `336`, and 0.3 is `0.3`.
    """
    if value is None or isnan(value):
        return absent
    if isinf(value):
        return UNBOUNDED
    # The float 0.3 lies just below 0.3, so that only its shortest decimal form may be cut.
    exact, rounding = (Decimal(repr(value)), ROUND_DOWN) if down else (Decimal(value), ROUND_HALF_UP)
    rounded = Context(prec=digits, rounding=rounding).create_decimal(exact).normalize()
    if not rounded:
        return "0"
    return f"{rounded:,f}" if 1e-6 <= abs(rounded) < 1e9 else f"{rounded:e}"


def write_seconds(seconds: float | None, absent: str = UNKNOWN, digits: int = DIGITS) -> str:
    """A time with its unit: `180 ms`, `1.2 s`, `4 min`, `3 h`, `2 days`; a time of None is written as `absent`."""
    if seconds is None:
        return absent
    if not isfinite(seconds) or abs(seconds) < 1e-9:
        return write_number(seconds, digits=digits) + (" s" if isfinite(seconds) else "")
    for unit, per_second, limit in SHORT_UNITS:
        if abs(round_number(seconds * per_second, digits)) < limit:
            return f"{write_number(seconds * per_second, digits=digits)} {unit}"
    for unit, length, limit in LONG_UNITS:
        if abs(round_number(seconds / length, digits)) < limit:
            return f"{write_number(seconds / length, digits=digits)} {unit}"
    return f"{write_number(seconds / DAY_SECONDS, digits=digits)} days"


def round_number(value: float, digits: int) -> float:
    """The value rounded to `digits` significant digits."""
    return float(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(value))


def write_signed_seconds(seconds: float) -> str:
    """A change of a time: `+20 ms` or `-1.2 s`."""
    return f"{'+' if seconds > 0.0 else ''}{write_seconds(seconds)}"


def write_seconds_change(before: float, after: float) -> str:
    """A change of a time, with enough digits to show it: `from 180 to 208 ms`, or `from 900 ms to 1.2 s`."""
    first, then = write_seconds_apart(before, after)
    if first == then:
        return f"from {first} to as much"
    number, unit = first.split(" ")
    return f"from {number if then.endswith(f' {unit}') else first} to {then}"


def write_seconds_apart(one: float, other: float) -> tuple[str, str]:
    """Two times that a sentence compares, with as many digits more than three as show which is longer."""
    return _write_apart(one, other, write_seconds)


def write_numbers_apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers that a sentence compares, with as many digits more than three as show which is larger."""
    return _write_apart(one, other, write_number)


def _write_apart(one: float, other: float, write: Callable[..., str]) -> tuple[str, str]:
    for digits in range(DIGITS, 17):
        both = write(one, digits=digits), write(other, digits=digits)
        if one == other or both[0] != both[1]:
            break
    return both


def write_age(seconds: float) -> str:
    """How long ago a moment is, in whole seconds, minutes, hours or days: `3 s ago`, `5 min ago` or `now`."""
    whole = floor(seconds + 0.5)
    unit = next((length for _, length, limit in LONG_UNITS if whole < limit * length), DAY_SECONDS)
    return f"{write_seconds(floor(whole / unit + 0.5) * unit)} ago" if whole > 0 else "now"


def write_rate(rate: float | None, absent: str = UNKNOWN, *, down: bool = False) -> str:
    """A number per second: `158/s`; None is `absent`. With `down` a promised limit is never written above itself."""
    if rate is None or not isfinite(rate):
        return absent if rate is None else write_number(rate)
    return f"{write_number(rate, down=down)}/s"


def write_reach(total: int, rate: float | None, *, has_target: bool) -> str:
    """Up to which external rate processors are enough, as every page says it: `28 processors meet the target up to
    205/s`.
    """
    return f"{name_reach(total, has_target=has_target)} {write_rate(rate, down=True)}"


def name_reach(total: int, *, has_target: bool) -> str:
    """The name of the rate up to which processors are enough: `28 processors meet the target up to`."""
    one = total == 1
    does = (
        f"meet{'s' if one else ''} the target up to"
        if has_target
        else f"keep{'s' if one else ''} up with at most"
    )
    return f"{write_counted(total, 'processor')} {does}"


def name_time(*, is_corrected: bool) -> str:
    """Names an E[T] that a number of processors rests on: where measured waits do not correct it, the estimate."""
    return "E[T]" if is_corrected else "the estimated E[T]"


def write_percent(share: float | None) -> str:
    """A share as `62%` or `4.2%`, two digits below 100%; a share just below 1 is `above 99%`, since 100% would be
    wrong.
    """
    if share is None or not isfinite(share):
        return write_number(share)
    if 0.995 <= share < 1.0:
        return "above 99%"
    percent = 100.0 * share
    return f"{write_number(percent, digits=2 if abs(percent) < 99.5 else DIGITS)}%"


def write_signed_percent(share: float | None) -> str:
    """A change as a part of what was before: `+3%` or `-12%`; from 11 times as much on, `140 times`."""
    if share is not None and isfinite(share) and share >= LARGE_CHANGE:
        return write_factor(1.0 + share)
    return f"{'+' if share is not None and share > 0.0 else ''}{write_percent(share)}"


def write_factor(factor: float, *, down: bool = False) -> str:
    """A factor as `1.25 times`; with `down` a promised limit is never written above itself."""
    return f"{write_number(factor, down=down)} times"


def write_level(level: float) -> str:
    """The level of a quantile with all its digits: `p99` or `p99.9`."""
    return f"p{100.0 * level:.10g}"


def write_count(count: int | None) -> str:
    """A count with all its digits: `1,200`."""
    return UNKNOWN if count is None else f"{count:,}"


def write_counted(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun:

    `1 operator`, `1,200 operators`; `plural` is given where it is more than the noun with an s.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def write_change(before: int | None, after: int | None) -> str:
    """A change of a count, `13 → 17`, or the number alone where nothing changes."""
    if after is None or before == after:
        return write_count(before)
    return f"{write_count(before)} → {write_count(after)}"


def join_names(names: Sequence[object], most: int = NAMES_SHOWN) -> str:
    """A list of names as `a, b and 3 more`: the first `most` names, and how many others there are."""
    shown, more = ", ".join(map(str, names[:most])), len(names) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def join_counts(counts: Sequence[tuple[str, int]], most: int = NAMES_SHOWN) -> str:
    """Operators with their numbers of processors, as `a 3, b 5 and 3 more`."""
    return join_names([f"{name} {count}" for name, count in counts], most)
