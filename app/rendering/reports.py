"""Writes reports from blocks as Markdown or as one HTML page, and makes the blocks that describe an estimate.

A graph of operators is a picture in HTML. In Markdown, the graph is a flowchart of Mermaid, which GitHub and GitLab
draw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from app.load.bodies.answers import DiagnosticAnswer, EstimateAnswer
from app.rendering.graph_pictures import LEVELS, OVERLOADED, draw_graph, find_level, label_stream, say_load
from app.rendering.operator_graphs import DrawnOperator, OperatorGraph, find_part, graph_estimate
from app.rendering.picture_files import write_svg
from app.rendering.picture_shapes import BLACK, QUIET, clean, shorten
from planner.values import Topology
from planner.wording import (
    UNBOUNDED,
    write_change,
    write_counted,
    write_number,
    write_percent,
    write_rate,
    write_seconds,
)

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem;color:#16191d;"
    "background:#fff;overflow-wrap:anywhere}"
    "table{border-collapse:collapse;display:block;overflow-x:auto;overflow-wrap:normal}td+td{white-space:nowrap}"
    "th,td{text-align:left;padding:.3rem .8rem .3rem 0;"
    "border-bottom:1px solid #d4d9df}h1{font-size:1.4rem}h2{font-size:1.1rem}"
    ".wide{overflow-x:auto;width:max-content;max-width:calc(100vw - 2rem);position:relative;left:50%;"
    "transform:translateX(-50%)}.narrow{display:none;overflow-x:auto}"
    "@media(max-width:42rem){.wide{display:none}.narrow{display:block}}"
)
QUEUEING_WORDS = {
    "shared": "one queue for all",
    "round-robin": "a queue each, in turn",
    "random": "a queue each, at random",
    "keyed": "a queue each, by key",
}
"""How tuples reach the processors of an operator, as the dashboard says it too."""
MARKDOWN_SIGNS = "\\`*_{}[]<>#|!~&"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; the first heading of a report is its title."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of text in a report."""

    text: str


@dataclass(frozen=True, slots=True)
class PageLink:
    """A paragraph that leads to another address of the service: a link in HTML, and its address in Markdown."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of texts in a report, each behind a bullet."""

    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table in a report; all cells are text."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Diagram:
    """A graph of operators in a report: a picture in HTML, a flowchart in Markdown."""

    graph: OperatorGraph


Block = Heading | Paragraph | PageLink | Bullets | ReportTable | Diagram

WORDS = (
    "E[T] is the mean total time that operators spend on one external tuple and on all tuples that derive from it, "
    "waits included. It is measured by your snapshots, or estimated by the model; an expected E[T] is an estimate "
    "corrected by how long tuples were measured to wait; where no waits were measured, it is the estimate itself. A "
    "processor serves one tuple at a time: a thread, an executor, a subtask."
)
"""What E[T] and a processor are, as the pages of the dashboard say it too."""


def write_markdown(blocks: Sequence[Block]) -> str:
    """Writes the blocks as Markdown; Markdown signs in the data are quoted."""
    return "\n\n".join(_to_markdown(block) for block in blocks) + "\n"


def _to_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {quote_markdown(block.text)}"
    if isinstance(block, Paragraph):
        return quote_markdown(block.text)
    if isinstance(block, PageLink):
        return f"{quote_markdown(block.text)}: `{block.address}`"
    if isinstance(block, Bullets):
        return "\n".join(f"- {quote_markdown(item)}" for item in block.items)
    if isinstance(block, Diagram):
        said = [quote_markdown(line) for line in find_part(block.graph).lines]
        return "\n\n".join([*said, write_flowchart(block.graph)])
    lines = [block.header, ["---"] * len(block.header), *block.rows]
    return "\n".join(
        "| " + " | ".join(cell if place == 1 else quote_markdown(cell) for cell in line) + " |"
        for place, line in enumerate(lines)
    )


def quote_markdown(text: str) -> str:
    """Returns the text in one line, with every sign of Markdown quoted."""
    return "".join(f"\\{sign}" if sign in MARKDOWN_SIGNS else sign for sign in " ".join(text.split()))


