"""What the first ingest does where Spark is not installed."""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
import typer

from app.terminal import installing


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose environment lacks Spark, and whose set-up notes how it is called."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "setup.sh").write_text('echo "$1" > "$(dirname "$0")/called"; exit "${CODE:-0}"\n')
    monkeypatch.setattr(installing, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    return tmp_path


def test_a_checkout_installs_its_whole_lock_and_says_so(checkout: Path, capfd: pytest.CaptureFixture[str]):
    installing.install_ingest(checkout)
    assert (checkout / "tools" / "called").read_text() == "requirements.lock\n"
    said = capfd.readouterr()
    assert said.out == "", "standard output has only the answer"
    assert "installs Spark" in said.err


def test_an_installation_that_fails_ends_the_command(checkout: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CODE", "3")
    with pytest.raises(typer.Exit) as ended:
        installing.install_ingest(checkout)
    assert ended.value.exit_code == 1


def test_elsewhere_the_extra_is_named(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "prefix", "/usr")
    with pytest.raises(typer.Exit) as ended:
        installing.install_ingest(checkout)
    assert ended.value.exit_code == 2
    assert "pip install 'headgate[ingest]'" in capfd.readouterr().err
    assert not (checkout / "tools" / "called").exists()


def test_where_spark_is_installed_nothing_happens(checkout: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(installing, "find_spec", lambda name: ModuleSpec(name, None))
    installing.install_ingest(checkout)
    assert not (checkout / "tools" / "called").exists()
