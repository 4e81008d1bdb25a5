"""The console that tables are printed on."""

import sys

from rich.console import Console


def open_console() -> Console:
    """A console on standard output; 120 columns wide in a pipe, where rich would take 80."""
    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)
