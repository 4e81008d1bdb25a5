"""A gate's verdict as a report for a ticket or an artefact of a CI job."""

from app.planning.gates.schemas import GateAnswer
from app.rendering.blocks import Block, Bullets, Heading, Paragraph
from app.rendering.estimate_blocks import (
    draw_operators,
    list_diagnostics,
    list_evidence,
    list_operators,
)
from app.rendering.verdict_lines import list_findings, say_verdict, summarise
from planner.values import Topology
from planner.wording import UNBOUNDED, write_seconds


def describe_gate(answer: GateAnswer, topology: Topology | None = None) -> list[Block]:
    """Verdict, checks, operators with their graph where the topology is known, evidence and diagnostics."""
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
