"""`headgate keys` makes a key whose line the service takes, and lists names without secrets."""

from pathlib import Path

import pytest

from app.settings import Settings
from app.web.callers.keys import KeyRing
from tests.app.test_cli import run_here


@pytest.mark.parametrize("suffix", ["", ":read"])
def test_a_new_key_is_taken_from_its_line(tmp_path: Path, suffix: str):
    made = run_here("keys", "new", "ci", *(["--read"] if suffix else []))
    assert made.exit_code == 0, made.stderr
    secret, line = (row.split(maxsplit=1)[1] for row in made.stdout.splitlines())
    assert secret not in line
    (file := tmp_path / "keys").write_text(line + "\n")
    key = KeyRing(Settings(api_keys_file=file)).find(secret)
    assert key is not None
    assert (key.name, key.may_store) == ("ci", not suffix)
    assert secret != run_here("keys", "new", "ci").stdout.split()[1]


def test_a_name_that_no_line_could_have_is_refused():
    assert run_here("keys", "new", "a b").exit_code == 2


def test_keys_are_listed_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (file := tmp_path / "keys").write_text("ci=0123456789abcdef\n")
    monkeypatch.setenv("HEADGATE_API_KEYS", "fedcba9876543210:read")
    monkeypatch.setenv("HEADGATE_API_KEYS_FILE", str(file))
    listed = run_here("keys", "list")
    assert listed.stdout == "key-1  reads\nci  reads and stores\n"
    file.write_text("ci=short\n")
    assert run_here("keys", "list").exit_code == 2
