"""The commands that belong to no noun: settings, migrations, and what the command line imports."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from tests.app.processes import HEADGATE, environment

FPD = Path(__file__).parents[2] / "docs" / "examples" / "fpd"
FILES = ["--topology", str(FPD / "topology.yaml"), "--load", str(FPD / "load.yaml")]


def run(*arguments: str, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """The command, with no database to go to: what needs none must not look for one."""
    return subprocess.run(
        [HEADGATE, *arguments],
        env=environment(**({"data_dir": "/nonexistent"} | settings)),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_here(*arguments: str, stdin: str = "") -> Result:
    """The command in this process: as many cases as need be, without a start of Python for each."""
    return CliRunner().invoke(cli, arguments, input=stdin)


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
        ("app.cli", {"fastapi", "sqlalchemy", "numpy", "scipy", "statsmodels", "matplotlib", "pyspark"}),
        (
            "app.planning.plans.offline",
            {"fastapi", "psycopg", "statsmodels", "scipy.signal", "scipy.optimize"},
        ),
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
