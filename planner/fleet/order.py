"""In which order do the topologies of a fleet change, so that together they never run more than the budget?

Who gives processors up goes first. Who takes some waits for no more topologies than give what it takes.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple


class ShiftedTotal(NamedTuple):
    """The processors of a topology before and after its change; takers of a higher priority come first."""

    name: str
    before: int
    after: int
    priority: int = 0

    @property
    def more(self) -> int:
        """The processors that the topology takes; below 0: that it gives up."""
        return self.after - self.before


class Turn(NamedTuple):
    """When a topology changes: after those named have; `takers` have what it gives up."""

    after: tuple[str, ...] = ()
    takers: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """1: at once; 2: after others."""
        return 2 if self.after else 1


def order_changes(changes: Sequence[ShiftedTotal], free: int) -> dict[str, Turn]:
    """The turn of each topology, by name; `free` processors of the budget are not running, below 0: too many run.

    Where too many run, all takers wait for those that bring the number down to the budget.
    """
    givers = sorted((one for one in changes if one.more < 0), key=lambda one: (one.more, one.name))
    left = deque((one.name, -one.more) for one in givers)
    first = tuple(name for name, _ in take_from(left, max(-free, 0)))
    free = max(free, 0)
    after: dict[str, tuple[str, ...]] = {}
    for one in sorted((one for one in changes if one.more > 0), key=lambda one: (-one.priority, one.name)):
        at_once = min(free, one.more)
        free -= at_once
        given = take_from(left, one.more - at_once)
        after[one.name] = tuple(dict.fromkeys([*first, *(name for name, _ in given)]))
    return {
        one.name: Turn(
            after.get(one.name, ()),
            tuple(taker for taker, names in after.items() if one.name in names and one.name not in first),
        )
        for one in changes
    }


def take_from(left: deque[tuple[str, int]], number: int) -> list[tuple[str, int]]:
    """Takes so many processors from the first in line, as far as they have them; returns who gives how many."""
    given = []
    while number > 0 and left:
        name, most = left.popleft()
        given.append((name, min(most, number)))
        if most > number:
            left.appendleft((name, most - number))
        number -= min(most, number)
    return given
