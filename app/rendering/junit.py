"""The verdict of a gate as a JUnit report, which every CI system shows."""

from html import escape

from app.planning.gates.schemas import GateAnswer
from app.rendering.verdict_lines import list_findings, summarise

CLASS_NAME = "headgate.gate"


def render_junit(answer: GateAnswer) -> str:
    """A test case for each check."""
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
    """A suite with one error, for a job that could not be judged."""
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
