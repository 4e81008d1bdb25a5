"""Writes what the bench found into planner/situations/known_errors.py, from which answers take it."""

from pathlib import Path

from benchmarks.truth_tables import Kind, Tables
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, QUANTILE_ERRORS, SCVS

PAGE = Path(__file__).parents[1] / "planner" / "situations" / "known_errors.py"
NAMES = {EVERYWHERE: "EVERYWHERE", ENTRIES: "ENTRIES", SCVS: "SCVS"}


def write_known_errors(tables: Tables) -> None:
    """Replace both tables, the text around them stays."""
    lines, quantile_lines = [], []
    for queueing, arrivals, knowledge in KNOWN_ERRORS:
        error = tables.mean(f"E[T], {knowledge}")[Kind(queueing, arrivals)]
        lines.append(
            f'    ("{queueing}", "{arrivals}", {NAMES[knowledge]}): {max(round(error, 3), 0.001)},\n'
        )
    for queueing, arrivals in QUANTILE_ERRORS:
        pair = [tables.mean(f"{time}, p99")[Kind(queueing, arrivals)] for time in ("total", "completion")]
        total, completion = (max(round(error, 2), 0.01) for error in pair)
        quantile_lines.append(f'    ("{queueing}", "{arrivals}"): ({total}, {completion}),\n')
    text = replace_table(PAGE.read_text(), " float] = {\n", lines)
    PAGE.write_text(replace_table(text, " tuple[float, float]] = {\n", quantile_lines))
    print(f"\nWritten: {PAGE}")


def replace_table(text: str, opening: str, lines: list[str]) -> str:
    """The text with other lines in the dictionary that begins behind `opening`."""
    before, _, rest = text.partition(opening)
    _, _, after = rest.partition("}\n")
    return before + opening + "".join(lines) + "}\n" + after
