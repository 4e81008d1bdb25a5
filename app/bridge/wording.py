"""Counts as a bridge writes them."""

from collections.abc import Mapping

from app.engines.patches import Counts


def say_counts(counts: Counts, beside: Mapping[str, int] | None = None) -> str:
    """The counts that differ from those beside them, as text."""
    shown = [f"{name} {count}" for name, count in counts.items() if not beside or beside.get(name) != count]
    if beside:
        shown += [f"no {name}" for name in beside if name not in counts]
    return ", ".join(shown) or "the same"
