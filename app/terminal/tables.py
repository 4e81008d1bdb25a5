"""The console that tables are printed on."""

import sys

from rich.console import Console


def open_console() -> Console:
    """Standard output; piped, it has no width of its own, and rich would cut at 80 columns."""
    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)
