"""The spouts and bolts of Storm or Heron as they were measured in one interval."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

SAME_TIME = 0.05
"""Counts can be compared if their times differ by no more than this part."""


class StreamCount(NamedTuple):
    """The tuples per second that a component emits on one stream.

    `transferred_rate` counts a tuple once for each task that it went to; it is None for Heron, which does not count
    this.
    """

    emitted_rate: float | None
    transferred_rate: float | None = None


@dataclass(frozen=True, kw_only=True)
class Component:
    """A spout or a bolt; None: the answers do not give it.

    `processors` are Storm's executors, or Heron's instances. With an all grouping each of the `tasks` gets a copy of
    a tuple. `covered` is the length of time that the counts cover, in seconds. `outputs` are by stream,
    `executed_from` by source and stream; None if they are not listed. `instances` are names with the rate that each
    executed.
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
        """Whether the component executed no tuple in the interval."""
        return self.executed_rate == 0.0

    @property
    def fits_capacity(self) -> bool:
        """Whether the engine's capacity, if it gives one, fits the time in `covered`; only Storm gives one."""
        return True


class Completion(NamedTuple):
    """Mean seconds until a spout tuple and all its derived tuples are acknowledged (None: not measured), and
    tuples that failed.

    `timeout` is the time after which a tuple fails, in seconds; None if it is not known.
    """

    seconds: float | None
    failed: float
    timeout: float | None = None


def cover_same_time(source: Component, target: Component) -> bool:
    """Whether the counts of two components cover the same time, as far as their capacities show."""
    first, second = source.covered, target.covered
    if first is None or second is None or not (source.fits_capacity and target.fits_capacity):
        return False
    return abs(first - second) <= SAME_TIME * max(first, second)
