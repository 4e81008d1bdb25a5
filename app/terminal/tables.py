"""Prints tables in terminals of any width: a table that is too wide is printed in parts, one below the other."""

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_OF_A_PIPE = 120
NARROWEST_TEXT = 24
"""The columns of a terminal that a text needs at least to be read in several lines."""


class Column(NamedTuple):
    """The heading of a column. `is_text`: words, which stand on the left; `wraps`: sentences in several lines."""

    name: str
    is_text: bool = False
    wraps: bool = False


Columns = Sequence[Column | str]
"""A text is the heading of a column of numbers."""


def open_console() -> Console:
    """Returns a console for standard output that is as wide as the terminal, or 120 columns wide in a pipe."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    return Console(width=width, highlight=False)


def print_lines(lines: Iterable[str]) -> None:
    """Prints texts, each on a line of its own, in which nothing stands for a colour."""
    console = open_console()
    for line in lines:
        console.print(Text(line))


def list_sizes(vms: Mapping[str, int]) -> str:
    """Says how many VMs of each size there are: `2 D3 + 1 D1`."""
    return " + ".join(f"{count} {size}" for size, count in vms.items()) or "none"


def print_table(
    named: Columns, rows: Sequence[Sequence[str]], title: str | None = None, keys: int = 1
) -> None:
    """Prints a table without cutting a text. The first `keys` columns name a row, and are repeated in each part."""
    columns = [Column(one) if isinstance(one, str) else one for one in named]
    console = open_console()
    part = [*range(keys)]
    for one in range(keys, len(columns)):
        if len(part) > keys and measure(console, make_table(columns, rows, [*part, one])) > console.width:
            print_part(columns, rows, part, title)
            part, title = [*range(keys)], None
        part.append(one)
    print_part(columns, rows, part, title)


def print_part(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], part: Sequence[int], title: str | None
) -> None:
    """Prints the columns of one part of a table, wider than the terminal if a number would be cut otherwise."""
    console, table = open_console(), make_table(columns, rows, part, title)
    console.width = max(console.width, measure(console, table))
    console.print(table)


def measure(console: Console, table: Table) -> int:
    """Returns the least width at which no text of the table is cut."""
    wide = console.options.update(width=10_000)
    return console.measure(table, options=wide).minimum


def make_table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], part: Sequence[int], title: str | None = None
) -> Table:
    """Makes the table of the columns in `part`; only texts that wrap may become narrower than they are."""
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left")
    for one in part:
        column = columns[one]
        longest = max(map(cell_len, [column.name, *(row[one] for row in rows)]))
        table.add_column(
            Text(column.name),
            justify="left" if column.is_text or column.wraps or one == part[0] else "right",
            no_wrap=not column.wraps,
            min_width=min(longest, NARROWEST_TEXT) if column.wraps else longest,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(row[one]) for one in part))
    return table
