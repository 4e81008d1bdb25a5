"""A gate's verdict as a report for a ticket or an artefact of a CI job."""

from app.gates.schemas import GateAnswer
from app.reports.blocks import Block, Bullets, Heading, Paragraph
from app.reports.estimate_blocks import list_diagnostics, list_evidence, list_operators, write_seconds
from app.reports.verdict_lines import list_findings, say_verdict, summarise


def describe_gate(answer: GateAnswer) -> list[Block]:
    """Verdict, checks, operators, evidence and diagnostics."""
    verdict = "passes" if answer.passed else "fails"
    return [
        Heading(f"The gate {verdict}", 1),
        Paragraph(summarise(answer)),
        Paragraph(f"E[T] is {write_seconds(answer.expected_sojourn_seconds)}."),
        Heading("Checks"),
        Bullets([f"{say_verdict(check)}: {check.name}. {check.detail}" for check in answer.checks]),
        Bullets(list_findings(answer)),
        *list_operators(answer, answer.suggestion.processors),
        *list_evidence(answer),
        *list_diagnostics(answer.diagnostics),
    ]
