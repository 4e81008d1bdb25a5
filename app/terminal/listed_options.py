"""Options that hold a list: counts by operator (`a=3,b=4`, or a file of such pairs), and levels of quantiles."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.terminal.files import read_document
from app.terminal.refusals import Refused


def read_counts(option: str, given: Sequence[str] | None) -> dict[str, Any] | None:
    """The counts of all uses of an option; None where it is not given."""
    counts: dict[str, Any] = {}
    for one in given or []:
        counts |= _read_pairs(one) or _read_file(option, one)
    return counts or None


def _read_pairs(text: str) -> dict[str, int]:
    """`a=3,b=4`, or one pair whose name has a comma; nothing where it is neither."""
    for parts in (text.split(","), [text]):
        pairs = [part.rpartition("=") for part in parts]
        if all(name.strip() and count.strip().isdecimal() for name, _, count in pairs):
            return {name.strip(): int(count) for name, _, count in pairs}
    return {}


def _read_file(option: str, text: str) -> dict[str, Any]:
    document = read_document(Path(text)) if Path(text).is_file() else None
    if not isinstance(document, dict):
        raise Refused(
            f"{option} {text}: write operator=count, e.g. detector=13,reporter=3, or name a file of such pairs"
        )
    return document


def read_levels(given: str | None) -> list[float] | None:
    """The numbers of --quantiles; None where it is not given."""
    if given is None:
        return None
    try:
        return [float(level) for level in given.split(",")]
    except ValueError as error:
        raise Refused(
            f"--quantiles {given}: write numbers with commas between them, e.g. 0.5,0.95,0.99"
        ) from error
