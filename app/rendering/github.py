"""The verdict of a gate for GitHub Actions: annotations, and Markdown for the summary of a job."""

from html import escape

from app.planning.gates.schemas import GateAnswer
from app.rendering.verdict_lines import list_findings, say_verdict, summarise, write_values


def render_annotations(answer: GateAnswer) -> str:
    """GitHub's workflow commands: an error for each check that failed, or a notice that all passed."""
    findings = "\n".join(list_findings(answer))
    if answer.passed:
        return _annotate("notice", "Headgate: pass", f"{summarise(answer)}\n{findings}")
    return "".join(
        _annotate("error", f"Headgate: {check.name}", f"{check.detail}\n{findings}")
        for check in answer.checks
        if not check.passed
    )


def render_problem_annotation(why: str) -> str:
    """The annotation of a job that could not be judged."""
    return _annotate("error", "Headgate: could not judge", why)


def _annotate(level: str, title: str, message: str) -> str:
    """`::error title=...::...`, escaped as the runner's own toolkit does it."""
    safe = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{level} title={title.replace(':', '%3A').replace(',', '%2C')}::{safe}\n"


def render_markdown(answer: GateAnswer) -> str:
    """The verdict as Markdown, for the summary of a job."""
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
