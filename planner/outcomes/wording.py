"""Sentences about the observed outcome of a decision, and diagnostics where the report and the snapshots disagree.

The sentences state measured facts beside each other. They name no cause that the data do not show
(planner.outcomes.causes).
"""

from dataclasses import dataclass

from planner.outcomes.causes import Compared, describe_causes
from planner.outcomes.observed import (
    LONGEST_SEARCH_SECONDS,
    USUAL_DELAY_INTERVALS,
    Observations,
    ObservedOutcome,
    Promised,
)
from planner.values import Diagnostic
from planner.wording import write_percent, write_rate, write_seconds

NOTHING_SINCE = "Nothing has been measured since the decision."
STATES = {
    "held": "The decision was to change nothing.",
    "partly-applied": "Only some operators ran their recommended processors.",
    "unknown": "The snapshots since the decision do not have the processors of every operator.",
}
RAN = {"applied", "rolled-back"}
SIDES = {True: "within", False: "above"}


def describe_outcome(
    promised: Promised,
    observations: Observations,
    found: ObservedOutcome,
    compared: Compared | None = None,
) -> str:
    """Returns sentences on whether a decision was applied and kept, and on facts beside an E[T] that was too long."""
    parts = [describe_state(promised, observations, found)]
    if found.state in {"applied", "held"}:
        parts += [describe_kept(promised, found), *describe_beside(promised, found)]
        parts += [*describe_causes(promised, found, compared), *found.futile]
    return " ".join(parts)


def describe_state(promised: Promised, observations: Observations, found: ObservedOutcome) -> str:
    """Returns a sentence on whether, and from when on, the recommended processors ran."""
    if found.state == "applied":
        after = f"{write_seconds(found.begin_seconds)} after " if found.begin_seconds else ""
        return f"The recommended processors ran from {after}the decision on."
    if found.state == "not-applied":
        return f"The recommended processors did not run {describe_search(promised, observations)}."
    if found.state == "waiting":
        if found.begin_seconds is None and observations.later:
            return "The recommended processors have not run yet."
        return NOTHING_SINCE
    if found.state == "unknown" and not observations.later:
        return f"Nothing was measured {describe_search(promised, observations)}."
    return STATES[found.state]


def describe_search(promised: Promised, observations: Observations) -> str:
    """Returns the clause that names the time after the decision in which the recommended processors were looked for."""
    if not promised.is_change:
        return f"in the {write_seconds(promised.horizon_seconds)} after the decision"
    superseded = observations.superseded_seconds
    if superseded is None or superseded > LONGEST_SEARCH_SECONDS:
        return f"in the {write_seconds(LONGEST_SEARCH_SECONDS)} after the decision"
    return "before the next change was decided"


def describe_kept(promised: Promised, found: ObservedOutcome) -> str:
    """Returns a sentence on whether E[T] stayed within the limit, or on why that is unknown."""
    limit, horizon = (
        promised.limit_seconds,
        write_seconds((found.end_seconds or 0.0) - (found.begin_seconds or 0.0)),
    )
    if limit is None:
        return "The decision expected no bounded E[T]: there is nothing to compare."
    if promised.limit_source == "target" and found.missed:
        return f"E[T] was above the target of {write_seconds(limit)} in {found.missed} of {found.intervals} intervals."
    if found.kept is None:
        return f"Whether E[T] stayed within its limit over {horizon} is not known{explain_unknown(found)}"
    if promised.limit_source == "target":
        measured = (
            "one measured interval" if found.intervals == 1 else f"all {found.intervals} measured intervals"
        )
        return f"E[T] was within the target of {write_seconds(limit)} for {horizon}, in {measured}."
    compared = "at most" if found.kept else "above"
    return (
        f"Over {horizon} E[T] was {write_seconds(found.measured_seconds or 0.0)} on average, {compared} "
        f"{write_seconds(limit)}: that is {write_most_kept(promised)}."
    )


def write_most_kept(promised: Promised) -> str:
    """Returns the longest E[T] that keeps a promise without a target: `15% above the expected 230 ms, ...`."""
    expected = write_seconds(promised.expected_seconds or 0.0)
    return f"{write_percent(promised.error)} above the expected {expected}, the most that counts as kept"


