"""A report as blocks, and the blocks as Markdown or as one self-contained HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from app.rendering.flowcharts import write_flowchart
from app.rendering.graph_pictures import draw_graph
from app.rendering.operator_graphs import OperatorGraph, find_part
from app.rendering.svg_writing import write_svg

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem;color:#16191d;"
    "background:#fff}table{border-collapse:collapse}th,td{text-align:left;padding:.3rem .8rem .3rem 0;"
    "border-bottom:1px solid #d4d9df}h1{font-size:1.4rem}h2{font-size:1.1rem}"
    ".wide{overflow-x:auto;width:max-content;max-width:calc(100vw - 2rem);position:relative;left:50%;"
    "transform:translateX(-50%)}"
)
MARKDOWN_SIGNS = "\\`*_{}[]<>#|!~&"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; the first of a report is its title."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table; all cells are text."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Diagram:
    """A graph of operators: a picture in HTML, a flowchart in Markdown."""

    graph: OperatorGraph


Block = Heading | Paragraph | Bullets | ReportTable | Diagram


def write_markdown(blocks: Sequence[Block]) -> str:
    """The blocks as Markdown; signs of Markdown in the data stay text."""
    return "\n\n".join(_to_markdown(block) for block in blocks) + "\n"


def _to_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {quote_markdown(block.text)}"
    if isinstance(block, Paragraph):
        return quote_markdown(block.text)
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
    """The text with every sign of Markdown quoted, in one line."""
    return "".join(f"\\{sign}" if sign in MARKDOWN_SIGNS else sign for sign in " ".join(text.split()))


def write_html(blocks: Sequence[Block]) -> str:
    """The blocks as one page that needs no other file and runs no script."""
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
    if isinstance(block, Bullets):
        return "<ul>\n" + "\n".join(f"<li>{escape(item)}</li>" for item in block.items) + "\n</ul>"
    if isinstance(block, Diagram):
        shown = write_svg(draw_graph(block.graph))
        return f'<div class="wide" tabindex="0" role="group" aria-label="Operators and streams">{shown}</div>'
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in block.header)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in block.rows
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
