"""The command line: files in, tables or JSON out, and exit codes that a script can tell apart."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from typer.testing import CliRunner, Result

from app.cli import cli
from tests.app.processes import HEADGATE, environment

FPD = Path(__file__).parents[2] / "docs" / "examples" / "fpd"
FILES = ["--topology", str(FPD / "topology.yaml"), "--load", str(FPD / "load.yaml")]


def run(*arguments: str, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """The command, with no database to go to: what needs none must not look for one."""
    return subprocess.run(
        [HEADGATE, *arguments],
        env=environment(**({"data_dir": "/nonexistent"} | settings)),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_here(*arguments: str, stdin: str = "") -> Result:
    """The command in this process: as many cases as need be, without a start of Python for each."""
    return CliRunner().invoke(cli, arguments, input=stdin)


@pytest.mark.parametrize(
    ("command", "call", "body"),
    [
        (["plan", "min-latency", *FILES, "--k-max", "22"], "plans/min-latency", {"k_max": 22}),
        (
            ["plan", "min-processors", *FILES, "--t-max", "0.08"],
            "plans/min-processors",
            {"t_max_seconds": 0.08},
        ),
        (["plan", "tradeoff", *FILES, "--beta", "0.4"], "plans/tradeoff", {"beta": 0.4}),
        (
            ["plan", "proportional", *FILES, "--tolerance", "0.1"],
            "plans/proportional",
            {"tolerance": 0.1},
        ),
        (["estimate", *FILES, "--model", "mmk"], "estimate", {"model": "mmk"}),
    ],
)
def test_files_and_http_give_the_same_answer(
    client: httpx.Client, command: list[str], call: str, body: dict[str, Any]
):
    ended = run(*command, "--output", "json")
    assert ended.returncode == 0, ended.stderr
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
    short = run("plan", "min-latency", *FILES, "--k-max", "7")
    assert short.returncode == 1
    assert short.stderr.startswith("headgate: budget-too-small: k_max = 7 is ")
    assert "raise k_max to that" in short.stderr
    never = run("plan", "min-processors", *FILES, "--t-max", "0.001")
    assert never.returncode == 1
    assert "target-unreachable" in never.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("operators: [{name: a, colour: red}]", "#/topology/operators/0/colour"),
        ("operators: [{name: a}]\nedges: [{source: a, target: b}]", "invalid-topology"),
        ("operators: [", "neither JSON nor YAML"),
        ("", "#/topology"),
        ("!!python/object/apply:os.system ['true']", "neither JSON nor YAML"),
    ],
)
def test_input_that_cannot_be_used_ends_with_2_and_says_where(content: str, said: str):
    ended = run_here("plan", "min-latency", "--topology", "-", *FILES[2:], "--k-max", "9", stdin=content)
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "operators: [{name: no}]",
            "#/topology/operators/0/name: Must be a valid string; found false. YAML reads no, off and false",
        ),
        (
            "operators: [{name: a}]\nedges: [{source: a, target: a, selectivity: 1e-3}]",
            "write 0.001 or 1.0e-3",
        ),
        ("operators: [{name: a, max_processors: 1e3}]", "write 1000."),
        ("operators: [{name: 1_0}]", "found the number 10. YAML reads this as a number: quote the text"),
        ("operators: [{name: }]", "found null. YAML reads null, ~ and an empty place as null"),
        ("operators: [{name: a, max_procesors: 3}]", "Did you mean 'max_processors'?"),
        ("operators: [{name: score}]\nedges: [{source: scroe, target: score}]", "Did you mean 'score'?"),
    ],
)
def test_what_yaml_read_otherwise_than_it_was_meant_is_shown_with_the_reason(content: str, said: str):
    ended = run_here("plan", "min-latency", "--topology", "-", *FILES[2:], "--k-max", "9", stdin=content)
    assert ended.exit_code == 2
    assert said in ended.stderr


def test_a_key_that_yaml_read_as_false_is_found_under_its_name(tmp_path: Path):
    load = tmp_path / "load.yaml"
    load.write_text("external_rate: 1.0\noperators: {no: {service_rate: 4.0, servce_rate: 1.0}}")
    ended = run_here("estimate", *FILES[:2], "--load", str(load))
    assert ended.exit_code == 2
    assert "#/load/operators/false: Must be a valid string; found false. YAML reads no" in ended.stderr
    assert "Did you mean 'service_rate'?" in ended.stderr


def test_a_missing_file_ends_with_2():
    ended = run("estimate", "--topology", "/no/such.yaml", *FILES[2:])
    assert ended.returncode == 2
    assert "/no/such.yaml" in ended.stderr


def test_processors_can_be_given_one_by_one():
    ended = run("estimate", *FILES, "--processors", "generator=9", "--processors", "detector=20",
                "--processors", "reporter=2", "--output", "json")  # fmt: skip
    assert [one["processors"] for one in json.loads(ended.stdout)["operators"]] == [9, 20, 2]
    assert run("estimate", *FILES, "--processors", "nine").returncode == 2


def test_settings_are_shown_with_their_secrets_masked():
    ended = run(
        "settings", api_keys="very-secret", database_url="postgresql://me:very-secret@db/x", port="9000"
    )
    assert ended.returncode == 0
    assert "very-secret" not in ended.stdout + ended.stderr
    assert "HEADGATE_PORT=9000" in ended.stdout
    assert "HEADGATE_MAX_BODY_BYTES=8388608" in ended.stdout


def test_a_setting_that_cannot_be_used_ends_with_2_and_its_name():
    for name, value in (("port", "seventy"), ("database_url", "mysql://x"), ("workers", "0")):
        ended = run("settings", **{name: value})
        assert ended.returncode == 2
        assert f"HEADGATE_{name.upper()}" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert (f'found the text "{value}"' in ended.stderr) is (name != "database_url"), (
            "it may hold a password"
        )


def test_a_revision_that_is_not_there_is_said_in_a_line(empty_database_url: str):
    ended = run("migrate", "nonsense", database_url=empty_database_url)
    assert ended.returncode == 2
    assert "'nonsense'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_database_that_is_not_there_is_said_in_a_line():
    ended = run("migrate", database_url="postgresql://headgate@127.0.0.1:1/none")
    assert ended.returncode == 1
    assert "cannot migrate" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("module", "not_loaded"),
    [
        ("app.cli", {"fastapi", "sqlalchemy", "numpy", "scipy", "statsmodels", "matplotlib", "pyspark"}),
        ("app.plans.offline", {"fastapi", "psycopg", "statsmodels", "scipy.signal", "scipy.optimize"}),
        ("app.serving.serve", {"statsmodels", "scipy.signal", "scipy.optimize", "matplotlib", "pyspark"}),
    ],
)
def test_what_takes_long_to_load_is_loaded_by_what_needs_it_alone(module: str, not_loaded: set[str]):
    """A second of processor time, at every call of a command."""
    program = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert not not_loaded & set(loaded.split())