def write_html(blocks: Sequence[Block]) -> str:
    """Writes the blocks as one HTML page, which needs no other file and runs no script."""
    title = next((block.text for block in blocks if isinstance(block, Heading)), "Headgate")
    body = "\n".join(_to_html(block) for block in blocks)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _to_html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, PageLink):
        return f'<p><a href="{escape(block.address)}">{escape(block.text)}</a></p>'
    if isinstance(block, Bullets):
        return "<ul>\n" + "\n".join(f"<li>{escape(item)}</li>" for item in block.items) + "\n</ul>"
    if isinstance(block, Diagram):
        return "".join(_show_graph(block.graph, is_narrow=one) for one in (False, True))
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in block.header)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in block.rows
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _show_graph(graph: OperatorGraph, *, is_narrow: bool) -> str:
    """The picture for screens, or the narrow one in its place for phones."""
    of, shown = "narrow" if is_narrow else "wide", write_svg(draw_graph(graph, is_narrow=is_narrow))
    return f'<div class="{of}" tabindex="0" role="group" aria-label="Operators and streams">{shown}</div>'


NAME_WIDTH, NAME_SIZE = 260.0, 12.0
PLAIN = frozenset(" .,:/%·→×–…-")
"""Signs without a special meaning in a label of Mermaid."""
CLASSES = {level: f"level{place}" for place, level in enumerate((*(one for _, one in LEVELS), OVERLOADED))}


def write_flowchart(graph: OperatorGraph) -> str:
    """Writes a graph as a Mermaid block for Markdown; operators have numbers as ids, and names as labels."""
    part = find_part(graph)
    lines = ["flowchart LR"]
    for place, one in enumerate(part.operators):
        known = "" if one.busy is None else f":::{CLASSES[find_level(one.busy)]}"
        lines.append(f'  n{place}["{_label_operator(one)}"]{known}')
    for stream in part.streams:
        text = label_stream(stream)
        arrow = f'-->|"{quote_mermaid(text)}"|' if text else "-->"
        lines.append(f"  n{stream.source} {arrow} n{stream.target}")
    for level, name in CLASSES.items():
        lines.append(f"  classDef {name} fill:{level.fill},stroke:{QUIET},color:{BLACK}")
    return "\n".join(["```mermaid", *lines, "```"])


def quote_mermaid(text: str) -> str:
    """Returns the text with special signs written as numbers, as Mermaid expects: `#35;` for `#`."""
    return "".join(one if one.isalnum() or one in PLAIN else f"#{ord(one)};" for one in clean(text))


def _label_operator(one: DrawnOperator) -> str:
    """Returns the label of an operator in a flowchart, with the lines that its box in a picture has."""
    counts = "" if one.running is None else f"{write_change(one.running, one.recommended)} processors"
    lines = [shorten(one.name, NAME_WIDTH, NAME_SIZE), say_load(one), counts]
    return "<br/>".join(quote_mermaid(line) for line in lines if line)


def draw_operators(
    topology: Topology, estimate: EstimateAnswer, recommended: Mapping[str, int] | None
) -> list[Block]:
    """Returns the block with the graph of operators and streams."""
    return [Diagram(graph_estimate("Operators and streams", [], topology, estimate, recommended))]


def list_operators(estimate: EstimateAnswer, recommended: Mapping[str, int] | None) -> list[Block]:
    """Returns a table of the operators, the busiest first, with recommended processors if there are any."""
    header = ["operator", "busy", "arrivals per s", "one processor serves per s", "wait", "wait + service"]
    header += ["how tuples queue", "processors"]
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
                QUEUEING_WORDS.get(one.queueing, one.queueing),
                counts,
            ]
        )
    said = f"Busy, wait and service are estimates for the {write_counted(estimate.processors_total, 'processor')}"
    said += f" of this table, at {write_rate(estimate.external_rate)}."
    if recommended is not None:
        said += " An arrow leads to what is recommended."
    return [Heading("Operators"), Paragraph(said), ReportTable(header, rows)]


def list_evidence(estimate: EstimateAnswer) -> list[Block]:
    """Returns blocks with the known error of the estimate for this kind of input, and with its assumptions."""
    evidence = estimate.evidence
    if evidence is None:
        return []
    blocks: list[Block] = [
        Heading("How true the estimated E[T] is"),
        Paragraph(evidence.detail),
    ]
    if evidence.assumed:
        blocks += [Paragraph("Assumed, because it was not measured:"), Bullets(evidence.assumed)]
    return blocks


def list_diagnostics(diagnostics: Sequence[DiagnosticAnswer]) -> list[Block]:
    """Returns the diagnostics of an answer as a list with a heading."""
    if not diagnostics:
        return []
    return [
        Heading("Notes on the data"),
        Bullets([f"{one.detail} ({one.code})" for one in diagnostics]),
    ]
