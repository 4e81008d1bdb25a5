"""Groups of commands that import a command only when it is called, with help in words instead of Python's types."""

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

import typer
from typer._click.shell_completion import CompletionItem
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

WORDS = {int: "NUMBER", float: "NUMBER", str: "TEXT", Path: "FILE"}
"""What help writes for the value of an option, by its type."""


class PlainCommand(TyperCommand):
    """A command whose help names the values of its options in words."""

    def __init__(self, *named: Any, **given: Any) -> None:
        super().__init__(*named, **given)
        for one in self.params:
            if isinstance(one, TyperOption) and one.metavar is None and not one.is_flag:
                one.metavar = describe_type(one.type_descriptor.annotation)
            elif isinstance(one, TyperArgument):
                one.display_type_rich = describe_nothing  # type: ignore[method-assign]


def describe_nothing(ctx: Any) -> None:  # Typer names the argument
    """Writes no type in the help of an argument, because its name and its help say enough."""


def describe_type(annotation: Any) -> str | None:
    """Returns `FILE` or `NUMBER` for a type; None for types that Typer itself writes in words, such as choices."""
    inner = [one for one in get_args(annotation) if one is not type(None)]
    return WORDS.get(inner[0] if get_origin(annotation) is not None and inner else annotation)


class CommandPlace(NamedTuple):
    """Where a command is found: its module, the name of its function or group, and what it does."""

    module: str
    name: str
    help: str


class PlainGroup(TyperGroup):
    """A group of commands whose help shows the whole sentence about each command."""

    def describe_commands(self, context: Any) -> list[tuple[str, str]]:
        """Returns the name of each command of the group, and what the command does."""
        found = {name: self.get_command(context, name) for name in self.list_commands(context)}
        return [(name, command.help or "") for name, command in found.items() if command is not None]

    def format_commands(self, context: Any, formatter: Any) -> None:
        """Writes the group's commands into its help."""
        with formatter.section("Commands"):
            formatter.write_dl(self.describe_commands(context))


class LazyGroup(PlainGroup):
    """A group that imports a command when it is called; its help lists the commands without importing any."""

    places: Mapping[str, CommandPlace] = {}

    def __init__(self, *named: Any, **given: Any) -> None:
        super().__init__(*named, **given)
        self.commands = dict.fromkeys(self.places, typer.core.TyperCommand(None))

    def get_command(self, _context: Any, name: str) -> Any:
        """Imports and returns the command with this name; None if there is no such command."""
        if (place := self.places.get(name)) is None:
            return None
        found = getattr(import_module(place.module), place.name)
        return (
            typer.main.get_group(found)
            if isinstance(found, typer.Typer)
            else make_command(name, found, place.help)
        )

    def describe_commands(self, _context: Any) -> list[tuple[str, str]]:
        """Returns the name of each command of the group, and what the command does."""
        return [(name, place.help) for name, place in self.places.items()]

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        """Returns the commands and options that begin with what was typed; none of them is imported."""
        begun = {name: place.help for name, place in self.places.items() if name.startswith(incomplete)}
        options = TyperCommand.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=words) for name, words in begun.items()), *options]


def make_command(name: str, function: Callable[..., Any], help_text: str) -> Any:
    """Makes a command that calls the function with its options; its help ends with the function's second paragraph."""
    made = open_group()
    epilog = (getdoc(function) or "").partition("\n\n")[2]
    made.command(name, cls=PlainCommand, help=help_text, epilog=epilog)(function)
    return typer.main.get_group(made).commands[name]


def open_group(cls: type[TyperGroup] = TyperGroup, help_text: str | None = None) -> typer.Typer:
    """Makes an empty group of commands, which prints its help if it is called without a command."""
    return typer.Typer(
        cls=cls,
        help=help_text,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
