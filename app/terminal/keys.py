"""`headgate keys`: make a key of the service, and list the keys that the settings name."""

import secrets
from hashlib import sha256
from typing import Annotated

import typer

from app.terminal.commands import fail, load_settings, say
from app.terminal.groups import open_group
from app.web.callers.keys import NAMED, READ_ONLY_SUFFIX, UnusableKeys, read_keys

SECRET_BYTES = 32

keys_cli = open_group(help_text="Make a key of the service, or list its keys.")


@keys_cli.command("new", help="Make a key: print its secret and its line for the file.")
def make_key(
    name: Annotated[str, typer.Argument(help="Who will use the key, such as ci: logs and answers show it.")],
    *,
    read: Annotated[
        bool, typer.Option("--read", help="The key may read and compute, but not store.")
    ] = False,
) -> None:
    """Make a key: print its secret, which is stored nowhere, and its line for the file."""
    suffix = READ_ONLY_SUFFIX if read else ""
    secret = secrets.token_hex(SECRET_BYTES)
    if NAMED.fullmatch(f"{name}={secret}") is None:
        raise fail(f"{name}: a name has letters, digits, dots, dashes and underscores, 64 at most")
    typer.echo(f"secret {secret}")
    typer.echo(f"line   {name}=sha256:{sha256(secret.encode()).hexdigest()}{suffix}")
    say(
        "give the secret to the caller, add the line to the file that HEADGATE_API_KEYS_FILE names, and send SIGHUP "
        "to the service"
    )


@keys_cli.command("list", help="List the names of the keys.")
def list_keys() -> None:
    """List the names of the keys."""
    try:
        keys = read_keys(load_settings())
    except UnusableKeys as error:
        raise fail(str(error)) from error
    for key in keys:
        typer.echo(f"{key.name}  {'reads and stores' if key.may_store else 'reads'}")
    if not keys:
        say("no keys are set: only callers on the service's own machine are answered")
