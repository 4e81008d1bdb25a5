"""A running service, asked from a terminal: tables for people, and the JSON that the service answers."""

import json
from pathlib import Path

import httpx
import pytest

from tests.app.planning.gates.test_routes import newest
from tests.app.processes import Service
from tests.app.test_cli import run_here


@pytest.fixture
def measured(stored: str, service: Service) -> str:
    """A stored topology with a policy that its newest snapshot meets."""
    address = f"{service.url}/v1/topologies/{stored}"
    httpx.post(f"{address}/snapshots", json=newest()).raise_for_status()
    httpx.put(f"{address}/policy", json={"goal": {"t_max_seconds": 0.5}}).raise_for_status()
    return stored


def test_status_has_a_line_for_each_topology(measured: str, service: Service):
    shown = run_here("status", "--url", service.url)
    assert shown.exit_code == 0, shown.stderr
    parts = [line for line in shown.stdout.splitlines() if line.split()[:1] == [measured]]
    assert any("500 ms" in part for part in parts)
    assert parts[-1].rstrip().endswith(("ago", "now"))
    listed = json.loads(run_here("status", "--url", service.url, "--output", "json").stdout)
    assert measured in [row["name"] for row in listed]


def test_topologies_are_listed_over_all_pages(measured: str, service: Service):
    listed = json.loads(run_here("topologies", "--url", service.url, "--output", "json").stdout)
    names = [row["name"] for row in listed]
    assert measured in names
    assert len(set(names)) == len(names)
    assert measured in run_here("topologies", "--url", service.url).stdout


def test_a_decision_is_a_sentence_with_its_reasons(measured: str, service: Service):
    tried = run_here("decide", measured, "--trial", "--url", service.url)
    assert tried.exit_code == 0, tried.stderr
    assert tried.stdout.startswith(("Keep the ", "Run ", "Split the "))
    decisions = f"{service.url}/v1/topologies/{measured}/decisions"
    assert httpx.get(decisions).json()["items"] == [], "a trial stores nothing"
    made = json.loads(run_here("decide", measured, "--url", service.url, "--output", "json").stdout)
    assert [one["id"] for one in httpx.get(decisions).json()["items"]] == [made["id"]]
    assert all(reason["detail"] in " ".join(tried.stdout.split()) for reason in made["reasons"])


def test_a_replay_is_a_table_of_the_policy_and_of_what_ran(measured: str, service: Service, tmp_path: Path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("goal: {t_max_seconds: 0.5}\nrule: economic\n")
    shown = run_here("replay", measured, "--policy", str(policy), "--url", service.url)
    assert shown.exit_code == 0, shown.stderr
    rows = [line.split() for line in shown.stdout.splitlines() if line.strip()]
    assert rows[0] == ["replayed", "over", "the", "target", "processor-hours", "changes", "minutes"]
    assert [" ".join(row[:2]) for row in rows[2:4]] == ["the policy", "what ran"]
    found = json.loads(run_here("replay", measured, "--url", service.url, "--output", "json").stdout)
    assert found["ran"]["changes"] == found["changes"] == 0
    policy.write_text("goal: {t_max_seconds: 0.5}\nrule: economics\n")
    wrong = run_here("replay", measured, "--policy", str(policy), "--url", service.url)
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "line 2: rule:" in wrong.stderr


def test_a_report_is_that_of_the_service(measured: str, service: Service):
    run_here("decide", measured, "--url", service.url)
    assert run_here("report", measured, "--url", service.url).stdout.startswith(f"# {measured}: ")
    page = run_here("report", measured, "--output", "html", "--url", service.url).stdout
    assert page.startswith("<!DOCTYPE html>")


def test_a_pushed_file_is_stored_and_what_is_wrong_in_it_has_its_line(stored: str, service: Service):
    asked = ["push", "-", "--topology", stored, "--url", service.url]
    assert (
        run_here(*asked, stdin=json.dumps(newest())).stdout
        == f"{stored}: stored 1 snapshot, replaced 0 snapshots\n"
    )
    wrong = run_here(
        *asked, stdin="observed_at: 2026-11-20T00:00:00Z\nwindow_seconds: 60\nexternal_rate: -5\n"
    )
    assert wrong.exit_code == 2
    assert "standard input, line 3: external_rate: Must be" in wrong.stderr


@pytest.mark.parametrize(
    "command", [["status"], ["topologies"], ["decide", "x"], ["replay", "x"], ["report", "x"]]
)
def test_a_service_that_cannot_answer_is_a_sentence_and_2(command: list[str], service: Service):
    nobody = run_here(*command, "--url", "http://127.0.0.1:1")
    assert (nobody.exit_code, nobody.stdout) == (2, "")
    assert "http://127.0.0.1:1 does not answer" in nobody.stderr
    if command[-1] == "x":
        unknown = run_here(*command, "--url", service.url)
        assert (unknown.exit_code, unknown.stdout) == (2, "")
        assert "unknown-topology" in unknown.stderr


def test_a_report_has_the_newest_decision_in_other_forms(measured: str, service: Service):
    made = json.loads(run_here("decide", measured, "--url", service.url, "--output", "json").stdout)
    reported = ["report", measured, "--url", service.url, "--output"]
    assert json.loads(run_here(*reported, "json").stdout)["id"] == made["id"]
    assert run_here(*reported, "table").stdout.startswith(made["verdict"])
    assert run_here(*reported, "csv").stdout.startswith("operator,current,recommended\n")
    assert run_here(*reported, "markdown").stdout.startswith(f"# {measured}: ")
