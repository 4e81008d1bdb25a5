"""Counts and times as a bridge writes them."""

from collections.abc import Mapping
from math import isinf

from app.engines.patches import Counts


def say_counts(counts: Counts, beside: Mapping[str, int] | None = None) -> str:
    """The counts that differ from those beside them, as text."""
    shown = [f"{name} {count}" for name, count in counts.items() if not beside or beside.get(name) != count]
    if beside:
        shown += [f"no {name}" for name in beside if name not in counts]
    return ", ".join(shown) or "the same"


def say_seconds(seconds: float | None) -> str:
    """A time as text."""
    if seconds is None:
        return "not known"
    return "infinite" if isinf(seconds) else f"{seconds:.4g} s"