def explain_unknown(found: ObservedOutcome) -> str:
    """Returns the end of a sentence: the reason why it is unknown whether the decision kept its promise."""
    if found.cut_seconds is not None:
        return ": other processors ran before its end."
    if not found.is_over:
        return " yet: this time is not over."
    if not found.intervals:
        return ": no interval in this time measured E[T] with these processors."
    return ": for a part of this time E[T] with these processors was not measured."


def describe_beside(promised: Promised, found: ObservedOutcome) -> list[str]:
    """Returns sentences on facts beside a missed limit.

    The facts are an expected E[T] above the target, and rates for which the decision was not made.
    """
    parts = []
    target, expected = promised.target_seconds, promised.expected_seconds
    if target is not None and (expected is None or expected > target):
        promise = "an unbounded E[T]" if expected is None else write_seconds(expected)
        parts.append(f"The decision itself expected {promise}, more than the target.")
    if found.missed and found.missed_beyond_rate:
        rate = write_rate(promised.holds_up_to_rate or 0.0, down=True)
        which = f"{found.missed_beyond_rate} of these {found.missed} intervals"
        if found.missed_beyond_rate == found.missed:
            which = "this interval" if found.missed == 1 else "all of these intervals"
        parts.append(
            f"In {which} the rate was above {rate}, up to which these processors are enough, by what was measured when "
            "it was decided."
        )
    return parts


@dataclass(frozen=True, slots=True)
class ReportedOutcome:
    """The outcome of a decision as somebody reported it; None: not reported.

    `ran_others`: other processors than recommended were applied. `applied_seconds` counts from the end of the
    decision's data.
    """

    state: str
    applied_seconds: float | None = None
    ran_others: bool = False
    measured_seconds: float | None = None
    kept: bool | None = None


def find_disagreements(
    promised: Promised, observed: ObservedOutcome, reported: ReportedOutcome
) -> tuple[Diagnostic, ...]:
    """Returns diagnostics where the report of an outcome and the snapshots disagree.

    They may disagree on whether and when the change was applied, and on whether the promise was kept.
    """
    found = [
        compare_states(observed, reported),
        compare_times(promised, observed, reported),
        compare_verdicts(promised, observed, reported),
    ]
    return tuple([one for one in found if one is not None])


def compare_states(observed: ObservedOutcome, reported: ReportedOutcome) -> Diagnostic | None:
    """Returns a diagnostic if a change was reported as applied but never seen, or seen but reported as not applied."""
    report = f"The change was reported as {reported.state}, but"
    if reported.state in RAN and observed.state == "not-applied" and not reported.ran_others:
        return Diagnostic("report-disagrees", f"{report} no snapshot shows the recommended processors.")
    if reported.state not in RAN and observed.state == "applied":
        return Diagnostic("report-disagrees", f"{report} snapshots show that the recommended processors ran.")
    return None


def compare_times(
    promised: Promised, observed: ObservedOutcome, reported: ReportedOutcome
) -> Diagnostic | None:
    """Returns a diagnostic if a change was seen before the reported time, or more than two intervals later.

    The interval of the change itself is mixed, so a difference of up to two intervals is normal.
    """
    if reported.state not in RAN or reported.applied_seconds is None or observed.state != "applied":
        return None
    later = (observed.begin_seconds or 0.0) - reported.applied_seconds
    if -promised.interval_seconds <= later <= USUAL_DELAY_INTERVALS * promised.interval_seconds:
        return None
    side = "after" if later > 0.0 else "before"
    detail = (
        f"The recommended processors were first seen {write_seconds(abs(later))} {side} the reported time."
    )
    return Diagnostic("report-time-disagrees", detail)


def compare_verdicts(
    promised: Promised, observed: ObservedOutcome, reported: ReportedOutcome
) -> Diagnostic | None:
    """Returns a diagnostic if the report and the snapshots disagree on whether the decision was kept.

    The report compares E[T] with the promise, the snapshots compare it with the target.
    """
    if reported.kept is None or observed.kept is None or reported.kept == observed.kept:
        return None
    detail = (
        f"The outcome that was reported for this decision has an E[T] of "
        f"{write_seconds(reported.measured_seconds or 0.0)}: {'at most' if reported.kept else 'more than'} "
        f"{write_most_kept(promised)}. In the stored snapshots E[T] was "
        f"{SIDES[observed.kept]} its limit of {write_seconds(promised.limit_seconds or 0.0)}."
    )
    return Diagnostic("report-verdict-disagrees", detail)
