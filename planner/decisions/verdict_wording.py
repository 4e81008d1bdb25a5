"""The verdict of a decision in a person's words: what to do, and what E[T] would become."""

from collections.abc import Mapping
from dataclasses import dataclass

from planner.values import TimeTarget
from planner.wording import join_counts, write_counted, write_level, write_seconds, write_seconds_change

MOST_LISTED = 10


@dataclass(frozen=True, slots=True)
class Outlook:
    """E[T] now (None: the processors that run cannot keep up) and with the recommended processors, and the target."""

    now_seconds: float | None
    then_seconds: float | None
    target: TimeTarget | None


def describe_verdict(running: Mapping[str, int], recommended: Mapping[str, int], outlook: Outlook) -> str:
    """`Run 28 processors instead of 32: parse 4, score 13. E[T] would go from 180 to 208 ms; the target is 350 ms.`"""
    return f"{describe_change(running, recommended)} {describe_effect(running, recommended, outlook)}"


def describe_change(running: Mapping[str, int], recommended: Mapping[str, int]) -> str:
    """What to do, in a sentence that lists the operators whose number of processors changes."""
    before, after = sum(running.values()), sum(recommended.values())
    changed = [(name, count) for name, count in recommended.items() if running.get(name) != count]
    if not changed:
        return f"Keep the {write_counted(before, 'processor')} that run."
    counts = join_counts(changed, MOST_LISTED)
    if before == after:
        return f"Split the {write_counted(before, 'processor')} another way: {counts}."
    return f"Run {write_counted(after, 'processor')} instead of {before:,}: {counts}."


def describe_effect(running: Mapping[str, int], recommended: Mapping[str, int], outlook: Outlook) -> str:
    """What becomes of E[T], and the target."""
    now, then = outlook.now_seconds, outlook.then_seconds
    if running == recommended:
        text = "They cannot keep up" if now is None else f"E[T] is {write_seconds(now)}"
    elif then is None:
        text = "They cannot keep up either"
    elif now is None:
        text = f"Those that run cannot keep up; E[T] would be {write_seconds(then)}"
    else:
        text = f"E[T] would go {write_seconds_change(now, then)}"
    return f"{text}{describe_target(outlook.target)}."


def describe_target(target: TimeTarget | None) -> str:
    """The target as the end of a sentence; empty without one."""
    if target is None:
        return ""
    limited = f"; the target is {write_seconds(target.seconds)}"
    if target.is_expected_sojourn:
        return limited
    level = "the mean" if target.quantile is None else write_level(target.quantile)
    return (
        f"{limited} for {level} of the time to completion"
        if target.of == "completion"
        else f"{limited} for {level}"
    )
