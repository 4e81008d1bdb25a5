"""The fleet of a service in a terminal: its table, and the gate of a new job."""

import json
from pathlib import Path

import httpx
import pytest

from tests.app.deciding.fleet.fleet_examples import OPERATORS, add_member, make_load
from tests.app.processes import Service
from tests.app.test_cli import run_here


@pytest.fixture
def pair(client: httpx.Client, name: str) -> str:
    """The label of two topologies, each of which needs 6 processors."""
    for letter in "ab":
        add_member(client, f"{name}-{letter}", name, 40.0, {"t_max_seconds": 0.12})
    return name


@pytest.fixture
def new_job(tmp_path: Path) -> list[str]:
    """The options that name the files of a new job."""
    (tmp_path / "job.json").write_text(json.dumps(OPERATORS))
    (tmp_path / "load.json").write_text(json.dumps(make_load(20.0, None)))
    return [
        str(tmp_path / "job.json"),
        "--load",
        str(tmp_path / "load.json"),
        "--t-max",
        "120ms",
        "--rate",
        "2x",
    ]


def test_a_fleet_is_a_table_with_what_was_lost(pair: str, service: Service):
    shown = run_here("fleet", "--k-max", "11", "--label", pair, "--url", service.url)
    assert shown.exit_code == 0, shown.stderr
    lines = [line.split() for line in shown.stdout.splitlines() if line.strip()]
    assert " ".join(lines[0]).startswith("11 processors in all are 1 too few")
    first = next(line for line in lines if line[0] == f"{pair}-a")
    assert first == [f"{pair}-a", "12", "→", "6", "6", "114", "ms", "120", "ms", "-9.73", "ms"]
    assert any("above the target of 120 ms" in " ".join(line) for line in lines)
    asked = ["--load-factor", "2", "--lost", "5", "--output", "json", "--url", service.url]
    found = json.loads(run_here("fleet", "--k-max", "40", "--label", pair, *asked).stdout)
    assert found["k_max"] == 35


def test_a_budget_of_vms_says_which_holds_what(pair: str, service: Service, tmp_path: Path):
    vms = tmp_path / "vms.json"
    vms.write_text(json.dumps([{"name": "big", "slots": 9}, {"name": "small", "slots": 4}]))
    asked = ["fleet", "--vms", str(vms), "--label", pair, "--url", service.url]
    shown = run_here(*asked)
    assert shown.exit_code == 0, shown.stderr
    assert "13 slots in all meet every target" in shown.stdout
    assert "13 slots on 2 of 2 VMs." in shown.stdout
    assert f"{pair}-a a" in shown.stdout
    assert "at least 10 are needed" in run_here(*asked, "--lost-vm", "small").stderr
    slots = run_here("fleet", "--slots", "11", "--label", pair, "--url", service.url)
    assert slots.stdout.startswith("11 slots in all are 1 too few")


@pytest.mark.parametrize(
    ("k_max", "exit_code", "said"),
    [("20", 0, "pass: There is room for job"), ("15", 1, "FAIL: "), ("9", 1, "")],
)
def test_the_gate_of_a_fleet_says_at_whose_cost(
    *, pair: str, new_job: list[str], service: Service, k_max: str, exit_code: int, said: str
):
    asked = ["gate", *new_job, "--fleet", "--label", pair, "--k-max", k_max, "--url", service.url]
    shown = run_here(*asked)
    assert shown.exit_code == exit_code, shown.stderr
    assert shown.stdout.startswith(said)
    assert ("budget-too-small" in shown.stderr) == (k_max == "9")
    annotated = run_here(*asked, "--output", "github")
    assert annotated.stdout.startswith(("::error::", "::notice::") if said else "")
    if k_max == "20":
        assert "waits longer" in shown.stdout
        assert json.loads(run_here(*asked, "--output", "json").stdout)["admission"]["admitted"]


def test_a_gate_of_a_fleet_that_lacks_something_is_no_verdict(new_job: list[str], service: Service):
    missing = run_here("gate", *new_job, "--fleet", "--url", service.url)
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert "--k-max" in missing.stderr
    alone = run_here("gate", *new_job, "--fleet", "--k-max", "20")
    assert (alone.exit_code, alone.stdout) == (2, "")


def test_a_decision_of_the_fleet_is_a_table_with_turns(client: httpx.Client, name: str, service: Service):
    for letter, rate, runs in (("a", 40.0, 9), ("b", 60.0, 6)):
        add_member(client, f"{name}-{letter}", name, rate, {"t_max_seconds": 0.12}, processors=runs)
    policy = {"k_max": 15, "topologies": {"label": name}}
    assert client.put("/v1/fleet/policy", json=policy).is_success
    shown = run_here("fleet", "decide", "--url", service.url)
    assert shown.exit_code == 0, shown.stderr
    lines = [line.split() for line in shown.stdout.splitlines() if line.strip()]
    assert next(line for line in lines if line[0] == f"{name}-a")[1:5] == ["1", "9", "→", "6"]
    taker = next(line for line in lines if line[0] == f"{name}-b")
    assert (taker[1:5], taker[-1]) == (["2", "6", "→", "9"], f"{name}-a")
    assert max(map(len, shown.stdout.splitlines())) <= 100
    client.delete("/v1/fleet/policy")
    refused = run_here("fleet", "decide", "--url", service.url)
    assert (refused.exit_code, "no-policy" in refused.stderr) == (2, True)
    assert run_here("fleet", "decide", "--k-max", "5", "--url", service.url).exit_code == 2
    assert "--k-max" in run_here("fleet", "--url", service.url).stderr


def test_sentences_are_no_wider_than_a_table(pair: str, service: Service):
    shown = run_here("fleet", "--k-max", "11", "--label", pair, "--url", service.url)
    said = [line for line in shown.stdout.splitlines() if "─" not in line and "→" not in line]
    assert max(map(len, said)) <= 80
