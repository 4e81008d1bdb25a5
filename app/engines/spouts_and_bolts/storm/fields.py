"""Numbers, times and executors as Storm's UI writes them.

Latencies and capacity are text with three decimals, in the language of the server ("9.133", "9,133"). Uptimes are text
("1d 2h 3m 4s"), with `uptimeSeconds` beside it since Storm 1.0. Windows are "600", "10800", "86400" or ":all-time".
Source: org.apache.storm.daemon.ui.UIHelpers and org.apache.storm.stats.StatsUtil.

Storm's own arithmetic for one executor (StatsUtil.computeAggCapacity), with the counts of the last ten minutes:

    capacity = executed × execute latency / min(uptime, 600 s)
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from app.engines.numbers import divide, find_mean, find_rate, read_count, read_number, read_text

CAPACITY_WINDOW = 600.0
"""Storm computes capacity over the last ten minutes, for every window that is asked for."""
ALL_TIME = math.inf
LAST_DIGIT = 0.0005
"""The largest rounding error of a number with three decimals."""
SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
UPTIME_PART = r"(\d+)\s*([dhms])"

LEAST_CAPACITY = 0.01
"""A smaller capacity gives no time, because of its three decimals."""

LEAST_SAMPLES = 30
SURE = 3.0
"""If none of n samples is above 0 ms, the probability of such a sample is below 3/n, at a confidence of 95%."""

Page = Mapping[str, JsonValue]


def read_decimal(value: JsonValue) -> float | None:
    """The value as a number, 0 or larger, from a text that may have a decimal comma; None for everything else."""
    if isinstance(value, str) and re.fullmatch(r"\d+,\d{1,3}", value):
        return read_number(value.replace(",", "."))
    return read_number(value)


def read_milliseconds(value: JsonValue) -> float | None:
    """A latency that Storm gives in milliseconds, in seconds."""
    milliseconds = read_decimal(value)
    return None if milliseconds is None else milliseconds / 1000.0


def read_uptime(page: Page) -> float | None:
    """The uptime on a page, in seconds; None if the page does not give it."""
    seconds = read_number(page.get("uptimeSeconds"))
    if seconds is not None:
        return seconds
    text = page.get("uptime")
    if not isinstance(text, str) or not re.fullmatch(rf"\s*({UPTIME_PART}\s*)+", text):
        return read_number(text)
    parts = re.findall(UPTIME_PART, text)
    return read_number(sum(float(count) * SECONDS[unit] for count, unit in parts))


def read_window(value: JsonValue) -> float | None:
    """The length of a window in seconds, or ALL_TIME; None if the page does not give it."""
    if isinstance(value, str) and value.strip(":").replace("-", " ").lower() == "all time":
        return ALL_TIME
    return read_number(value) or None


def cover(window: float | None, uptime: float | None) -> float | None:
    """The seconds that counts cover: the window, or the uptime if it is shorter; None if the uptime is unknown.

    A missing window counts as all time, the default of Storm's UI.
    """
    if not uptime:
        return None
    return min(uptime, window or ALL_TIME)


def is_system(name: str) -> bool:
    """Whether Storm itself made this component or stream, such as __acker and __tick."""
    return name.startswith("__")


class Executor(NamedTuple):
    """An executor of a component; None means that its row does not give the value.

    `tasks` is the number of the component's tasks that the executor runs; `covered` is the time of its counts, in
    seconds.
    """

    id: str
    place: str | None
    tasks: int | None
    uptime: float | None
    covered: float | None
    executed: float | None
    emitted: float | None
    transferred: float | None
    latency: float | None
    capacity: float | None

    @property
    def label(self) -> str:
        """The id of the executor and the worker that runs it, as a text."""
        return f"{self.id} {self.place}" if self.place else self.id

    @property
    def executed_rate(self) -> float | None:
        """The tuples per second that the executor executed."""
        return 0.0 if self.executed == 0.0 else find_rate(self.executed, self.covered)


def read_executors(
    rows: Iterable[Page], window: float | None, longest_uptime: float | None
) -> tuple[Executor, ...]:
    """The executors in the rows of a component's page, each once."""
    found: dict[str, Executor] = {}
    for place, row in enumerate(rows):
        identity = read_text(row.get("id")) or f"row {place + 1}"
        found.setdefault(identity, read_executor(identity, row, window, longest_uptime))
    return tuple(found.values())


def read_executor(identity: str, row: Page, window: float | None, longest_uptime: float | None) -> Executor:
    """The executor of one row; if its uptime is missing, capacity and latency give the time that its counts cover."""
    uptime = read_uptime(row)
    seconds = read_milliseconds(row.get("executeLatency"))
    executed, capacity = read_number(row.get("executed")), read_decimal(row.get("capacity"))
    covered = cover(window, uptime)
    if uptime is None and executed and seconds and capacity and capacity >= LEAST_CAPACITY:
        covered = divide(executed * seconds, capacity)
    elif uptime is None:
        covered = cover(window, longest_uptime)
    return Executor(
        identity,
        read_place(row),
        count_tasks(identity),
        uptime,
        covered,
        executed,
        read_number(row.get("emitted")),
        read_number(row.get("transferred")),
        seconds,
        capacity,
    )


def read_place(row: Page) -> str | None:
    """The worker that runs an executor, as host:port; None if the row does not give it."""
    host, port = read_text(row.get("host")), read_count(row.get("port"))
    return host if host is None or port is None else f"{host}:{port}"


def count_tasks(identity: str) -> int | None:
    """The number of tasks of an executor, from its id, such as [3-5]."""
    ends = re.fullmatch(r"\[(\d{1,9})-(\d{1,9})\]", identity)
    tasks = int(ends[2]) - int(ends[1]) + 1 if ends else 0
    return tasks if tasks > 0 else None


def mean_latency(rows: Iterable[Executor], totals: Page) -> float | None:
    """The mean service time in seconds over all executed tuples, from the executors or else from the totals;
    None if unknown.
    """
    mean = find_mean((row.executed, row.latency) for row in rows if row.executed and row.latency is not None)
    return read_milliseconds(totals.get("executeLatency")) if mean is None else mean


def find_service_seconds(executed: float | None, latency: float | None, step: float) -> float | None:
    """The mean service time in seconds, from Storm's latency in whole milliseconds; `step` tuples stand for each
    sample.

    Storm counts short services as 0 or 1 ms, and their mean is right. If all n samples were 0 ms, the mean is below 3/n
    ms (95%); from 30 samples on this bound is used.
    """
    if latency or not executed:
        return latency or None
    samples = executed / step
    if latency is None or samples < LEAST_SAMPLES:
        return None
    return max(SURE / samples, LAST_DIGIT) / 1000.0
