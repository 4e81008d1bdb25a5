"""Which processors an allocation that holds a target can save: a search among its neighbours.

A neighbour has fewer processors: one is removed, or two are taken from an operator and one of them is given to another.
The search goes from neighbour to neighbour until none holds. Large allocations are searched with larger steps first.
"""

from collections.abc import Iterator
from typing import Protocol

Counts = tuple[int, ...]

FEW = 32
"""Up to twice so many processors are saved one by one."""
SPARE = 8


class OutOfWork(Exception):
    """The evaluations of a search are used up."""


class Judge(Protocol):
    """Tells whether allocations of processors hold a target."""

    floors: Counts
    ceilings: Counts

    def rank(self, counts: Counts) -> float:
        """About the time that an allocation takes; the search tries allocations with a low rank first."""

    def may_hold(self, counts: Counts) -> bool:
        """Whether these processors may hold the target, so that a slow exact check is worth its time."""

    def holds(self, counts: Counts) -> bool:
        """Whether these processors hold the target."""


def change(counts: Counts, operator: int, by: int) -> Counts:
    """A copy of the allocation `counts` with `by` processors more at one operator, or fewer if negative."""
    return (*counts[:operator], counts[operator] + by, *counts[operator + 1 :])


def save_processors(judge: Judge, counts: Counts) -> tuple[Counts, bool]:
    """The allocation after all processors that the target does not need are removed, and whether none can be saved.

    `counts` must hold the target. The second value is False where the judge ran out of evaluations.
    """
    step = 1
    while FEW * 2 * step <= sum(counts):
        step *= 2
    try:
        while step:
            fewer = find_saving(judge, counts, step)
            if fewer is None:
                step //= 2
            else:
                counts = fewer
    except OutOfWork:
        return counts, False
    return counts, True


def find_saving(judge: Judge, counts: Counts, step: int = 1) -> Counts | None:
    """An allocation with `step` processors fewer that holds the target; None where no neighbour of `counts` does."""
    for neighbours in (list_removals, list_moves):
        for fewer in sorted(neighbours(judge, counts, step), key=judge.rank):
            if judge.holds(fewer):
                return fewer
    return None


def list_removals(judge: Judge, counts: Counts, step: int) -> Iterator[Counts]:
    """The allocations with `step` processors fewer at one operator."""
    for giver, floor in enumerate(judge.floors):
        if counts[giver] - step >= floor:
            yield change(counts, giver, -step)


def list_moves(judge: Judge, counts: Counts, step: int) -> Iterator[Counts]:
    """The allocations in which one operator gives up twice `step` processors and another operator gets half of them.

    Where an operator needs its processors even if all others have plenty, it gives none.
    """
    for giver, floor in enumerate(judge.floors):
        if counts[giver] - 2 * step < floor:
            continue
        less = change(counts, giver, -2 * step)
        if not judge.may_hold(spare_others(judge, less, giver)):
            continue
        for taker, ceiling in enumerate(judge.ceilings):
            if taker != giver and counts[taker] + step <= ceiling:
                yield change(less, taker, step)


def spare_others(judge: Judge, counts: Counts, giver: int) -> Counts:
    """The allocation with plenty of processors at all operators but one."""
    return tuple(
        count if operator == giver else max(count, min(2 * count + SPARE, ceiling))
        for operator, (count, ceiling) in enumerate(zip(counts, judge.ceilings, strict=True))
    )
