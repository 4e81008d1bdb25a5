"""`headgate simulate`: the same answer as over HTTP, a table, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.simulation_examples import BURSTS, CHAIN, without_seconds
from tests.app.test_cli import run, run_here


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The options that name a topology and its load."""
    options = []
    for name in ("topology", "load"):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(CHAIN[name]))
        options += [f"--{name}", str(file)]
    return options


def test_files_and_http_give_the_same_answer(client: httpx.Client, files: list[str], tmp_path: Path):
    services = {"score": {"kind": "gamma", "scv": 0.5}}
    changes: dict[str, Any] = {
        "roots": 5000,
        "seed": 3,
        "processors": {"parse": 5, "score": 9},
        "arrivals": BURSTS,
        "services": services,
        "quantiles": [0.9],
        "warm_up_share": 0.2,
    }
    (tmp_path / "arrivals.yaml").write_text(json.dumps(BURSTS))
    (tmp_path / "services.yaml").write_text(json.dumps(services))
    options = [
        *("--roots", "5000", "--seed", "3", "--processors", "parse=5,score=9", "--quantiles", "0.9"),
        *("--arrivals", str(tmp_path / "arrivals.yaml"), "--services", str(tmp_path / "services.yaml")),
        *("--warm-up-share", "0.2", "--output", "json"),
    ]
    ended = run_here("simulate", *files, *options)
    assert ended.exit_code == 0, ended.stderr
    answer = client.post("/v1/simulations", json=CHAIN | changes).json()
    assert without_seconds(json.loads(ended.stdout)) == without_seconds(answer)


def test_the_table_has_simulated_and_modelled_waits_without_a_database(files: list[str]):
    ended = run("simulate", *files, "--roots", "5000", "--arrivals", "deterministic")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("simulated 5,000 roots in ")
    assert "±" in lines[1]
    assert lines[2].startswith("    ggk-whitt says ")
    assert "99% within" in lines[3]
    assert any(line.split()[:3] == ["score", "8", "round-robin"] for line in lines), ended.stdout
    assert any("Simulated arrivals are deterministic" in line for line in lines)


def test_what_cannot_keep_up_has_no_modelled_number(files: list[str]):
    ended = run_here("simulate", *files, "--roots", "2000", "--processors", "parse=4,score=5")
    assert ended.exit_code == 0, ended.stderr
    assert "    ggk-whitt says: unbounded" in ended.stdout.splitlines()
    assert "No steady state exists" in ended.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--processors", "parse=5,scor=3"], "Did you mean 'score'?"),
        (["--processors", "parse"], "--processors parse: write operator=count"),
        (["--capacities", "score=x"], "--capacities score=x: write operator=count"),
        (["--capacities", "scores=9"], "Did you mean 'score'?"),
        (["--arrivals", "mmpp"], "--arrivals mmpp: write poisson or deterministic, or name a file"),
        (["--quantiles", "half"], "--quantiles half: write numbers with commas between"),
        (["--quantiles", "1.0"], "--quantiles: must be at least"),
        (["--roots", "0"], "--roots: Must"),
        (["--roots", "900000000"], "simulation-too-large"),
        (["--services", "/nonexistent.yaml"], "cannot be read"),
    ],
)
def test_what_cannot_be_simulated_ends_with_2_and_says_why(files: list[str], options: list[str], said: str):
    ended = run_here("simulate", *files, *options)
    assert ended.exit_code == 2
    assert said in ended.stderr


def test_the_limit_of_events_is_a_setting(files: list[str]):
    ended = run("simulate", *files, "--roots", "20000", max_simulation_events="100000")
    assert ended.returncode == 2
    assert "may have 100,000" in ended.stderr
