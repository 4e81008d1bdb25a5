"""What `headgate doctor` finds on a machine that is well, and on one that is not."""

import json
import socket
from pathlib import Path

import pytest

from app.serving import doctor
from app.settings import Settings
from tests.app.processes import Service
from tests.app.test_cli import run_here


def examine(**settings: object) -> dict[str, doctor.Examined]:
    return {one.check: one for one in doctor.examine(Settings.model_validate(settings))}


@pytest.mark.usefixtures("stored")
def test_a_service_that_runs_is_well(service: Service, database_url: str, tmp_path: Path):
    found = examine(database_url=database_url, port=int(service.url.rpartition(":")[2]), data_dir=tmp_path)
    assert {name: one.state for name, one in found.items() if one.state != "fine"} == {}
    assert set(found) == {
        *(f"part {part}" for part in ("service", "embedded", "ingest", "pictures")),
        *("Java", "port", "disk", "keys", "database", "clock", "schema", "snapshots"),
    }
    assert found["port"].detail.startswith("a Headgate service answers")
    assert found["snapshots"].detail.startswith("the newest began ")


def test_what_is_wrong_is_1_and_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADGATE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HEADGATE_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("HEADGATE_PORT", str(taken.getsockname()[1]))
        ended = run_here("doctor", "--output", "json")
    assert ended.exit_code == 1, ended.stderr
    found = {one["check"]: one for one in json.loads(ended.stdout)}
    assert {name for name, one in found.items() if one["state"] == "wrong"} == {"port", "database"}
    assert "set HEADGATE_PORT" in found["port"]["detail"]
    assert "check HEADGATE_DATABASE_URL" in found["database"]["detail"]


def test_a_database_that_is_not_made_yet_is_not_made_here(tmp_path: Path):
    found = examine(data_dir=tmp_path, port=0)
    assert found["database"].state == "note"
    assert "`headgate serve` makes it" in found["database"].detail
    assert list(tmp_path.iterdir()) == []


def test_an_old_schema_is_to_be_migrated(postgres_url: str, tmp_path: Path):
    found = examine(database_url=postgres_url, data_dir=tmp_path, port=0)
    assert found["schema"].state == "wrong"
    assert "run `headgate migrate`" in found["schema"].detail
    assert "snapshots" not in found


def test_other_machines_may_not_call_without_a_key(tmp_path: Path):
    assert examine(host="0.0.0.0", port=0, data_dir=tmp_path)["keys"].state == "wrong"
    keys = examine(host="0.0.0.0", port=0, data_dir=tmp_path, api_keys="0123456789abcdef")["keys"]
    assert (keys.state, keys.detail) == ("fine", "1 key set")


@pytest.mark.parametrize(
    ("apart", "state", "said"),
    [(0.2, "fine", "agrees"), (9.0, "wrong", "9 s ahead"), (-9.0, "wrong", "9 s behind")],
)
def test_clocks_that_disagree(apart: float, state: str, said: str):
    found = doctor.examine_clock(apart)
    assert found.state == state
    assert said in found.detail


def test_a_part_that_is_missing_is_a_note_and_what_needs_it_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)
    found = examine(data_dir=tmp_path, port=0)
    assert set(found) == {*(f"part {part}" for part in doctor.PARTS), "port", "disk"}
    assert found["part ingest"].detail.endswith("pip install 'headgate[ingest]'")


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 1e18)
    assert doctor.examine_disk(tmp_path / "not" / "there").state == "wrong"
