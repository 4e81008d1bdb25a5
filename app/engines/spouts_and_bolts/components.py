"""Spouts and bolts as measured in one interval, whichever engine counted them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

SAME_TIME = 0.05
"""Counts compare where they cover the same time to this part."""


class StreamCount(NamedTuple):
    """Tuples per second that a component emits on a stream.

    `transferred_rate` counts a tuple once for each task that it went to; None for Heron, which does not count that.
    """

    emitted_rate: float | None
    transferred_rate: float | None = None


@dataclass(frozen=True, kw_only=True)
class Component:
    """A spout or a bolt; None is what the answers do not give.

    `processors` are Storm's executors, or Heron's instances. Under an all grouping each of the `tasks` gets a copy of a
    tuple. `covered` is how many seconds the counts cover. `outputs` are by stream, `executed_from` by source and
    stream; None where they are not listed. `instances` are names with the rate that each executed.
    """

    name: str
    is_bolt: bool
    processors: int | None
    tasks: int | None
    max_parallelism: int | None
    covered: float | None
    executed_rate: float | None
    service_seconds: float | None
    emitted_rate: float | None
    transferred_rate: float | None = None
    outputs: Mapping[str, StreamCount] | None
    executed_from: Mapping[tuple[str, str], float | None] | None
    instances: tuple[tuple[str, float | None], ...]

    @property
    def is_idle(self) -> bool:
        """Whether it executed nothing."""
        return self.executed_rate == 0.0

    @property
    def fits_capacity(self) -> bool:
        """Whether no capacity that the engine prints contradicts `covered`; only Storm prints one."""
        return True


class Completion(NamedTuple):
    """Mean seconds until the tree of a spout's tuple is acknowledged (None: not measured), and tuples that failed.

    `timeout` is after how many seconds a tuple fails; None where that is not known.
    """

    seconds: float | None
    failed: float
    timeout: float | None = None


def cover_same_time(source: Component, target: Component) -> bool:
    """Whether the counts of two components cover the same time, and nothing contradicts that."""
    first, second = source.covered, target.covered
    if first is None or second is None or not (source.fits_capacity and target.fits_capacity):
        return False
    return abs(first - second) <= SAME_TIME * max(first, second)
