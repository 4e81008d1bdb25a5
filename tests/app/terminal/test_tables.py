"""Tables at any width: no name and no number is cut."""

import contextlib
import os
import pty
import subprocess
import sys

import pytest
from rich.text import Text

from app.terminal.tables import Column, open_console, print_table
from tests.app.processes import HEADGATE, environment
from tests.app.test_cli import FILES


def test_a_line_of_120_characters_is_not_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]):
    assert not sys.stdout.isatty()
    open_console().print(Text("x" * 120))
    assert capsys.readouterr().out == "x" * 120 + "\n"


def test_numbers_are_not_coloured(capsys: pytest.CaptureFixture[str]):
    open_console().print("63.32 ms")
    assert capsys.readouterr().out == "63.32 ms\n"


COLUMNS = [
    Column("operator"),
    *map(Column, ("processors", "busy", "wait", "one more")),
    Column("why", wraps=True),
]
ROWS = [
    [
        "an-operator-with-a-long-name",
        "1,200",
        "84%",
        "1.97 ms",
        "-1.36 ms",
        "This operator is the busiest of all.",
    ],
    ["b", "3", "above 99%", "unbounded", "+19.3 ms", ""],
]


@pytest.mark.parametrize("width", [200, 120, 80, 60, 40, 10])
def test_every_name_and_number_is_whole_at_any_width(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")  # no bold headings
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_table(COLUMNS, ROWS, title="A title.")
    lines = capsys.readouterr().out.splitlines()
    shown = "\n".join(lines)
    for cell in [one for row in [*ROWS, [column.name for column in COLUMNS]] for one in row[:-1]]:
        assert cell in shown, cell
    for word in ROWS[0][-1].split():
        assert word in shown
    assert "…" not in shown
    assert max(map(len, lines)) <= max(width, 60), (
        "a name that is wider than the terminal alone makes it wider"
    )
    parts = shown.count("─ ")
    assert parts == shown.count(ROWS[0][0]), "each part begins with the names"
    assert (parts > 1) is (width < 120)


def run_in_terminal(width: str, *arguments: str) -> str:
    """What a command shows on a terminal of so many columns; a dumb terminal gets no bold headings."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [HEADGATE, *arguments],
        env=environment(data_dir="/nonexistent") | {"COLUMNS": width, "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        check=True,
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends the reading of a closed terminal so
        while part := os.read(ours, 65_536):
            shown += part
    os.close(ours)
    return shown.decode()


@pytest.mark.parametrize("width", ["80", "60", "40"])
def test_the_example_of_the_readme_is_whole(width: str):
    shown = run_in_terminal(width, "plan", "min-latency", *FILES, "--k-max", "22")
    for cell in (
        "generator",
        "detector",
        "reporter",
        "1,420",
        "0.222",
        "32.1 ms",
        "-4.25 ms",
        "+5.84 ms",
        "one fewer",
    ):
        assert cell in shown
    assert max(map(len, shown.splitlines())) <= int(width)
