"""What the README shows is what happens."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.app.processes import Service, environment

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
POLICIES = (ROOT / "docs" / "policies.md").read_text()
CHECKER = doctest.OutputChecker()


def read_console(text: str) -> list[tuple[str, str]]:
    """Commands of the ```console blocks and what they print; a command goes on while a quote is open."""
    shown: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            count = next(count for count in range(1, len(lines) + 1) if is_whole("\n".join(lines[:count])))
            shown.append(("\n".join(lines[:count]), "\n".join(lines[count:])))
    return shown


def is_whole(command: str) -> bool:
    """Whether every quote is closed."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return True


SHOWN = read_console(README) + read_console(POLICIES)  # which goes on with the README's topology


def test_the_readme_shows_commands():
    assert [command.split()[0] for command, _ in SHOWN] == [
        "make",
        "make",
        "export",
        "curl",
        "headgate",
        *["curl"] * 4,
        "cd",
        *["curl"] * 3,
    ]


def test_every_command_prints_what_the_page_says(service: Service, client: httpx.Client):
    client.delete("/v1/topologies/clicks")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, expected in SHOWN:
        if command.startswith("make"):
            continue  # their targets are tested in tests/setup
        ended = subprocess.run(
            command.replace("http://127.0.0.1:8000", service.url),
            shell=True,
            cwd=ROOT,
            env=environment() | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        assert '"type":' not in ended.stdout, f"{command}\nanswered a problem:\n{ended.stdout}"
        if expected:
            assert CHECKER.check_output(
                expected + "\n", ended.stdout + "\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            ), f"{command}\nprinted\n{ended.stdout}\nbut the page says\n{expected}"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name
)
def test_every_link_leads_somewhere(page: Path):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), (
            f"{page.name} links to {target}"
        )
