"""`headgate place`: files in, tables or JSON out."""

import json
from pathlib import Path

import httpx
import pytest
import yaml

from app.machines.placements.offline import print_placement, run_placement
from app.terminal.commands import Refused
from tests.app.test_cli import run, run_here

EXAMPLE = Path(__file__).parents[4] / "docs" / "examples" / "placement"
GOLDEN = Path(__file__).parents[3] / "golden"
FILES = [
    *("--topology", str(EXAMPLE / "topology.yaml")),
    *("--profiles", str(EXAMPLE / "profiles.yaml")),
    *("--vm-sizes", str(EXAMPLE / "vm-sizes.yaml")),
]


def test_files_and_http_place_alike(client: httpx.Client):
    ended = run("place", *FILES, "--rate", "100", "--routing", "slot-aware", "--compare", "--output", "json")
    assert ended.returncode == 0, ended.stderr
    documents = {
        key: yaml.safe_load((EXAMPLE / f"{file}.yaml").read_text("utf-8"))
        for key, file in (("topology", "topology"), ("profiles", "profiles"), ("vm_sizes", "vm-sizes"))
    }
    body = documents | {"external_rate": 100.0, "routing": "slot-aware", "compare": True}
    assert json.loads(ended.stdout) == client.post("/v1/placements", json=body).json()


def test_the_example_files_hold_the_published_profiles():
    published = json.loads((GOLDEN / "model_driven_scheduling.json").read_text("utf-8"))
    assert yaml.safe_load((EXAMPLE / "profiles.yaml").read_text("utf-8")) == published["profiles"]
    assert yaml.safe_load((EXAMPLE / "vm-sizes.yaml").read_text("utf-8")) == published["vm_sizes"]


def test_the_table_can_be_read_by_a_person():
    ended = run_here("place", *FILES, "--rate", "100", "--compare")
    assert ended.exit_code == 0, ended.stderr
    for words in ("7 slots allocated, 7 used of 8 on 2 VMs", "azure_blob × 50", "mba + sam", "limited by"):
        assert words in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 120


def test_an_unknown_mapper_ends_with_two_and_says_where():
    ended = run_here("place", *FILES, "--rate", "100", "--mapping", "best")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "--mapping: " in ended.stderr


def test_too_few_vms_end_with_one(tmp_path: Path):
    vms = tmp_path / "vms.json"
    vms.write_text(json.dumps([{"name": "only", "slots": 2}]))
    ended = run_here("place", *FILES[:4], "--rate", "100", "--vms", str(vms))
    assert ended.exit_code == 1
    assert "not-enough-slots" in ended.stderr


def test_nothing_to_place_on_is_said():
    with pytest.raises(Refused, match="give --vm-sizes to acquire from, or --vms"):
        run_placement(
            {"topology": EXAMPLE / "topology.yaml", "profiles": EXAMPLE / "profiles.yaml"},
            {"external_rate": 100.0},
        )


def test_one_vm_is_no_plural(capsys: pytest.CaptureFixture[str]):
    files = {key: EXAMPLE / f"{key.replace('_', '-')}.yaml" for key in ("topology", "profiles", "vm_sizes")}
    print_placement(run_placement(files, {"external_rate": 50.0}), "table")
    assert "on 1 VM for" in capsys.readouterr().out
