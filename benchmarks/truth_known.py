"""Writes what the bench found into planner/plans/known_errors.py, from which answers take it."""

from pathlib import Path

from benchmarks.truth_tables import Kind, Tables
from planner.situations.known_errors import ENTRIES, EVERYWHERE, KNOWN_ERRORS, SCVS

PAGE = Path(__file__).parents[1] / "planner" / "plans" / "known_errors.py"
NAMES = {EVERYWHERE: "EVERYWHERE", ENTRIES: "ENTRIES", SCVS: "SCVS"}


def write_known_errors(tables: Tables) -> None:
    """Replace the table, the text around it stays."""
    lines = []
    for queueing, arrivals, knowledge in KNOWN_ERRORS:
        error = tables.mean(f"E[T], {knowledge}")[Kind(queueing, arrivals)]
        lines.append(
            f'    ("{queueing}", "{arrivals}", {NAMES[knowledge]}): {max(round(error, 3), 0.001)},\n'
        )
    before, _, rest = PAGE.read_text().partition("float] = {\n")
    _, _, after = rest.partition("}\n")
    PAGE.write_text(before + "float] = {\n" + "".join(lines) + "}\n" + after)
    print(f"\nWritten: {PAGE}")
