"""Tables keep their width where standard output is not a terminal."""

import sys

import pytest
from rich.text import Text

from app.terminal.commands import open_console


def test_a_line_of_120_characters_is_not_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]):
    assert not sys.stdout.isatty()
    open_console().print(Text("x" * 120))
    assert capsys.readouterr().out == "x" * 120 + "\n"


def test_numbers_are_not_coloured(capsys: pytest.CaptureFixture[str]):
    open_console().print("63.32 ms")
    assert capsys.readouterr().out == "63.32 ms\n"
