"""`headgate mcp` offers what a service answers to assistants, over standard input and output."""

from typing import Annotated

import typer

from app.terminal.service_commands import LOCAL, KeyOption, UrlOption


def serve_tools(
    *,
    url: UrlOption = LOCAL,
    api_key: KeyOption = None,
    storing_key: Annotated[
        str | None,
        typer.Option(
            "--storing-key",
            envvar="HEADGATE_STORING_KEY",
            help="A key that may store; without it no tool stores anything.",
        ),
    ] = None,
) -> None:
    """Offer the tools of a service to assistants, by the Model Context Protocol.

    The program that starts this command speaks to it over standard input and output. Needs pip install 'headgate[mcp]'.
    """
    from app.terminal.mcp_tools import open_server

    open_server(url, api_key, storing_key).run()
