"""The gate over HTTP and on the command line: verdicts, exit codes, reports."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import pytest
import yaml
from typer.testing import CliRunner, Result

from app.cli import cli
from app.described.load import FPD_LOAD
from app.described.topology import FPD
from tests.app.processes import HEADGATE, Service
from tests.app.test_cli import FPD as FOLDER
from tests.app.test_cli import run

TOPOLOGY, LOAD = str(FOLDER / "topology.yaml"), str(FOLDER / "load.yaml")
FILES = [TOPOLOGY, "--load", LOAD]
TERMS = {"t_max_seconds": 0.5, "k_max": 40}


def run_here(*arguments: str) -> Result:
    """The command in this process: as many cases as need be, without a start of Python for each."""
    return CliRunner().invoke(cli, ["gate", *arguments], env={"GITHUB_STEP_SUMMARY": ""})


def judge(client: httpx.Client, **terms: Any) -> dict[str, Any]:
    answer = client.post("/v1/gate", json={"topology": FPD, "load": FPD_LOAD} | terms)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_gate_answers_200_whether_it_passes_or_not(client: httpx.Client):
    passed = judge(client, **TERMS)
    assert passed["passed"]
    assert [check["name"] for check in passed["checks"]] == ["stability", "bounds", "budget", "latency"]
    failed = judge(client, external_rate=480.0, **TERMS)
    assert not failed["passed"]
    assert failed["expected_sojourn_seconds"] is None
    assert failed["binding_operator"] == "detector"
    assert failed["headroom_rate"] == passed["headroom_rate"]
    assert judge(client, external_rate=480.0, processors=failed["suggestion"]["processors"], **TERMS)[
        "passed"
    ]


def test_the_headroom_survives_json(client: httpx.Client):
    for terms in (TERMS, {"k_max": 40}, {"t_max_seconds": 0.07}):
        headroom = judge(client, **terms)["headroom_rate"]
        assert judge(client, external_rate=headroom, **terms)["passed"]
        assert not judge(client, external_rate=1.001 * headroom, **terms)["passed"]


def test_a_factor_is_times_the_measured_rate(client: httpx.Client):
    assert judge(client, rate_factor=1.5) == judge(client, external_rate=480.0)
    both = client.post(
        "/v1/gate", json={"topology": FPD, "load": FPD_LOAD, "rate_factor": 1.5, "external_rate": 480.0}
    )
    assert (both.status_code, both.json()["type"]) == (422, "invalid-request")


def test_a_load_that_does_not_say_what_runs_is_judged_by_the_best_split_of_the_budget(client: httpx.Client):
    partly = yaml.safe_load(json.dumps(FPD_LOAD))
    del partly["operators"]["reporter"]["processors"]
    answer = judge(client, load=partly, external_rate=480.0, **TERMS)
    assert answer["passed"]
    assert (answer["processors_origin"], sum(answer["processors"].values())) == ("planned", 40)
    assert "processors-planned" in [said["code"] for said in answer["diagnostics"]]
    refused = client.post("/v1/gate", json={"topology": FPD, "load": partly, "t_max_seconds": 0.5})
    assert (refused.status_code, refused.json()["type"]) == (422, "invalid-allocation")
    assert "k_max" in refused.json()["detail"]


def test_stored_and_stateless_gates_agree(client: httpx.Client, stored: str):
    client.post(f"/v1/topologies/{stored}/snapshots", json=newest())
    answer = client.post(f"/v1/topologies/{stored}/gate", json={"rate_factor": 1.5, **TERMS})
    assert answer.status_code == 200
    assert answer.json()["basis"]["snapshots"] == 1
    assert answer.json() | {"basis": None} == judge(client, rate_factor=1.5, **TERMS)
    assert client.post(f"/v1/topologies/{stored}/gate").json()["passed"]


def newest(**fields: Any) -> dict[str, Any]:
    """The example's load, measured just now."""
    return FPD_LOAD | {"observed_at": datetime.now(UTC).isoformat()} | fields


