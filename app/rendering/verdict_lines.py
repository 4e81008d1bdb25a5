"""The verdict of a gate in lines of text, which all reports share."""

from app.planning.gates.schemas import CheckAnswer, GateAnswer


def summarise(answer: GateAnswer) -> str:
    """The verdict in a line."""
    counts = ", ".join(f"{name} {count}" for name, count in list(answer.processors.items())[:20])
    more = len(answer.processors) - 20
    counts += f" and {more} operators more" if more > 0 else ""
    verdict = "pass" if answer.passed else "FAIL"
    return (
        f"{verdict}: {answer.processors_total} processors ({answer.processors_origin}: {counts}) "
        f"at {answer.external_rate:g} tuples/s ({answer.model})"
    )


def list_findings(answer: GateAnswer) -> list[str]:
    """The headroom, the binding operator and the suggestion, each in a line."""
    headroom = answer.headroom_rate
    if headroom is None:
        holds = "headroom: none, see the notes"
    elif answer.external_rate:
        share = f"{headroom / answer.external_rate:.4g} times the rate judged"
        holds = f"headroom: holds up to {headroom:.6g} tuples/s, {share}"
    else:
        holds = f"headroom: holds up to {headroom:.6g} tuples/s"
    return [
        holds,
        f"binding operator: {answer.binding_operator}",
        f"suggestion: {answer.suggestion.detail}",
    ]


def say_verdict(check: CheckAnswer) -> str:
    """pass or FAIL."""
    return "pass" if check.passed else "FAIL"


def write_number(value: float | None) -> str:
    """Six digits; ∞ for null."""
    return "∞" if value is None else f"{value:.6g}"
