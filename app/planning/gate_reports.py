"""Writes the verdict of a gate as a report: lines, blocks for a ticket, GitHub's annotations and summary, JUnit."""

from html import escape

from app.planning.gates.schemas import CheckAnswer, GateAnswer
from app.rendering.reports import (
    Block,
    Bullets,
    Heading,
    Paragraph,
    draw_operators,
    list_diagnostics,
    list_evidence,
    list_operators,
)
from planner.values import Topology
from planner.wording import UNBOUNDED, join_counts, write_factor, write_number, write_reach, write_seconds


def summarise(answer: GateAnswer) -> str:
    """Says the verdict of a gate in one line."""
    counts = join_counts(list(answer.processors.items()))
    verdict = "pass" if answer.passed else "FAIL"
    return (
        f"{verdict}: {answer.processors_total} processors ({answer.processors_origin}: {counts}) "
        f"at {write_number(answer.external_rate)} tuples/s ({answer.model})"
    )


def list_findings(answer: GateAnswer) -> list[str]:
    """Says a gate's headroom, its binding operator and its suggestion, each in a line."""
    headroom = answer.headroom_rate
    reach = "headroom: none, see the notes"
    if headroom is not None:
        has_target = any(check.name == "latency" for check in answer.checks)
        reach = f"headroom: {write_reach(answer.processors_total, headroom, has_target=has_target)}"
    if headroom is not None and answer.external_rate:
        reach += f", {write_factor(headroom / answer.external_rate, down=True)} the rate judged"
    return [
        reach,
        f"binding operator: {answer.binding_operator}",
        f"suggestion: {answer.suggestion.detail}",
    ]


def say_verdict(check: CheckAnswer) -> str:
    """Returns `pass` or `FAIL` for a check of a gate."""
    return "pass" if check.passed else "FAIL"


def write_values(check: CheckAnswer) -> tuple[str, str]:
    """Writes a check's value and limit with six digits, because a check can fail by less than three digits show."""
    return write_number(check.value, UNBOUNDED, 6), write_number(check.limit, UNBOUNDED, 6)


def describe_gate(answer: GateAnswer, topology: Topology | None = None) -> list[Block]:
    """Returns the report's blocks: verdict, checks, operators, their graph if the topology is given, and evidence."""
    wanted = answer.suggestion.processors
    verdict = "passes" if answer.passed else "fails"
    return [
        Heading(f"The gate {verdict}", 1),
        Paragraph(summarise(answer)),
        Paragraph(f"E[T] is {write_seconds(answer.expected_sojourn_seconds, UNBOUNDED)}."),
        Heading("Checks"),
        Bullets([f"{say_verdict(check)}: {check.name}. {check.detail}" for check in answer.checks]),
        Bullets(list_findings(answer)),
        *([] if topology is None else draw_operators(topology, answer, wanted)),
        *list_operators(answer, wanted),
        *list_evidence(answer),
        *list_diagnostics(answer.diagnostics),
    ]


def render_annotations(answer: GateAnswer) -> str:
    """Writes workflow commands of GitHub: an error for each failed check, or a notice that all checks passed."""
    findings = "\n".join(list_findings(answer))
    if answer.passed:
        return _annotate("notice", "Headgate: pass", f"{summarise(answer)}\n{findings}")
    return "".join(
        _annotate("error", f"Headgate: {check.name}", f"{check.detail}\n{findings}")
        for check in answer.checks
        if not check.passed
    )


def render_problem_annotation(why: str) -> str:
    """Writes the workflow command of GitHub that tells why a gate came to no verdict."""
    return _annotate("error", "Headgate: could not judge", why)


def _annotate(level: str, title: str, message: str) -> str:
    """Writes a workflow command of GitHub (`::error title=...::...`), escaped as GitHub's own toolkit escapes it."""
    safe = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{level} title={title.replace(':', '%3A').replace(',', '%2C')}::{safe}\n"


def render_markdown(answer: GateAnswer) -> str:
    """Writes the verdict of a gate as Markdown for the summary of a GitHub job."""
    rows = [
        f"| {check.name} | {say_verdict(check)} | {' | '.join(write_values(check))} | {_cell(check.detail)} |"
        for check in answer.checks
    ]
    lines = [
        "### Headgate",
        "",
        _cell(summarise(answer)),
        "",
        "| check | verdict | value | limit | |",
        "|---|---|---:|---:|---|",
        *rows,
        "",
        *(f"- {_cell(line)}" for line in list_findings(answer)),
        *(f"- note: {_cell(said.detail)}" for said in answer.diagnostics),
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return escape(text.replace("\n", " ").replace("|", "\\|"), quote=False)


CLASS_NAME = "headgate.gate"


def render_junit(answer: GateAnswer) -> str:
    """Writes the verdict of a gate as JUnit XML, with a test case for each check."""
    findings = "\n".join([summarise(answer), *list_findings(answer)])
    cases = []
    for check in answer.checks:
        failure = (
            ""
            if check.passed
            else f'<failure message="{escape(check.detail)}" type="{check.name}">{escape(findings)}</failure>'
        )
        cases.append(
            f'<testcase classname="{CLASS_NAME}" name="{check.name}" time="0">{failure}'
            f"<system-out>{escape(check.detail)}</system-out></testcase>"
        )
    return _render_suite(cases, failures=sum(not check.passed for check in answer.checks), errors=0)


def render_junit_problem(why: str) -> str:
    """Writes JUnit XML with one error, for a gate that came to no verdict."""
    readable = "".join(one if one.isprintable() or one == "\n" else "�" for one in why)
    error = f'<error message="could not judge" type="could-not-judge">{escape(readable)}</error>'
    case = f'<testcase classname="{CLASS_NAME}" name="judge" time="0">{error}</testcase>'
    return _render_suite([case], failures=0, errors=1)


def _render_suite(cases: list[str], failures: int, errors: int) -> str:
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="0" time="0"'
    body = "\n    ".join(cases)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="headgate" {counts}>\n  <testsuite name="headgate gate" {counts}>\n'
        f"    {body}\n  </testsuite>\n</testsuites>\n"
    )
