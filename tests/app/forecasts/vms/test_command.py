"""`headgate forecast`: the same schedule from files as over HTTP."""

import json
import re
from pathlib import Path

import httpx
import pytest

from app.forecasts.vms.command import forecast
from app.forecasts.vms.schemas import VmForecastRequest
from planner.wording import write_number
from tests.app.series_examples import (
    DAY,
    expect_defaults_of,
    list_options,
    make_body,
    make_half_hours,
    write_half_hours,
)
from tests.app.test_cli import run, run_here
from tests.docs.consoles import ROOT


def test_files_and_http_give_the_same_schedule(client: httpx.Client, tmp_path: Path):
    body = make_body(horizon=2)
    (tmp_path / "w.csv").write_text(
        "time,rate\n" + "".join(f"{point['at']},{point['rate']!r}\n" for point in body["workload"])
    )
    ended = run(
        "forecast", "--workload", str(tmp_path / "w.csv"), *DAY[2:], "--horizon", "2", "--output", "json"
    )
    assert ended.returncode == 0, ended.stderr
    assert httpx.Response(200, text=ended.stdout).json() == client.post("/v1/forecasts/vms", json=body).json()


def test_files_and_http_take_the_step_from_the_data(
    client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    path = write_half_hours(tmp_path / "w.csv")
    fields = {
        "horizon": 2,
        "interval_steps": 4,
        "startup_steps": 1,
        "qos_target": 0.9,
        "policy": "mst+ua",
        "billing_seconds": 3600.0,
    }
    body = make_body() | fields | {"workload": [{"at": at, "rate": rate} for at, rate in make_half_hours()]}
    options = [text for name, value in fields.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    ended = run_here("forecast", "--workload", path, *DAY[2:], *options, "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    assert json.loads(ended.stdout) == client.post("/v1/forecasts/vms", json=body).json()
    assert "steps of 30 min" in ended.stderr


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ([], "The schedule meets its target: 98.98% of the time of 2 intervals is expected"),
        (["--max-vms", "2"], "The schedule misses its target: "),
        (
            ["--policy", "3"],
            "in every interval the VMs serve the highest rate with a probability of at least 95%.",
        ),
        (["--policy", "3", "--max-vms", "2"], "in 2 of 2 intervals the VMs serve the highest rate"),
    ],
)
def test_one_verdict_on_the_whole_schedule_stands_below_the_table(
    options: list[str], verdict: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("COLUMNS", "200")
    asked = ["forecast", *DAY, "--horizon", "2", *options]
    table = run_here(*asked)
    assert table.exit_code == 0, table.stderr
    shown = " ".join(table.stdout.split())
    assert verdict in shown
    assert " met" not in shown.replace(verdict, "")
    answer = json.loads(run_here(*asked, "--output", "json").stdout)
    assert answer["verdict"] in shown
    assert answer["kept"] is ("meets" in answer["verdict"])
    for row in answer["intervals"]:
        assert row["qos_target"] == answer["qos_target"]
        assert row["kept"] is (row["probability"] >= row["qos_target"])


@pytest.mark.parametrize("command", ["forecast", "backtest"])
def test_help_names_files_to_try_the_command_with(command: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = " ".join(run_here(command, "--help").stdout.replace("│", " ").split())
    [named] = re.findall(rf"To try: headgate ({command} --workload (\S+) --mst (\S+))", shown)
    assert all((ROOT / path).is_file() for path in named[1:])


def test_hourly_steps_can_be_asked_for_where_half_of_them_are_missing(tmp_path: Path):
    lines = [f"{i * 60},{5 + i % 7}" for i in range(300) if i % 3 != 1]
    (tmp_path / "w.csv").write_text("minutes,rate\n" + "\n".join(lines) + "\n")
    asked = ["--workload", str(tmp_path / "w.csv"), *DAY[2:], "--step-seconds", "3600"]
    ended = run_here("forecast", *asked, "--output", "json")
    assert ended.exit_code == 0, ended.stderr
    said = next(one for one in json.loads(ended.stdout)["diagnostics"] if one["code"] == "workload-gaps")
    assert said["detail"].startswith("100 of the 300 rates")


def test_the_options_are_the_fields_of_the_body_and_left_to_its_defaults():
    assert list_options(forecast) == VmForecastRequest.model_fields.keys() - {"mst_samples"} | {"mst"}
    expect_defaults_of(forecast, VmForecastRequest)


def test_what_to_buy_stands_in_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "sizes.yaml").write_text("- {name: huge, slots: 1000, hourly_price: 0.25}")
    ended = run_here("forecast", *DAY, "--vm-sizes", str(tmp_path / "sizes.yaml"))
    assert ended.exit_code == 0, ended.stderr
    assert "1 huge" in ended.stdout
    assert "0.25" in ended.stdout
    (tmp_path / "sizes.yaml").write_text("- {name: huge, slots: many, hourly_price: 0.25}")
    refused = run_here("forecast", *DAY, "--vm-sizes", str(tmp_path / "sizes.yaml"))
    assert refused.exit_code == 2
    assert "sizes.yaml" in refused.stderr


def test_a_record_says_how_the_target_was_kept_and_what_keeps_it_from_more(tmp_path: Path):
    rows = "".join(f"7,{'true' if step % 50 == 0 else 'false'}\n" for step in range(500))
    (tmp_path / "record.csv").write_text(f"vms,saturated\n{rows}")
    ended = run_here("forecast", *DAY, "--record", str(tmp_path / "record.csv"))
    assert ended.exit_code == 0, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "Kept so far: 98% (" in said
    assert "3.75 missed steps more than the target allows." in said
    assert "The record is too short" in said
    assert "What keeps the schedule from serving more: the " in said
    answer = json.loads(
        run_here("forecast", *DAY, "--record", str(tmp_path / "record.csv"), "--output", "json").stdout
    )
    assert answer["kept_so_far"] == 0.98
    for row in answer["intervals"]:
        assert [row[one] == answer[one] for one in ("qos_target", "kept_so_far", "binding", "judgeable")] == [
            True
        ] * 4
    price, cap = write_number(answer["price"]), write_number(answer["price_cap"])
    assert f"A missed step counts as much as {price} VMs for a step; the most allowed is {cap}." in said
    assert "the target chose" not in said
    unknown = " ".join(run_here("forecast", *DAY).stdout.split())
    assert "Kept so far" not in unknown
    assert "too short" not in unknown
    assert "the target chose the VMs above, and not this price." in unknown
    assert "A missed step" not in run_here("forecast", *DAY, "--policy", "3").stdout
