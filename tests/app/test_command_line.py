"""The commands of no noun, the list of all, and what the command line imports."""

import re
import subprocess
import sys
from importlib.metadata import version

import pytest

from app.command_line import COMMANDS
from tests.app.test_cli import run, run_here


def test_help_lists_every_command_with_a_whole_sentence():
    shown = " ".join(run_here("--help").stdout.split())
    for name, place in COMMANDS.items():
        assert f" {name} {place.help}" in shown
        assert place.help.endswith(".")
    assert max(map(len, run_here("--help").stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", [*COMMANDS, "plan min-processors", "plan tradeoff"])
def test_help_says_in_words_what_an_option_takes(name: str):
    """Not `<list[str]>`, as Python writes types; and no name of an option is cut."""
    ended = run_here(*name.split(), "--help")
    assert ended.exit_code == 0, ended.stderr
    assert not re.findall(r"<(?:list|str|int|float|bool|path)\b|…|\w\.\.\.$", ended.stdout, re.MULTILINE)


def test_a_misspelled_command_is_told_from_the_right_one():
    ended = run_here("plna")
    assert ended.exit_code == 2
    assert "No such command 'plna'. Did you mean 'plan'" in ended.stderr


def test_the_version_is_that_of_the_package():
    assert run_here("--version").stdout == f"headgate {version('headgate')}\n"


def test_settings_are_shown_with_their_secrets_masked():
    ended = run(
        "settings", api_keys="very-secret", database_url="postgresql://me:very-secret@db/x", port="9000"
    )
    assert ended.returncode == 0
    assert "very-secret" not in ended.stdout + ended.stderr
    assert "HEADGATE_PORT=9000" in ended.stdout
    assert "HEADGATE_MAX_BODY_BYTES=8388608" in ended.stdout


def test_a_setting_that_cannot_be_used_ends_with_2_and_its_name():
    for name, value in (("port", "seventy"), ("database_url", "mysql://x"), ("workers", "0")):
        ended = run("settings", **{name: value})
        assert ended.returncode == 2
        assert f"HEADGATE_{name.upper()}" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert (f'found the text "{value}"' in ended.stderr) is (name != "database_url"), (
            "it may hold a password"
        )


def test_a_revision_that_is_not_there_is_said_in_a_line(empty_database_url: str):
    ended = run("migrate", "nonsense", database_url=empty_database_url)
    assert ended.returncode == 2
    assert "'nonsense'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_database_that_is_not_there_is_said_in_a_line():
    ended = run("migrate", database_url="postgresql://headgate@127.0.0.1:1/none")
    assert ended.returncode == 1
    assert "cannot migrate" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("module", "not_loaded"),
    [
        ("app.cli", {"typing", "re", "typer"}),
        ("app.command_line", {"pydantic", "rich", "numpy", "yaml"}),
        ("app.planning.plans.offline", {"fastapi", "sqlalchemy", "pydantic_settings", "scipy.special"}),
        ("app.planning.gates.offline", {"fastapi", "sqlalchemy", "pydantic_settings", "scipy.special"}),
        ("app.serving.serve", {"statsmodels", "scipy.signal", "scipy.optimize", "matplotlib", "pyspark"}),
    ],
)
def test_what_takes_long_to_load_is_loaded_by_what_needs_it_alone(module: str, not_loaded: set[str]):
    """A second of processor time, at every call of a command."""
    program = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert not not_loaded & set(loaded.split())
