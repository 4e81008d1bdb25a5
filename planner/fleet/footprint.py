"""How many slots do the processors of a topology take? One each, or as many together as the profile of a task shows.

By a profile of Shukla and Simmhan the threads of a task sustain the highest rate on a slot at their number τ̂: such full
bundles have a slot each. The threads that remain of each operator are packed into further slots by the cpu and memory
that the profile gives for their number, the largest first. A slot holds threads of one topology alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from planner.placements.mappers.mapping import FIT_TOLERANCE
from planner.placements.profiles import Profile

Bundle = Mapping[str, int]
"""The threads of each operator on one slot."""


@dataclass(frozen=True)
class Footprint:
    """The operators of a topology, and the profiles of those whose threads share slots."""

    names: Sequence[str]
    profiles: Mapping[str, Profile] = field(default_factory=dict)

    @cached_property
    def slots_each(self) -> list[float]:
        """The part of a slot that one more processor of each operator takes, on average."""
        found = [self.profiles.get(name) for name in self.names]
        return [1.0 if one is None else 1.0 / one.best.threads for one in found]

    def count_slots(self, counts: Sequence[int]) -> int:
        """The slots that so many processors of each operator take together."""
        if not self.profiles:
            return sum(counts)
        full = sum(self.count_full(name, count) for name, count in zip(self.names, counts, strict=True))
        return full + len(self.pack_rests(counts))

    def count_full(self, name: str, count: int) -> int:
        """The full slots of an operator."""
        profile = self.profiles.get(name)
        return count if profile is None else count // profile.best.threads

    def pack(self, counts: Sequence[int]) -> list[Bundle]:
        """The threads on each slot."""
        bundles: list[Bundle] = []
        for name, count in zip(self.names, counts, strict=True):
            threads = self.profiles[name].best.threads if name in self.profiles else 1
            bundles += [{name: threads}] * self.count_full(name, count)
        return bundles + self.pack_rests(counts)

    def pack_rests(self, counts: Sequence[int]) -> list[Bundle]:
        """The threads of operators with profiles that fill no slot, packed together: each where it fits first."""
        rests = []
        for name, count in zip(self.names, counts, strict=True):
            profile = self.profiles.get(name)
            threads = 0 if profile is None else count % profile.best.threads
            if profile is not None and threads:
                point = profile.interpolate(threads)
                rests.append((min(point.cpu, 1.0), point.memory, name, threads))
        slots: list[dict[str, int]] = []
        left: list[tuple[float, float]] = []
        for cpu, memory, name, threads in sorted(rests, key=lambda one: (-max(one[:2]), one[2])):
            fits = (
                at
                for at, one in enumerate(left)
                if one[0] >= cpu - FIT_TOLERANCE and one[1] >= memory - FIT_TOLERANCE
            )
            at = next(fits, len(slots))
            if at == len(slots):
                slots.append({})
                left.append((1.0, 1.0))
            slots[at][name] = threads
            left[at] = left[at][0] - cpu, left[at][1] - memory
        return list(slots)
