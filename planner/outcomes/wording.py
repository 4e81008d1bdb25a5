"""What was observed of a decision, in sentences: facts beside each other, and no cause that the data do not show."""

from planner.outcomes.observed import LONGEST_SEARCH_SECONDS, Observations, ObservedOutcome, Promised
from planner.wording import write_rate, write_seconds

NOTHING_SINCE = "No interval was measured since."
STATES = {
    "held": "Nothing was to be changed.",
    "partly-applied": "Some of the recommended processors were seen to run, and not all of them.",
    "unknown": "The intervals since do not say how many processors ran at every operator.",
}


def describe_outcome(promised: Promised, observations: Observations, found: ObservedOutcome) -> str:
    """Whether it was applied, whether it was kept, and what stands beside a miss."""
    parts = [describe_state(promised, observations, found)]
    if found.state in {"applied", "held"}:
        parts += [describe_kept(promised, found), *describe_beside(promised, found)]
    return " ".join(parts)


def describe_state(promised: Promised, observations: Observations, found: ObservedOutcome) -> str:
    """Whether the recommended processors were seen to run."""
    if found.state == "applied":
        after = (
            f"from {write_seconds(found.begin_seconds)} after the data on"
            if found.begin_seconds
            else "right after the data"
        )
        return f"The recommended processors ran {after}."
    if found.state == "not-applied":
        return f"No interval {say_search(promised, observations)} ran the recommended processors."
    if found.state == "waiting":
        if found.begin_seconds is None and observations.later:
            return "No interval has run the recommended processors yet."
        return NOTHING_SINCE
    if found.state == "unknown" and not observations.later:
        return f"Nothing was measured {say_search(promised, observations)}."
    return STATES[found.state]


def say_search(promised: Promised, observations: Observations) -> str:
    """How long a change, or what came after a decision to hold, was looked for."""
    if not promised.is_change:
        return f"in the {write_seconds(promised.horizon_seconds)} after the decision's data"
    superseded = observations.superseded_seconds
    if superseded is None or superseded > LONGEST_SEARCH_SECONDS:
        return f"of the {LONGEST_SEARCH_SECONDS / 3600.0:g} h after the decision"
    return "before the next change was decided"


def describe_kept(promised: Promised, found: ObservedOutcome) -> str:
    """Whether E[T] stayed within the limit, or why that is not known."""
    limit, horizon = (
        promised.limit_seconds,
        write_seconds((found.end_seconds or 0.0) - (found.begin_seconds or 0.0)),
    )
    if limit is None:
        return "It promised no E[T], since that had no end: there is nothing to compare."
    if promised.limit_source == "target" and found.missed:
        return f"E[T] was above the target of {write_seconds(limit)} in {found.missed} of {found.intervals} intervals."
    if found.kept is None:
        return f"Whether it was kept over {horizon} is not known{explain_unknown(found)}"
    if promised.limit_source == "target":
        return f"E[T] was at most the target of {write_seconds(limit)} in all {found.intervals} intervals of {horizon}."
    compared = "at most" if found.kept else "above"
    return (
        f"Over {horizon} E[T] was {write_seconds(found.measured_seconds or 0.0)} on average, {compared} the promised "
        f"{write_seconds(promised.expected_seconds or 0.0)} with its known error ({write_seconds(limit)})."
    )


def explain_unknown(found: ObservedOutcome) -> str:
    """Why it is not known whether the decision was kept."""
    if found.cut_seconds is not None:
        return ": other processors ran before they were over."
    if not found.is_over:
        return " yet: they are not over."
    if not found.intervals:
        return ": no interval of them measured E[T] with these processors."
    return ": for a part of them E[T] with these processors was not measured."


def describe_beside(promised: Promised, found: ObservedOutcome) -> list[str]:
    """What the data show beside a miss: a promise that was no better, and a rate that it did not hold for."""
    parts = []
    target, expected = promised.target_seconds, promised.expected_seconds
    if target is not None and (expected is None or expected > target):
        promise = "an unbounded E[T]" if expected is None else write_seconds(expected)
        parts.append(f"The decision itself expected {promise}, more than the target.")
    if found.missed and found.missed_beyond_rate:
        rate = f"{write_rate(promised.holds_up_to_rate or 0.0)}, up to which the decision held"
        parts.append(
            f"In {found.missed_beyond_rate} of the {found.missed} intervals above the limit, more came than {rate}."
        )
    return parts
