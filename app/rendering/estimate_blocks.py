"""The parts of a report that an estimate gives: operators, evidence, and what to know of the data."""

from collections.abc import Mapping, Sequence

from app.load.bodies.answers import DiagnosticAnswer, EstimateAnswer
from app.rendering.blocks import Block, Bullets, Diagram, Heading, Paragraph, ReportTable
from app.rendering.estimate_graphs import graph_estimate
from planner.values import Topology
from planner.wording import UNBOUNDED, write_number, write_percent, write_seconds


def draw_operators(
    topology: Topology, estimate: EstimateAnswer, recommended: Mapping[str, int] | None
) -> list[Block]:
    """The operators and streams as a graph."""
    return [Diagram(graph_estimate("Operators and streams", [], topology, estimate, recommended))]


def list_operators(estimate: EstimateAnswer, recommended: Mapping[str, int] | None) -> list[Block]:
    """The operators as a table, the busiest first; with what is recommended, where something is."""
    header = ["operator", "busy", "arrivals per s", "one processor serves per s", "wait", "wait + service"]
    header += ["queueing", "processors"]
    rows = []
    for one in sorted(estimate.operators, key=lambda one: -(one.hottest_utilisation or one.utilisation)):
        wanted = one.processors if recommended is None else recommended.get(one.name, one.processors)
        counts = str(one.processors) if wanted == one.processors else f"{one.processors} → {wanted}"
        rows.append(
            [
                one.name,
                write_percent(one.hottest_utilisation or one.utilisation),
                write_number(one.arrival_rate),
                write_number(one.service_rate),
                write_seconds(one.wait_seconds, UNBOUNDED),
                write_seconds(one.sojourn_seconds, UNBOUNDED),
                one.queueing,
                counts,
            ]
        )
    return [Heading("Operators"), ReportTable(header, rows)]


def list_evidence(estimate: EstimateAnswer) -> list[Block]:
    """How true the estimate is for this kind of input."""
    evidence = estimate.evidence
    if evidence is None:
        return []
    known = (
        "is not known"
        if evidence.known_error is None
        else f"is {write_percent(evidence.known_error)} on average"
    )
    text = f"The error of E[T] for this kind of input ({evidence.kind}) {known}, against simulation."
    if evidence.assumed:
        text += f" Assumed, not measured: {', '.join(evidence.assumed)}."
    return [Heading("How true it is"), Paragraph(text)]


def list_diagnostics(diagnostics: Sequence[DiagnosticAnswer]) -> list[Block]:
    """What to know of the data."""
    if not diagnostics:
        return []
    return [
        Heading("What to know of the data"),
        Bullets([f"{one.detail} ({one.code})" for one in diagnostics]),
    ]
