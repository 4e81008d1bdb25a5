"""Commands of a user find the running services of the same user on the same machine."""

import json
import os
import signal
from pathlib import Path

import pytest

from app.database.embedded.database_choice import RunningService, list_running_services, registered
from tests.app.processes import start


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of a user who runs no service yet, in a folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.mark.usefixtures("folder")
def test_services_are_listed_while_they_run():
    with registered("http://a", "the embedded Postgres in /a", Path("/a")):
        with registered("http://b", "postgresql://me@db/x", None):
            found = list_running_services()
            assert {one.address: one.data_dir for one in found} == {"http://a": "/a", "http://b": None}
            assert {one.pid for one in found} == {os.getpid()}
        assert [one.address for one in list_running_services()] == ["http://a"]
    assert list_running_services() == []


def test_a_killed_service_is_no_longer_listed_and_its_file_is_removed(folder: Path, database_url: str):
    service = start([], database_url=database_url)
    assert [one.address for one in list_running_services()] == [service.url]
    service.stop(signal.SIGKILL)
    assert list_running_services() == []
    assert not list(folder.rglob("*.json"))


def test_files_that_are_none_of_a_service_are_left_out(folder: Path):
    services = folder / "headgate" / "services"
    services.mkdir(parents=True)
    (services / "1.json").write_text("{")
    (services / "2.json").write_text(json.dumps({"pid": 2}))
    with registered("http://a", "the embedded Postgres in /a", None):
        assert list_running_services() == [
            RunningService(os.getpid(), os.uname().nodename, "http://a", "the embedded Postgres in /a", None)
        ]


def test_a_service_of_another_machine_that_shares_the_home_folder_is_left_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    with registered("http://a", "the embedded Postgres in /a", Path("/a")):
        monkeypatch.setattr("socket.gethostname", lambda: "another")
        assert list_running_services() == []
        assert len(list(folder.rglob("*.json"))) == 1


def test_a_state_folder_that_cannot_be_written_to_is_no_reason_not_to_serve(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder.parent / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder.parent / "file"))
    with registered("http://a", "the embedded Postgres in /a", Path("/a")):
        assert list_running_services() == []
