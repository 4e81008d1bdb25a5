"""Groups of commands, and what their help calls the values of options."""

from pathlib import Path
from typing import Optional

import pytest
import typer
from typer.testing import CliRunner

from app.terminal.groups import CommandPlace, LazyGroup, describe_type, make_command, open_group


@pytest.mark.parametrize(
    ("annotation", "word"),
    [
        (int, "NUMBER"),
        (float | None, "NUMBER"),
        (Optional[Path], "FILE"),  # noqa: UP045  # as Typer keeps it
        (list[str], "TEXT"),
        (bool, None),
    ],
)
def test_a_type_has_a_word(annotation: object, word: str | None):
    assert describe_type(annotation) == word


def greet(name: str, times: int = 1) -> None:
    """Not shown: the group has its own sentence."""
    typer.echo(f"hello {name} " * times)


class Greetings(LazyGroup):
    """One command that can be imported, and one that cannot."""

    places = {  # noqa: RUF012
        "greet": CommandPlace(__name__, "greet", "Greets by name."),
        "broken": CommandPlace("no.such.module", "nothing", "Is not imported."),
    }


def test_a_command_is_imported_when_it_is_called():
    group = open_group(Greetings)
    group.callback()(lambda: None)
    listed = CliRunner().invoke(group, ["--help"])
    assert "broken  Is not imported." in listed.stdout
    assert CliRunner().invoke(group, ["greet", "you", "--times", "2"]).stdout == "hello you hello you \n"
    assert isinstance(CliRunner().invoke(group, ["broken"]).exception, ModuleNotFoundError)


def test_help_of_a_command_has_words():
    group = open_group()
    made = make_command("greet", greet, "Greets by name.")
    help_text = made.get_help(typer.Context(made)) if group else ""
    assert "--times NUMBER" in help_text
    assert "Greets by name." in help_text
    assert "<" not in help_text
