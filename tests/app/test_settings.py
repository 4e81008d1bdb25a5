"""Settings come from HEADGATE_* variables, are checked, and never show a secret."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from app.settings import Settings, find_state_dir, find_unknown_variables


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_every_scheme_of_postgres_gets_the_installed_driver(monkeypatch: pytest.MonkeyPatch, scheme: str):
    monkeypatch.setenv("HEADGATE_DATABASE_URL", f"{scheme}://me:secret@db/x")
    settings = Settings()
    assert settings.database_url is not None
    assert settings.database_url.get_secret_value() == "postgresql+psycopg://me:secret@db/x"
    assert "secret" not in repr(settings)


def test_another_database_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADGATE_DATABASE_URL", "sqlite:///x")
    with pytest.raises(ValidationError, match="must start with postgresql://"):
        Settings()


def test_an_empty_variable_is_one_that_is_not_set(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADGATE_PORT", "")
    assert Settings().port == Settings.model_fields["port"].default


def test_settings_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        Settings().port = 1  # type: ignore[misc]  # as it says


def test_a_misspelt_variable_is_found(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADGATE_PROT", "1")
    monkeypatch.setenv("HEADGATE_PORT", "1")
    assert "HEADGATE_PROT" in find_unknown_variables()
    monkeypatch.setenv("HEADGATE_URL", "http://127.0.0.1:8000")  # options of commands read these two
    monkeypatch.setenv("HEADGATE_API_KEY", "secret")
    assert not {"HEADGATE_PORT", "HEADGATE_URL", "HEADGATE_API_KEY"} & set(find_unknown_variables())


def test_the_state_folder_is_that_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert find_state_dir() == tmp_path / "headgate"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")  # which the specification says to ignore
    monkeypatch.setenv("HOME", "/home/me")
    assert find_state_dir() == Path("/home/me/.local/state/headgate")


@pytest.mark.parametrize("name", ["max_snapshot_lead_seconds", "clock_lead_seconds"])
def test_a_lead_that_no_calendar_can_add_to_a_time_is_refused(name: str):
    with pytest.raises(ValidationError, match=name):
        Settings.model_validate({name: 1e300})
