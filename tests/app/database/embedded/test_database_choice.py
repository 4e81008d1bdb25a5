"""Commands in any folder work on the database that is named, or on that of the service that runs, and say which."""

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from app.database.embedded.database_choice import (
    UnclearDatabase,
    choose_database,
    choose_own_database,
    list_running_services,
    mask_url,
    registered,
)
from app.database.embedded.embedded_postgres import shared_postgres
from app.settings import Settings
from migrations.runner import make_config, migrate
from tests.app.processes import HEADGATE, Service, environment, make_open_folder, start


@dataclass(frozen=True)
class Place:
    """A folder to run commands in, and the state folder of the user who runs them."""

    folder: Path
    state: Path

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [HEADGATE, *arguments],
            cwd=self.folder,
            env=environment(**settings) | {"XDG_STATE_HOME": str(self.state)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def has_database(self) -> bool:
        return (self.folder / ".headgate").exists()


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    """The state folder of a user who runs the services of this file alone."""
    with make_open_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    """The data folder of the service."""
    with make_open_folder() as folder:
        yield folder / "data"


@pytest.fixture(scope="module")
def running(state: Path, project: Path) -> Iterator[Service]:
    assert not list(state.iterdir())
    service = start([], data_dir=str(project))
    yield service
    service.stop()


@pytest.fixture
def elsewhere(state: Path) -> Iterator[Place]:
    with make_open_folder() as folder:
        yield Place(folder, state)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of this process, whose user runs no service yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


def test_a_command_in_another_folder_works_on_the_database_of_the_service_that_runs(
    running: Service, project: Path, elsewhere: Place
):
    pruned = elsewhere.run("prune", "--older-than", "90d")
    assert pruned.returncode == 0, pruned.stderr
    which = f"the embedded Postgres in {project} (of the service that runs at {running.url})"
    assert f"headgate: deletes from {which}" in pruned.stderr
    settings = elsewhere.run("settings").stdout
    assert f"# commands in this folder use {which}" in settings
    assert f"HEADGATE_DATA_DIR={elsewhere.folder / '.headgate'}  # in the current folder" in settings
    assert not elsewhere.has_database()


@pytest.mark.usefixtures("running")
def test_a_database_that_was_found_is_never_migrated(project: Path, elsewhere: Place):
    newest = ScriptDirectory.from_config(make_config()).get_revision("head")
    with shared_postgres(project) as url:
        migrate(url, str(newest.down_revision))
        try:
            for command in (["migrate"], ["prune", "--older-than", "90d"]):
                ended = elsewhere.run(*command)
                assert ended.returncode == 1
                assert f"HEADGATE_DATA_DIR={project}" in ended.stderr
                assert newest.revision in ended.stderr
        finally:
            assert migrate(url) == newest.revision


def test_a_killed_service_is_no_longer_found_and_without_one_the_current_folder_is_used_and_said(
    elsewhere: Place, database_url: str
):
    with make_open_folder() as state, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state))
        service = start([], database_url=database_url)
        assert [one.address for one in list_running_services()] == [service.url]
        assert list_running_services()[0].database == mask_url(database_url)
        service.stop(signal.SIGKILL)
        assert list_running_services() == []
        assert not list(state.rglob("*.json")), "its file is removed"
        ended = Place(elsewhere.folder, state).run("migrate")
    assert ended.returncode == 0, ended.stderr
    assert f"{elsewhere.folder / '.headgate'} (of the current folder)" in ended.stderr
    assert elsewhere.has_database()


def test_the_one_service_is_found_whatever_the_current_folder(folder: Path):
    data_dir = folder.parent / "project" / ".headgate"
    with registered("http://127.0.0.1:1", f"the embedded Postgres in {data_dir}", data_dir):
        choice = choose_database(Settings())
        assert (choice.settings.data_dir, choice.is_found) == (data_dir, True)
        assert choice.describe() == (
            f"the embedded Postgres in {data_dir} (of the service that runs at http://127.0.0.1:1)"
        )
        assert choice.tell_where_to_read("/x") == "http://127.0.0.1:1/x shows the result"
        own = choose_own_database(Settings())
        assert own.settings.data_dir == folder / ".headgate", "another service keeps to its own folder"
        assert "http://127.0.0.1:1" in own.note
    assert not choose_database(Settings()).is_found


def test_two_services_on_one_database_are_no_question(folder: Path):
    data_dir = folder.parent / "data"
    where = f"the embedded Postgres in {data_dir}"
    with registered("http://a", where, data_dir), registered("http://b", where, data_dir):
        assert choose_database(Settings()).settings.data_dir == data_dir


def test_services_on_several_databases_are_listed_and_none_is_taken(folder: Path):
    data_dir = folder.parent / "data"
    with (
        registered("http://a", f"the embedded Postgres in {data_dir}", data_dir),
        registered("http://b", "postgresql://me@db/x", None),
        pytest.raises(UnclearDatabase) as refused,
    ):
        choose_database(Settings())
    for part in (
        "http://a",
        str(data_dir),
        "http://b",
        "me@db/x",
        "HEADGATE_DATA_DIR",
        "HEADGATE_DATABASE_URL",
    ):
        assert part in str(refused.value)


@pytest.mark.usefixtures("folder")
def test_a_service_with_an_unknown_password_is_named_and_no_database_is_chosen():
    with registered("http://b", "postgresql://me@db/x", None):
        with pytest.raises(UnclearDatabase, match="HEADGATE_DATABASE_URL to the same URL"):
            choose_database(Settings())
        named = choose_database(Settings.model_validate({"database_url": "postgresql://me:secret@db/x"}))
        assert named.describe() == "postgresql://me@db/x (HEADGATE_DATABASE_URL)"
        assert named.tell_where_to_read("/x") == "http://b/x shows the result"


@pytest.mark.parametrize("data_dir", ["mine", ".headgate"])
def test_a_folder_that_is_named_is_used_whatever_runs(folder: Path, data_dir: str):
    with registered("http://a", "the embedded Postgres in /a", Path("/a")):
        choice = choose_database(Settings(data_dir=Path(data_dir)))
    assert choice.describe() == f"the embedded Postgres in {folder / data_dir} (HEADGATE_DATA_DIR)"
    assert choice.tell_where_to_read("/x") == (
        f"to read it, start `HEADGATE_DATA_DIR={folder / data_dir} headgate serve` and ask for /x"
    )


def test_a_folder_with_a_database_of_its_own_keeps_to_it_and_names_the_service_beside(folder: Path):
    (folder / ".headgate" / "postgres").mkdir(parents=True)
    with registered("http://a", "the embedded Postgres in /a", Path("/a")):
        choice = choose_database(Settings())
    assert choice.describe() == f"the embedded Postgres in {folder / '.headgate'} (of the current folder)"
    assert choice.note == (
        f"no service reads {folder / '.headgate'}; one runs on another database: http://a "
        f"(process {os.getpid()}) on the embedded Postgres in /a"
    )


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@db:5433/x?password=secret", "postgresql://me@db:5433/x"),
        ("postgresql://db/x?user=me&password=secret&sslpassword=secret", "postgresql://db/x"),
        ("postgresql://me:se%2Fcret@a/x?options=@secret", "postgresql://me@a/x"),
        ("postgresql:///x?host=a&password=secret", "postgresql://a/x"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url: str, shown: str):
    assert mask_url(url) == shown