def test_a_stored_gate_judges_by_nothing_old_unless_asked_to(client: httpx.Client, stored: str):
    url = f"/v1/topologies/{stored}"
    refused = client.post(f"{url}/gate", json=TERMS)
    assert (refused.status_code, refused.json()["type"]) == (503, "stale-snapshots")
    assert refused.json()["limit_seconds"] == 900.0
    judged = client.post(f"{url}/gate", json=TERMS | {"max_snapshot_age_seconds": 1e9})
    assert judged.json()["passed"]
    assert "old-snapshots" in [said["code"] for said in judged.json()["diagnostics"]]
    goal = {"t_max_seconds": 0.5}
    assert (
        client.put(f"{url}/policy", json={"goal": goal, "max_snapshot_age_seconds": 1e9}).status_code == 200
    )
    by_policy = client.post(f"{url}/gate", json=TERMS)
    assert by_policy.status_code == 200
    assert "old-snapshots" not in [said["code"] for said in by_policy.json()["diagnostics"]]
    strict = client.post(f"{url}/gate", json=TERMS | {"max_snapshot_age_seconds": 3600})
    assert (strict.status_code, strict.json()["limit_seconds"]) == (503, 3600.0)


def test_a_rate_below_the_measured_one_is_said_over_http(client: httpx.Client):
    for terms in ({"external_rate": 1.5}, {"rate_factor": 0.5}):
        said = [one["code"] for one in judge(client, **TERMS, **terms)["diagnostics"]]
        assert "rate-below-measured" in said
    for terms in ({}, {"external_rate": 320.0}, {"rate_factor": 1.5}):
        said = [one["code"] for one in judge(client, **TERMS, **terms)["diagnostics"]]
        assert "rate-below-measured" not in said


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        ("1.5", "write --rate 1.5x"),
        ("319", "--allow-lower"),
        ("0", "--allow-lower"),
        ("0.5x", "--allow-lower"),
        ("150%", "--rate 1.5x for 150%"),
        ("nan", "as 480, or a factor, as 1.5x"),
        ("inf", "as 480"),
        ("-1.5x", "as 480"),
        ("1_5", "as 480"),
        ("1e400", "finite number"),
    ],
)
def test_a_rate_that_was_hardly_meant_is_not_judged(rate: str, said: str):
    ended = run_here(*FILES, f"--rate={rate}", "--t-max", "0.5")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_factor_that_was_written_is_not_suggested():
    ended = run_here(*FILES, "--rate=0.9x", "--t-max", "0.5")
    assert ended.exit_code == 2
    assert "write --rate" not in ended.stderr


def test_a_multiple_of_nothing_is_not_judged(client: httpx.Client, tmp_path: Path):
    idle = FPD_LOAD | {"external_rate": 0.0}
    idle["operators"] = {
        key: {"service_rate": 40.0, "processors": 3} for key in ("generator", "detector", "reporter")
    }
    (tmp_path / "idle.json").write_text(json.dumps(idle))
    files = [TOPOLOGY, "--load", str(tmp_path / "idle.json")]
    ended = run_here(*files, "--rate", "1.5x")
    assert ended.exit_code == 2
    assert "0 tuples/s are judged" in ended.stderr
    assert run_here(*files, "--rate", "1.5").exit_code == 0
    assert "nothing-arrives" in [said["code"] for said in judge(client, load=idle)["diagnostics"]]


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (["--rate", "1.5", "--allow-lower"], 0),
        (["--rate", "0.5x", "--allow-lower"], 0),
        (["--rate", "320"], 0),
        (["--rate", "1.5X"], 1),
        (["--rate", "1.5 x"], 1),
    ],
)
def test_a_rate_that_was_meant_is_judged(arguments: list[str], verdict: int):
    assert run_here(*FILES, "--t-max", "0.5", *arguments).exit_code == verdict


def test_a_stored_gate_needs_a_snapshot(client: httpx.Client, name: str):
    client.post("/v1/topologies", json=FPD | {"name": name})
    refused = client.post(f"/v1/topologies/{name}/gate", json=TERMS)
    assert (refused.status_code, refused.json()["type"]) == (409, "no-snapshot")


def test_the_exit_code_is_the_verdict():
    assert run("gate", *FILES, "--t-max", "0.5", "--k-max", "40").returncode == 0
    short = run("gate", *FILES, "--rate", "1.5x", "--t-max", "0.5", "--k-max", "40", "--offline")
    assert short.returncode == 1
    for word in ("FAIL", "stability", "headroom", "binding operator: detector", "27 processors would do"):
        assert word in short.stdout
    enough = ["--processors", "generator=7", "--processors", "detector=17", "--processors", "reporter=3"]
    held = run("gate", *FILES, "--rate", "480", "--t-max", "0.5", *enough)
    assert held.returncode == 0, held.stdout


