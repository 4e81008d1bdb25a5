"""Every command of README.md does what the page shows."""

import re

import httpx
import pytest

from tests.app.processes import Service
from tests.docs.consoles import SERVED_AT, read_console, read_page, run_shown

README = read_page("README.md")
SHOWN = read_console(README)
MOST_LINES = 120


def test_the_readme_shows_commands():
    assert [one.command.split()[0] for one in SHOWN] == [
        "make",
        "make",
        "export",
        "curl",
        "headgate",
        *["curl"] * 4,
        *["headgate"] * 3,
        "cd",
    ]


def test_every_command_prints_what_the_page_shows(service: Service, client: httpx.Client):
    client.delete("/v1/topologies/clicks")
    run_shown(SHOWN, service.url)


def test_the_program_prints_a_decision(
    service: Service, client: httpx.Client, capsys: pytest.CaptureFixture[str]
):
    """After the commands of the page, which store the topology that it asks about."""
    client.delete("/v1/topologies/clicks")
    run_shown(SHOWN[:9], service.url)
    [program] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(program.replace(SERVED_AT, service.url), {})
    said = capsys.readouterr().out
    assert said.startswith("Run 14 processors instead of 12: ")
    assert said.endswith("{'parse': 4, 'score': 10}\n")


def test_the_readme_stays_short():
    assert len(README.splitlines()) <= MOST_LINES
