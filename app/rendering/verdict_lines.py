"""The verdict of a gate in lines of text, which all reports share."""

from app.planning.gates.schemas import CheckAnswer, GateAnswer
from planner.wording import UNBOUNDED, join_counts, write_factor, write_number


def summarise(answer: GateAnswer) -> str:
    """The verdict in a line."""
    counts = join_counts(list(answer.processors.items()))
    verdict = "pass" if answer.passed else "FAIL"
    return (
        f"{verdict}: {answer.processors_total} processors ({answer.processors_origin}: {counts}) "
        f"at {write_number(answer.external_rate)} tuples/s ({answer.model})"
    )


def list_findings(answer: GateAnswer) -> list[str]:
    """The headroom, the binding operator and the suggestion, each in a line."""
    headroom = answer.headroom_rate
    if headroom is None:
        holds = "headroom: none, see the notes"
    elif answer.external_rate:
        share = f"{write_factor(headroom / answer.external_rate)} the rate judged"
        holds = f"headroom: holds up to {write_number(headroom)} tuples/s, {share}"
    else:
        holds = f"headroom: holds up to {write_number(headroom)} tuples/s"
    return [
        holds,
        f"binding operator: {answer.binding_operator}",
        f"suggestion: {answer.suggestion.detail}",
    ]


def say_verdict(check: CheckAnswer) -> str:
    """pass or FAIL."""
    return "pass" if check.passed else "FAIL"


def write_values(check: CheckAnswer) -> tuple[str, str]:
    """The value and the limit of a check in six digits, since one may miss the other by little."""
    return write_number(check.value, UNBOUNDED, 6), write_number(check.limit, UNBOUNDED, 6)