@pytest.mark.parametrize(
    ("output", "rate", "verdict"), [("table", "1x", 0), ("json", "1.5x", 1), ("github", "1x", 0)]
)
def test_the_verdict_stands_where_nobody_reads_it_to_the_end(output: str, rate: str, verdict: int):
    read, write = os.pipe()
    os.close(read)
    terms = ["--rate", rate, "--t-max", "0.5", "--k-max", "40", "--output", output]
    ended = subprocess.run(
        [HEADGATE, "gate", *FILES, *terms], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (ended.returncode, ended.stderr) == (verdict, b"")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["/no/such.yaml", "--load", LOAD], "/no/such.yaml"),
        ([TOPOLOGY], "--load FILE"),
        ([*FILES, "--topology", TOPOLOGY], "one topology file"),
        ([*FILES, "--rate", "fast"], "--rate fast"),
        ([*FILES, "--processors", "nine"], "--processors nine"),
        ([*FILES, "--processors", "stranger=9"], "stranger"),
        ([*FILES, "--url", "http://127.0.0.1:1"], "does not answer"),
        ([*FILES, "--url", "file:///etc/passwd"], "http://"),
        ([*FILES, "--url", "http://127.0.0.1:1", "--offline"], "contradict"),
        ([*FILES, "--model", "oracle"], "#/model"),
        (["--stored", "fpd"], "--url"),
        ([*FILES, "--max-age", "60"], "--max-age goes with --stored"),
        ([*FILES, "--t-max", "-1"], "#/t_max_seconds"),
    ],
)
def test_what_cannot_be_judged_ends_with_2_and_says_why(arguments: list[str], said: str, tmp_path: Path):
    report = tmp_path / "report.xml"
    ended = run_here(*arguments, "--junit", str(report))
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ET.parse(report).getroot().get("errors") == "1"


def test_json_is_what_the_service_answers(service: Service):
    arguments = ["--rate", "1.5x", "--t-max", "0.5", "--k-max", "40", "--output", "json"]
    offline = run_here(*FILES, *arguments)
    online = run_here(*FILES, *arguments, "--url", service.url)
    assert (offline.exit_code, online.exit_code) == (1, 1)
    assert json.loads(offline.stdout) == json.loads(online.stdout)
    assert json.loads(offline.stdout)["headroom_rate"] == pytest.approx(378.03, abs=0.01)


def test_a_service_judges_what_it_has_stored(stored: str, service: Service):
    asked = ["--url", service.url, "--stored", stored, "--rate", "1.1x", "--t-max", "0.5"]
    old = run_here(*asked)
    assert old.exit_code == 2
    assert "stale-snapshots" in old.stderr
    assert "--max-age SECONDS" in old.stderr
    assert run_here(*asked, "--max-age", "1e9").exit_code == 0
    httpx.post(f"{service.url}/v1/topologies/{stored}/snapshots", json=newest())
    ended = run_here(*asked)
    assert ended.exit_code == 0, ended.stderr
    forgotten = run_here("--url", service.url, "--stored", stored, "--rate", "1.1")
    assert forgotten.exit_code == 2
    assert "--rate 1.1x" in forgotten.stderr
    unknown = run_here("--url", service.url, "--stored", "nobody")
    assert unknown.exit_code == 2
    assert "unknown-topology" in unknown.stderr


def test_a_junit_report_has_a_case_for_each_check(tmp_path: Path):
    report = tmp_path / "report.xml"
    ended = run_here(*FILES, "--rate", "1.5x", "--t-max", "0.5", "--k-max", "40", "--junit", str(report))
    assert ended.exit_code == 1
    suites = ET.parse(report).getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("4", "2", "0")
    failed = [case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None]
    assert failed == ["stability", "latency"]


def test_github_gets_annotations_and_a_summary(tmp_path: Path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    arguments = ["--rate", "1.5x", "--t-max", "0.5", "--output", "github", "--summary", str(summary)]
    ended = run_here(*FILES, *arguments)
    lines = ended.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("::error title=Headgate%3A ") for line in lines)
    assert "27 processors would do" in lines[0]
    assert summary.read_text().startswith("before\n### Headgate\n")
    assert "| stability | FAIL |" in summary.read_text()


def test_processors_may_come_from_a_file(tmp_path: Path):
    deployed = tmp_path / "deployed.yaml"
    deployed.write_text("generator: 7\ndetector: 17\nreporter: 3\n")
    ended = run_here(*FILES, "--rate", "1.5x", "--processors", str(deployed), "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    assert json.loads(ended.stdout)["processors"] == {"generator": 7, "detector": 17, "reporter": 3}
