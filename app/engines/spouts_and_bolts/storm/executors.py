"""The executors of a component, as the rows of its page: counts, latency and capacity of each.

Storm's own arithmetic for one executor (StatsUtil.computeAggCapacity), with the counts of the last ten minutes:

    capacity = executed × execute latency / min(uptime, 600 s)
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from app.engines.numbers import divide, find_rate, read_count, read_number, read_text
from app.engines.spouts_and_bolts.storm.fields import (
    Page,
    cover,
    read_decimal,
    read_milliseconds,
    read_uptime,
)

LEAST_CAPACITY = 0.01  # below it, the three decimals of a capacity say too little


class Executor(NamedTuple):
    """One executor; None is what its row does not say. `tasks` is how many of the component's tasks it runs.

    `covered` is how many seconds its counts cover.
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
    def executed_rate(self) -> float | None:
        """Tuples per second that it executed."""
        return 0.0 if self.executed == 0.0 else find_rate(self.executed, self.covered)


def read_executors(
    rows: Iterable[Page], window: float | None, longest_uptime: float | None
) -> tuple[Executor, ...]:
    """The rows of a page, each executor once."""
    found: dict[str, Executor] = {}
    for place, row in enumerate(rows):
        identity = read_text(row.get("id")) or f"row {place + 1}"
        found.setdefault(identity, read_executor(identity, row, window, longest_uptime))
    return tuple(found.values())


def read_executor(identity: str, row: Page, window: float | None, longest_uptime: float | None) -> Executor:
    """One row; where it lacks its uptime, capacity and latency say how long its counts were taken."""
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
    """host:port of the worker that runs it."""
    host, port = read_text(row.get("host")), read_count(row.get("port"))
    return host if host is None or port is None else f"{host}:{port}"


def count_tasks(identity: str) -> int | None:
    """How many tasks the executor [first-last] runs."""
    ends = re.fullmatch(r"\[(\d{1,9})-(\d{1,9})\]", identity)
    tasks = int(ends[2]) - int(ends[1]) + 1 if ends else 0
    return tasks if tasks > 0 else None


def mean_latency(rows: Iterable[Executor]) -> float | None:
    """Mean seconds of a service over all tuples that were executed; None where no row says."""
    served = [(row.executed, row.latency) for row in rows if row.executed and row.latency is not None]
    total = sum([executed for executed, _ in served])
    return divide(sum([executed * latency for executed, latency in served]), total)
