"""The ```console blocks of the documents: their commands run against a service, and print what the page shows."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.app.processes import environment

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
SERVED_AT = "http://127.0.0.1:8000"
INSTALLING = ("make", "git")  # tests/setup tries what these do
CHECKER = doctest.OutputChecker()


@dataclass(frozen=True)
class Shown:
    """A command of a page and the output that the page shows; `...` stands for any text."""

    command: str
    output: str


def read_page(path: str) -> str:
    """The text of a page, by its path from the root."""
    return (ROOT / path).read_text()


def read_console(text: str) -> list[Shown]:
    """The commands of the ```console blocks in order; a command goes on while a quote is open."""
    shown: list[Shown] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            count = next(count for count in range(1, len(lines) + 1) if is_whole("\n".join(lines[:count])))
            shown.append(Shown("\n".join(lines[:count]), "\n".join(lines[count:])))
    return shown


def is_whole(command: str) -> bool:
    """Whether every quote is closed and no line goes on."""
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return not command.endswith("\\")


def run_shown(shown: Iterable[Shown], service_url: str) -> None:
    """Run every command in the root of the repository, and compare what it prints with what the page shows."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for one in shown:
        if one.command.startswith(INSTALLING):
            continue
        ended = subprocess.run(
            one.command.replace(SERVED_AT, service_url),
            shell=True,
            cwd=ROOT,
            env=environment() | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        check_ended(one, ended)


def check_ended(shown: Shown, ended: subprocess.CompletedProcess[str]) -> None:
    """Exit code 0 unless the command shows another one, no problem unless the page shows it, the output shown."""
    assert ended.returncode == 0, f"{shown.command}\nended with {ended.returncode}:\n{ended.stderr}"
    if '"type":' not in shown.output:
        assert '"type":' not in ended.stdout, f"{shown.command}\nanswered a problem:\n{ended.stdout}"
    if shown.output:
        assert CHECKER.check_output(
            shown.output + "\n", ended.stdout + "\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        ), f"{shown.command}\nprinted\n{ended.stdout}\nbut the page says\n{shown.output}"
