"""The sentence on what a topology of a fleet lost, and to whom."""

from collections.abc import Sequence

from planner.fleet.claims import FleetClaim
from planner.wording import join_names, write_counted, write_seconds_apart

NAMED = 3


class Takers:
    """The topologies that have processors beyond their floors, by priority; in each those with most of them first."""

    def __init__(self, claims: Sequence[FleetClaim], counts: Sequence[Sequence[int]]) -> None:
        more = [sum(found) - sum(claim.floors) for claim, found in zip(claims, counts, strict=True)]
        order = sorted(range(len(claims)), key=lambda i: -more[i])
        self.names: dict[int, list[str]] = {}
        for i in order:
            if more[i] > 0:
                self.names.setdefault(claims[i].member.priority, []).append(claims[i].member.name)
        self._above: dict[int, str] = {}

    def list_above(self, priority: int) -> str:
        """The topologies of all higher priorities, the highest first; empty: there are none."""
        if priority not in self._above:
            higher = sorted((one for one in self.names if one > priority), reverse=True)
            self._above[priority] = join_names([name for one in higher for name in self.names[one]], NAMED)
        return self._above[priority]

    def list_beside(self, claim: FleetClaim) -> str:
        """The other topologies of the same priority; empty: there are none."""
        member = claim.member
        return join_names([one for one in self.names.get(member.priority, ()) if one != member.name], NAMED)


def describe_loss(claim: FleetClaim, count: int, seconds: float, takers: Takers) -> str:
    """By how much a topology with `count` processors misses its target, and which topologies have the processors."""
    member, target = claim.member, claim.member.t_max_seconds or 0.0
    time, limit = write_seconds_apart(seconds, target)
    missing = sum(claim.needs) - count
    start = f"E[T] is {time}, above the target of {limit}"
    if claim.limit_seconds is None:
        return f"{start}: no number of processors meets it. Ask for a longer time, or make operators faster."
    if missing <= 0:
        return f"{start}: its bounds or keys allow no better. Raise its bounds, or ask for a longer time."
    would = "come near it" if claim.limit_seconds > target else "meet it"
    start += f"; {write_counted(missing, 'more processor')} would {would}"
    if above := takers.list_above(member.priority):
        return f"{start}. Topologies of a higher priority have those processors: {above}."
    if beside := takers.list_beside(claim):
        return f"{start}. At {beside} the same processors lower the weighted lateness at least as much."
    return f"{start}. The budget holds only what topologies need to keep up."
