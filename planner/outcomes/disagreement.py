"""Where what was reported of a decision and what the snapshots show do not go together."""

from dataclasses import dataclass

from planner.outcomes.observed import ObservedOutcome, Promised
from planner.values import Diagnostic
from planner.wording import write_seconds

RAN = {"applied", "rolled-back"}
VERDICTS = {True: "kept", False: "missed"}


@dataclass(frozen=True, slots=True)
class ReportedOutcome:
    """What somebody reported; None: not reported. `ran_others`: other processors than recommended were applied.

    `applied_seconds` counts from the end of the data that the decision was made on.
    """

    state: str
    applied_seconds: float | None = None
    ran_others: bool = False
    measured_seconds: float | None = None
    kept: bool | None = None


def find_disagreements(
    promised: Promised, observed: ObservedOutcome, reported: ReportedOutcome
) -> tuple[Diagnostic, ...]:
    """A diagnostic each for whether it ran, since when, and whether it was kept."""
    found = [
        compare_states(observed, reported),
        compare_times(promised, observed, reported),
        compare_verdicts(promised, observed, reported),
    ]
    return tuple([one for one in found if one is not None])


def compare_states(observed: ObservedOutcome, reported: ReportedOutcome) -> Diagnostic | None:
    """Reported as running and never seen to, or the other way round."""
    report = f"It was reported as {reported.state}, and"
    if reported.state in RAN and observed.state == "not-applied" and not reported.ran_others:
        return Diagnostic("report-disagrees", f"{report} no interval shows the recommended processors.")
    if reported.state not in RAN and observed.state == "applied":
        return Diagnostic("report-disagrees", f"{report} snapshots show that the recommended processors ran.")
    return None


def compare_times(
    promised: Promised, observed: ObservedOutcome, reported: ReportedOutcome
) -> Diagnostic | None:
    """Seen before it was reported, or more than two intervals later: the interval of the change itself is mixed."""
    if reported.state not in RAN or reported.applied_seconds is None or observed.state != "applied":
        return None
    later = (observed.begin_seconds or 0.0) - reported.applied_seconds
    if -promised.interval_seconds <= later <= 2.0 * promised.interval_seconds:
        return None
    side = "after" if later > 0.0 else "before"
    detail = (
        f"The recommended processors were first seen {write_seconds(abs(later))} {side} the reported time."
    )
    return Diagnostic("report-time-disagrees", detail)


def compare_verdicts(
    promised: Promised, observed: ObservedOutcome, reported: ReportedOutcome
) -> Diagnostic | None:
    """Kept by one and missed by the other: the report compares with the promise, snapshots with the target."""
    if reported.kept is None or observed.kept is None or reported.kept == observed.kept:
        return None
    detail = (
        f"By the report (E[T] {write_seconds(reported.measured_seconds or 0.0)}, against the promised "
        f"{write_seconds(promised.expected_seconds or 0.0)} with its known error) it was {VERDICTS[reported.kept]}. By "
        f"the snapshots (against {write_seconds(promised.limit_seconds or 0.0)}, the {promised.limit_source}) it was "
        f"{VERDICTS[observed.kept]}."
    )
    return Diagnostic("report-verdict-disagrees", detail)
