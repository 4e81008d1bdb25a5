"""`headgate plan` and `headgate estimate`: the same answers as over HTTP, tables, and exit codes."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from app.planning.plans.schemas import OBJECTIVES
from tests.app.test_cli import FILES, FPD, run, run_here


@pytest.mark.parametrize(
    ("command", "call", "body"),
    [
        (["plan", "min-latency", *FILES, "--k-max", "22"], "plans/min-latency", {"k_max": 22}),
        (
            ["plan", "min-processors", *FILES, "--t-max", "0.08"],
            "plans/min-processors",
            {"t_max_seconds": 0.08},
        ),
        (
            ["plan", "min-processors", *FILES, "--t-max", "0.2", "--target-quantile", "0.99"],
            "plans/min-processors",
            {"target": {"of": "completion", "quantile": 0.99, "seconds": 0.2}},
        ),
        (["plan", "tradeoff", *FILES, "--beta", "0.4"], "plans/tradeoff", {"beta": 0.4}),
        (
            ["plan", "proportional", *FILES, "--tolerance", "0.1"],
            "plans/proportional",
            {"tolerance": 0.1},
        ),
        (["estimate", *FILES, "--model", "mmk"], "estimate", {"model": "mmk"}),
        (["estimate", *FILES, "--quantiles", "0.5,0.99"], "estimate", {"quantiles": [0.5, 0.99]}),
        (
            ["plan", "min-latency", *FILES, "--k-max", "22", "--quantiles", "0.9"],
            "plans/min-latency",
            {"k_max": 22, "quantiles": [0.9]},
        ),
    ],
)
def test_files_and_http_give_the_same_answer(
    client: httpx.Client, command: list[str], call: str, body: dict[str, Any]
):
    ended = run_here(*command, "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    documents = {
        name: yaml.load((FPD / f"{name}.yaml").read_text(), Loader=yaml.BaseLoader)
        for name in ("topology", "load")
    }
    assert documents["load"]["observed_at"] == "2026-11-18T00:00:00Z"
    sent = {name: json.loads(json.dumps(_typed(document))) for name, document in documents.items()} | body
    assert json.loads(ended.stdout) == client.post(f"/v1/{call}", json=sent).json()


def _typed(document: Any) -> Any:
    """BaseLoader leaves text as text, times too; numbers and truths are typed here."""
    if isinstance(document, dict):
        return {name: _typed(value) for name, value in document.items()}
    if isinstance(document, list):
        return [_typed(value) for value in document]
    try:
        return json.loads(document)
    except ValueError:
        return document


def test_a_table_names_every_operator_and_what_one_more_would_do():
    ended = run("plan", "min-latency", *FILES, "--k-max", "22")
    assert ended.returncode == 0, ended.stderr
    for word in ("generator", "detector", "reporter", "E[T]", "one more", "one fewer", "ms"):
        assert word in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 120


def test_capacity_that_is_short_ends_with_1_and_says_by_how_much():
    short = run_here("plan", "min-latency", *FILES, "--k-max", "7")
    assert short.exit_code == 1
    assert short.stderr.startswith("headgate: budget-too-small: 7 processors in all are ")
    assert "Allow 18, or lower the load." in short.stderr
    never = run_here("plan", "min-processors", *FILES, "--t-max", "0.001")
    assert never.exit_code == 1
    assert "target-unreachable" in never.stderr


def test_processors_can_be_given_one_by_one():
    ended = run_here("estimate", *FILES, "--processors", "generator=9", "--processors", "detector=20",
                "--processors", "reporter=2", "--output", "json")  # fmt: skip
    assert [one["processors"] for one in json.loads(ended.stdout)["operators"]] == [9, 20, 2]
    assert run_here("estimate", *FILES, "--processors", "nine").exit_code == 2


def test_quantiles_are_lines_below_the_table_and_wrong_ones_end_with_2():
    ended = run_here("estimate", *FILES, "--quantiles", "0.5,0.99")
    total, completion = (line for line in ended.stdout.splitlines() if ": mean " in line)
    assert total.startswith("total: ")
    assert completion.startswith("completion: ")
    assert ", p50 " in completion
    assert ", p99 " in completion
    refused = run_here("estimate", *FILES, "--quantiles", "0.5;0.99")
    assert refused.exit_code == 2
    assert "write numbers with commas between them" in refused.stderr
    assert run_here("estimate", *FILES, "--quantiles", "99").exit_code == 2


@pytest.fixture
def waited(tmp_path: Path) -> list[str]:
    """The example's files, with a measured wait."""
    load = yaml.safe_load((FPD / "load.yaml").read_text())
    load["operators"]["reporter"]["measured_wait_seconds"] = 0.02
    (tmp_path / "load.json").write_text(json.dumps(load, default=str))
    return ["--topology", str(FPD / "topology.yaml"), "--load", str(tmp_path / "load.json")]


@pytest.mark.parametrize("command", [["estimate"], ["plan", "min-latency", "--k-max", "22"]])
def test_a_measured_wait_corrects_the_modelled_one_and_says_so(waited: list[str], command: list[str]):
    table = run_here(*command, *waited)
    assert "note: Modelled waits are multiplied by factors from measured waits: reporter" in " ".join(
        table.stdout.split()
    )
    with_factor, plain = (
        json.loads(run_here(*command, *waited, *switch, "--output", "json").stdout)
        for switch in ([], ["--no-calibrate"])
    )
    assert [one["operator"] for one in with_factor["calibration"]] == ["reporter"]
    assert plain["calibration"] is None
    assert with_factor["expected_sojourn_seconds"] > plain["expected_sojourn_seconds"]


@pytest.mark.parametrize("objective", [objective.name for objective in OBJECTIVES])
def test_the_help_names_plain_types(objective: str):
    said = run("plan", objective, "--help").stdout
    assert "FieldInfo" not in said
    assert "Annotated" not in said


def test_a_plan_shows_what_it_changes_of_what_runs():
    shown = run_here("plan", "min-latency", *FILES, "--k-max", "24").stdout
    rows = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    assert "13 → 15" in rows["detector"] or "13 → 14" in rows["detector"], shown
    assert "→" not in run_here("estimate", *FILES).stdout
