"""`headgate backup` and `headgate restore` beside a running service keep everything, and lose nothing by a mistake."""

import subprocess
from pathlib import Path

import httpx

from app.database.embedded.embedded_postgres import shared_postgres
from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.database.test_backups import read_all
from tests.app.processes import HEADGATE, PATIENCE_SECONDS, StartService, environment, make_open_folder

POLICY = {"goal": {"t_max_seconds": 1.0}}


def read_answers(client: httpx.Client) -> list[object]:
    return [client.get(path).json() for path in ("/v1/topologies/fpd", "/v1/topologies/fpd/snapshots")]


def run(*arguments: str | Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [HEADGATE, *map(str, arguments)],
        env=environment(data_dir=str(folder)),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_round_beside_a_running_service(start_service: StartService, tmp_path: Path):
    with make_open_folder() as folder:
        service = start_service(data_dir=str(folder))
        file = tmp_path / "kept.backup"
        with (
            httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS) as client,
            shared_postgres(folder) as url,
        ):
            assert client.post("/v1/topologies", json=FPD).status_code == 201
            assert client.post("/v1/topologies/fpd/snapshots", json=FPD_LOAD).status_code == 201
            assert client.put("/v1/topologies/fpd/policy", json=POLICY).is_success
            answers = read_answers(client)
            kept = read_all(url)
            made = run("backup", file, folder=folder)
            assert made.returncode == 0, made.stderr
            assert client.delete("/v1/topologies/fpd").is_success
            assert client.post("/v1/topologies", json=FPD | {"name": "other"}).status_code == 201
            others = read_all(url)
            assert others != kept

            refused = run("restore", file, folder=folder)
            assert refused.returncode == 2
            assert "--replace" in refused.stderr
            cut = tmp_path / "cut.backup"
            cut.write_bytes(file.read_bytes()[:-200])
            broken = run("restore", cut, "--replace", folder=folder)
            assert broken.returncode == 2
            assert "is not a whole backup" in broken.stderr
            assert read_all(url) == others

            restored = run("restore", file, "--replace", folder=folder)
            assert restored.returncode == 0, restored.stderr
            assert read_all(url) == kept
            assert read_answers(client) == answers
            assert client.post("/v1/topologies", json=FPD | {"name": "other"}).status_code == 201
        service.stop()
