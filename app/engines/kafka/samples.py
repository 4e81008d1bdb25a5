"""The state of all partitions of a consumer group at about one time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Place = tuple[str, int]
"""A topic and a partition."""


class PartitionState(NamedTuple):
    """One partition at a time, in epoch seconds; None: unknown, as Kafka's clients say by -1 and -1001.

    `end` is the offset of the next message that is written, `position` of the next that is read, `member` who reads it.
    `is_committed`: the position is that of the last commit, and what was read since then seems to wait.
    """

    at: float
    end: int | None
    position: int | None
    lag: int | None
    member: str | None = None
    is_committed: bool = False

    @property
    def waiting(self) -> int | None:
        """The messages from the position to the end, else the lag as it was told: librdkafka counts it from commits."""
        if self.end is None or self.position is None or self.end < self.position:
            return self.lag
        return self.end - self.position


@dataclass(slots=True)
class GroupSample:
    """Partitions by their place, and all places that exist."""

    states: dict[Place, PartitionState] = field(default_factory=dict)
    places: set[Place] = field(default_factory=set)

    @property
    def at(self) -> float:
        """When the last of its partitions was asked."""
        return max(state.at for state in self.states.values())

    def is_complete(self, places: Iterable[Place]) -> bool:
        """Whether the end of each of these partitions is known."""
        return all(place in self.states and self.states[place].end is not None for place in places)

    def list_members(self) -> Mapping[str, list[Place]]:
        """The members and the partitions that each reads; empty where one partition has no known member."""
        found: dict[str, list[Place]] = {}
        for place in sorted(self.states):
            member = self.states[place].member
            if member is None:
                return {}
            found.setdefault(member, []).append(place)
        return found
