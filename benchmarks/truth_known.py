"""Writes the measured errors into planner/situations/known_errors.py, which answers use, and into the docs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.truth_tables import Kind, Tables
from planner.situations.known_errors import KNOWN_ERRORS
from planner.wording import write_percent

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "planner" / "situations" / "known_errors.py"
PAGE = ROOT / "docs" / "how-true-is-et.md"
OF_SOJOURN, OF_QUANTILES = "E[T], ", ("total, ", "completion, ")

Errors = Mapping[tuple[str, str], Mapping[str, float]]


def write_known_errors(tables: Tables) -> None:
    """Replace the table that answers take errors from, and both tables of the page."""
    errors: Errors = {
        kind: {answer: max(round(tables.mean(answer)[Kind(*kind)], 3), 0.001) for answer in row}
        for kind, row in KNOWN_ERRORS.items()
    }
    TABLE.write_text(replace_between(TABLE.read_text(), "float]] = {\n", '}\n"""By', list_lines(errors)))
    page = PAGE.read_text()
    for drawn in (draw_errors(errors, OF_SOJOURN), draw_errors(errors, *OF_QUANTILES)):
        page = replace_between(page, drawn.split("\n")[0] + "\n", "\n\n", drawn.split("\n", 1)[1])
    PAGE.write_text(page)
    print(f"\nWritten: {TABLE}, {PAGE}")


def list_lines(errors: Errors) -> str:
    """The table as Python."""
    rows = []
    for (queueing, arrivals), row in errors.items():
        cells = "".join(f'        "{answer}": {error},\n' for answer, error in row.items())
        rows.append(f'    ("{queueing}", "{arrivals}"): {{\n{cells}    }},\n')
    return "".join(rows)


def draw_errors(errors: Errors, *begins: str) -> str:
    """The answers whose names begin so, as a table of Markdown: a column for each answer."""
    answers = [one for one in next(iter(errors.values())) if one.startswith(begins)]
    titles = [one.removeprefix(OF_SOJOURN) for one in answers]
    lines = [draw_line(["queueing, input", *titles]), "|---" * (len(titles) + 1) + "|"]
    for kind, row in errors.items():
        lines.append(draw_line([", ".join(kind), *[write_percent(row[answer]) for answer in answers]]))
    return "\n".join(lines)


def draw_line(cells: Sequence[str]) -> str:
    """One line of a table of Markdown."""
    return f"| {' | '.join(cells)} |"


def replace_between(text: str, opening: str, closing: str, middle: str) -> str:
    """The text with another middle between two marks."""
    before, _, rest = text.partition(opening)
    _, _, after = rest.partition(closing)
    return before + opening + middle + closing + after
