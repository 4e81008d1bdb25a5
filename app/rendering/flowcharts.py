"""A graph as a flowchart of Mermaid, which GitHub and GitLab draw where they show Markdown."""

from app.rendering.graph_pictures import LEVELS, OVERLOADED, find_level, label_stream, say_load
from app.rendering.operator_graphs import DrawnOperator, OperatorGraph, find_part
from app.rendering.shapes import BLACK, QUIET
from app.rendering.texts import clean, shorten
from planner.wording import write_change

NAME_WIDTH, NAME_SIZE = 260.0, 12.0
PLAIN = frozenset(" .,:/%·→×–…-")
"""Signs that mean nothing in a label of Mermaid."""
CLASSES = {level: f"level{place}" for place, level in enumerate((*(one for _, one in LEVELS), OVERLOADED))}


def write_flowchart(graph: OperatorGraph) -> str:
    """The block for Markdown; the operators have ids of ours, and their names are labels."""
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
    """Every sign but letters, digits and plain ones as its number; Mermaid writes `#35;` for `#`."""
    return "".join(one if one.isalnum() or one in PLAIN else f"#{ord(one)};" for one in clean(text))


def _label_operator(one: DrawnOperator) -> str:
    """The same lines as the box of a picture."""
    counts = "" if one.running is None else f"{write_change(one.running, one.recommended)} processors"
    lines = [shorten(one.name, NAME_WIDTH, NAME_SIZE), say_load(one), counts]
    return "<br/>".join(quote_mermaid(line) for line in lines if line)
