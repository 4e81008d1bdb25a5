"""Looks at counters each second between two samples, for engines whose counters are of the time when they are asked."""

from collections.abc import Iterable
from itertools import pairwise
from statistics import median

from app.engines.answers import EngineAnswer
from app.load.bodies.load import CountedSpan

LOOK = "#look"
"""How the path of a look ends; a look is no sample."""
LEAST_LOOKS = 3
LEAST_NEW = 0.6
"""So large a part of the looks has to bring new counts: else something between keeps answers for some time."""
WIDEST = 3.0
"""A span may be so many times as long as the median: a longer one hides how the stream came."""


def is_look(answer: EngineAnswer) -> bool:
    """Whether an answer is a look."""
    return answer.path.endswith(LOOK)


def count_spans(counted: Iterable[tuple[float, float]]) -> list[CountedSpan]:
    """The tuples that came between successive looks, from the seconds and the count of each; empty where they are few,
    begin anew, or bring nothing new too often.
    """
    listed = sorted(counted)
    found = [pair for place, pair in enumerate(listed) if not place or pair[1] != listed[place - 1][1]]
    spans = [
        CountedSpan(seconds=after[0] - before[0], tuples=max(after[1] - before[1], 0.0))
        for before, after in pairwise(found)
    ]
    is_rising = all(after[1] > before[1] and after[0] > before[0] for before, after in pairwise(found))
    if len(found) < LEAST_LOOKS or len(found) < LEAST_NEW * len(listed) or not is_rising:
        return []
    longest = WIDEST * median([span.seconds for span in spans])
    return spans if all(span.seconds <= longest for span in spans) else []
