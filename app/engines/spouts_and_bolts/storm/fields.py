"""Numbers, times and names as Storm's UI writes them.

Latencies and capacity are text with three decimals, in the language of the server ("9.133", "9,133"). Uptimes are text
("1d 2h 3m 4s"), with `uptimeSeconds` beside it since Storm 1.0. Windows are "600", "10800", "86400" or ":all-time".
Source: org.apache.storm.daemon.ui.UIHelpers and org.apache.storm.stats.StatsUtil.
"""

import math
import re
from collections.abc import Mapping

from pydantic import JsonValue

from app.engines.numbers import read_number

CAPACITY_WINDOW = 600.0
"""Storm computes capacity over the last ten minutes, whatever window was asked for."""
ALL_TIME = math.inf
LAST_DIGIT = 0.0005
"""The largest rounding error of a number with three decimals."""
SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
UPTIME_PART = r"(\d+)\s*([dhms])"

Page = Mapping[str, JsonValue]


def read_decimal(value: JsonValue) -> float | None:
    """A number, 0 or larger, also with a decimal comma; None for everything else."""
    if isinstance(value, str) and re.fullmatch(r"\d+,\d{1,3}", value):
        return read_number(value.replace(",", "."))
    return read_number(value)


def read_milliseconds(value: JsonValue) -> float | None:
    """A latency in milliseconds, as seconds."""
    milliseconds = read_decimal(value)
    return None if milliseconds is None else milliseconds / 1000.0


def read_uptime(page: Page) -> float | None:
    """How long something has run, in seconds; None where the page does not say."""
    seconds = read_number(page.get("uptimeSeconds"))
    if seconds is not None:
        return seconds
    text = page.get("uptime")
    if not isinstance(text, str) or not re.fullmatch(rf"\s*({UPTIME_PART}\s*)+", text):
        return read_number(text)
    parts = re.findall(UPTIME_PART, text)
    return read_number(sum(float(count) * SECONDS[unit] for count, unit in parts))


def read_window(value: JsonValue) -> float | None:
    """The length of a window in seconds, ALL_TIME, or None where it is not said."""
    if isinstance(value, str) and value.strip(":").replace("-", " ").lower() == "all time":
        return ALL_TIME
    return read_number(value) or None


def cover(window: float | None, uptime: float | None) -> float | None:
    """The seconds that counts cover: the window, or the uptime where that is shorter; None where unknown.

    A window that is not said is taken as all time: the UI's default.
    """
    if not uptime:
        return None
    return min(uptime, window or ALL_TIME)


def is_system(name: str) -> bool:
    """Whether Storm itself made this component or stream, such as __acker and __tick."""
    return name.startswith("__")
