"""A measured completion time far from the modelled one: a check of the whole, since no single wait follows from it."""

from planner.situations.disagreements import SOJOURN_TOLERANCE, say_seconds
from planner.values import Diagnostic, Estimate, Load, Spread


def compare_completion(load: Load, answer: Estimate, completion: Spread) -> tuple[Diagnostic, ...]:
    """A diagnostic where the measured completion is more than twice, or less than half, that of the same processors."""
    measured, modelled = load.measured_completion_seconds, completion.mean_seconds
    if not measured or not modelled or not is_running(load, answer):
        return ()
    ratio = measured / modelled
    if 1.0 / SOJOURN_TOLERANCE <= ratio <= SOJOURN_TOLERANCE:
        return ()
    cause = (
        "Tuples wait longer than modelled, or time passes outside the operators, as on the network."
        if ratio > 1.0
        else "Tuples wait less than modelled, or the log ends before the last of the derived tuples does."
    )
    detail = (
        f"The measured completion of {say_seconds(measured)} is {ratio:.3g} times {say_seconds(modelled)} as modelled, "
        f"the mean of the external tuples that were drawn. {cause}"
    )
    return (Diagnostic("completion-disagrees", detail),)


def is_running(load: Load, answer: Estimate) -> bool:
    """Whether the answer is about the processors that the load was measured with, as far as it says them."""
    return all(load.operators[one.name].processors in {None, one.processors} for one in answer.operators)
