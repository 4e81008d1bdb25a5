"""The gate on the command line: exit codes, reports, and the verdicts of a service."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import httpx
import pytest
from typer.testing import CliRunner, Result

from app.command_line import cli
from app.load.bodies.load import FPD_LOAD, FPD_MEASURED
from tests.app.planning.gates.test_routes import judge, newest
from tests.app.processes import HEADGATE, Service
from tests.app.test_cli import FPD as FOLDER
from tests.app.test_cli import run

TOPOLOGY, LOAD = str(FOLDER / "topology.yaml"), str(FOLDER / "load.yaml")
FILES = [TOPOLOGY, "--load", LOAD]
TERMS = {"t_max_seconds": 0.5, "k_max": 40}


def run_here(*arguments: str) -> Result:
    """The command in this process: as many cases as need be, without a start of Python for each."""
    return CliRunner().invoke(cli, ["gate", *arguments], env={"GITHUB_STEP_SUMMARY": ""})


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
    assert "the rate to judge at is 0" in ended.stderr
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


def test_the_exit_code_is_the_verdict():
    assert run("gate", *FILES, "--t-max", "0.5", "--k-max", "40").returncode == 0
    short = run_here(*FILES, "--rate", "1.5x", "--t-max", "0.5", "--k-max", "40", "--offline")
    assert short.exit_code == 1
    for word in ("FAIL", "stability", "headroom", "binding operator: detector", "27 processors would do"):
        assert word in short.stdout
    enough = ["--processors", "generator=7", "--processors", "detector=17", "--processors", "reporter=3"]
    held = run_here(*FILES, "--rate", "480", "--t-max", "0.5", *enough)
    assert held.exit_code == 0, held.stdout


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
        ([*FILES, "--model", "oracle"], "--model: "),
        (["--stored", "fpd"], "--url"),
        ([*FILES, "--max-age", "60"], "--max-age needs --stored"),
        ([*FILES, "--t-max", "0"], "--t-max: Must be greater than"),
    ],
)
def test_what_cannot_be_judged_ends_with_2_and_says_why(arguments: list[str], said: str, tmp_path: Path):
    report = tmp_path / "report.xml"
    ended = run_here(*arguments, "--junit", str(report))
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ET.parse(report).getroot().get("errors") == "1"


def test_a_report_that_cannot_be_written_is_told_once(tmp_path: Path):
    ended = run_here(*FILES, "--junit", str(tmp_path))
    assert ended.exit_code == 2
    assert ended.stderr == f"headgate: {tmp_path}: cannot be written: Is a directory\n"


@pytest.mark.parametrize("name", ["load.yaml", "load.json"])
def test_a_load_with_two_rates_is_not_judged(tmp_path: Path, name: str):
    """YAML and JSON parsers take the last: the gate passed at 20 tuples/s, whatever the first rate was."""
    load = tmp_path / name
    load.write_text('{"external_rate": 1000,\n "external_rate": 20, "operators": {}}')
    ended = run_here(TOPOLOGY, "--load", str(load))
    assert ended.exit_code == 2
    assert (
        f"{load}, line 2: the key 'external_rate' stands twice in one object, first in line 1" in ended.stderr
    )


def test_a_refusal_of_the_service_points_into_the_file(service: Service, tmp_path: Path):
    load = tmp_path / "load.yaml"
    load.write_text("external_rate: 3\noperators:\n  generator: {service_rate: -1}\n")
    ended = run_here(TOPOLOGY, "--load", str(load), "--url", service.url, "--t-max", "0")
    assert ended.exit_code == 2
    assert f"invalid-request: {load}, line 3: operators.generator.service_rate: Must be" in ended.stderr
    assert "invalid-request: --t-max: Must be" in ended.stderr


def test_json_is_what_the_service_answers(service: Service):
    arguments = ["--rate", "1.5x", "--t-max", "0.5", "--k-max", "40", "--output", "json"]
    offline = run_here(*FILES, *arguments)
    online = run_here(*FILES, *arguments, "--url", service.url)
    assert (offline.exit_code, online.exit_code) == (1, 1)
    assert json.loads(offline.stdout) == json.loads(online.stdout)
    assert json.loads(offline.stdout)["headroom_rate"] == pytest.approx(378.03, abs=0.01)


def test_a_service_judges_what_it_has_stored(stored: str, service: Service, tmp_path: Path):
    asked = ["--url", service.url, "--stored", stored, "--rate", "1.1x", "--t-max", "0.5"]
    old = run_here(*asked)
    assert old.exit_code == 2
    assert "stale-snapshots" in old.stderr
    assert "--max-age 1d" in old.stderr
    assert run_here(*asked, "--max-age", "1e9").exit_code == 0
    httpx.post(f"{service.url}/v1/topologies/{stored}/snapshots", json=newest())
    report = tmp_path / "report.html"
    ended = run_here(*asked, "--report", str(report))
    assert ended.exit_code == 0, ended.stderr
    assert "<title>generator to detector: " in report.read_text()
    forgotten = run_here("--url", service.url, "--stored", stored, "--rate", "1.1")
    assert forgotten.exit_code == 2
    assert "--rate 1.1x" in forgotten.stderr
    unknown = run_here("--url", service.url, "--stored", "nobody")
    assert unknown.exit_code == 2
    assert "unknown-topology" in unknown.stderr


def test_a_report_of_files_that_a_service_judged_has_the_graph(service: Service, tmp_path: Path):
    report = tmp_path / "report.html"
    ended = run_here(*FILES, "--t-max", "0.5", "--url", service.url, "--report", str(report))
    assert ended.exit_code == 0, ended.stderr
    assert "<title>generator to detector: 1,280/s, 4 out for one in</title>" in report.read_text()


def test_a_report_has_the_graph_and_loads_no_matplotlib(tmp_path: Path):
    page, text = tmp_path / "report.html", tmp_path / "report.md"
    for report in (page, text):
        ended = run_here(*FILES, "--rate", "1.5x", "--t-max", "0.5", "--report", str(report))
        assert ended.exit_code == 1
    assert "<title>detector: 126% busy · 2,130/s, 13 → 17 processors</title>" in page.read_text()
    assert "```mermaid\n" in text.read_text()
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, app.rendering.reports; print('matplotlib' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout == "False\n"


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


def test_a_gate_on_a_quantile_is_what_the_service_answers(client: httpx.Client):
    ended = run_here(*FILES, "--t-max", "0.2", "--target-quantile", "0.99", "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    target = {"of": "completion", "quantile": 0.99, "seconds": 0.2}
    here, there = json.loads(ended.stdout)["checks"][-1], judge(client, target=target)["checks"][-1]
    assert (here["name"], here["limit"]) == (there["name"], there["limit"]) == ("latency", 0.2)
    assert here["value"] == pytest.approx(there["value"], rel=0.01)
    short = run_here(*FILES, "--t-max", "0.15", "--target-quantile", "0.99", "--target-of", "total")
    assert short.exit_code == 1
    unclear = run_here(*FILES, "--target-quantile", "0.99")
    assert unclear.exit_code == 2
    assert "add --t-max" in unclear.stderr


def test_a_measured_wait_counts_unless_it_is_switched_off(tmp_path: Path):
    reporter = {"service_rate": 40.0, "processors": 3, "measured_wait_seconds": 0.02}
    load = tmp_path / "load.json"
    load.write_text(json.dumps(FPD_LOAD | {"operators": FPD_MEASURED | {"reporter": reporter}}))
    asked = [TOPOLOGY, "--load", str(load), "--t-max", "0.5", "--output", "json"]
    waited, plain = (json.loads(run_here(*asked, *switch).stdout) for switch in ([], ["--no-calibrate"]))
    assert "waits-calibrated" in [said["code"] for said in waited["diagnostics"]]
    assert waited["expected_sojourn_seconds"] > plain["expected_sojourn_seconds"]
    assert plain["calibration"] is None


@pytest.mark.parametrize(
    ("name", "begin"), [("gate.html", "<!DOCTYPE html>"), ("gate.md", "# The gate fails")]
)
def test_a_report_is_one_page_with_the_verdict(tmp_path: Path, name: str, begin: str):
    page = tmp_path / name
    ended = run_here(*FILES, "--rate", "1.5x", "--t-max", "0.5", "--k-max", "40", "--report", str(page))
    assert page.read_text().startswith(begin)
    assert "detector" in page.read_text()
    refused = run_here(*FILES, "--t-max", "0.5", "--report", str(tmp_path / "nowhere" / "x.md"))
    assert refused.exit_code == 2
    assert ended.exit_code == 1
