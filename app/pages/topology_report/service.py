"""Writes the newest decision about a topology as a report."""

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from app.deciding.decisions.history import find_latest, find_topology_of
from app.pages.topology_report.answers import describe_decision
from app.rendering.blocks import Block, write_html, write_markdown

FORMATS: dict[str, tuple[Callable[[Sequence[Block]], str], str]] = {
    "html": (write_html, "text/html; charset=utf-8"),
    "markdown": (write_markdown, "text/markdown; charset=utf-8"),
}
"""By format: how it is written, and its media type."""


def write_report(session: Session, name: str, form: str) -> tuple[str, str]:
    """The report and its media type."""
    write, media_type = FORMATS[form]
    decision = find_latest(session, name)
    return write(describe_decision(name, decision, find_topology_of(session, decision))), media_type
