"""`headgate completion SHELL` prints what makes a shell complete the commands and options of `headgate`."""

from typing import Annotated, Literal

import typer
from typer._completion_shared import get_completion_script
from typer.completion import get_completion_inspect_parameters

PROGRAM, VARIABLE = "headgate", "_HEADGATE_COMPLETE"


def prepare_completion() -> None:
    """Makes Typer answer what the shell's script asks; by itself it does so only where it adds options of its own."""
    get_completion_inspect_parameters()


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")
    ],
) -> None:
    """Print a script that completes commands and options in a shell.

    For bash: headgate completion bash > ~/.local/share/bash-completion/completions/headgate. For zsh: a file _headgate
    in a folder of $fpath. For fish: ~/.config/fish/completions/headgate.fish. It counts in shells that are opened then.
    """
    typer.echo(get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell))
